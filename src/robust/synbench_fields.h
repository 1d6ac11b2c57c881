#pragma once

#include <string>

#include "assay/robust.h"
#include "parts/archive.h"

namespace assay {

// What a scored model is made of, for parts of the work (parts/archive.h).

template <class Archive>
void fields(Archive& archive, OperatingPoint& point) {
  auto& [accuracy, bound] = point;
  archive(accuracy, bound);
}

template <class Archive>
void fields(Archive& archive, ScalePoint& point) {
  auto& [scale, status, measured, expected, debiased, reference] = point;
  archive(scale, status, measured, expected, debiased, reference);
}

template <class Archive>
void fields(Archive& archive, SynbenchScore& score) {
  auto& [epsilon, threshold, value, value_se, calibrated, calibrated_se, expected, reason] = score;
  archive(epsilon, threshold, value, value_se, calibrated, calibrated_se, expected, reason);
}

template <class Archive>
void fields(Archive& archive, SynbenchModel& model) {
  auto& [name, dim, train, test, scales, points, scores, best_epsilons, notes, seconds] = model;
  archive(name, dim, train, test, scales, points, scores, best_epsilons, notes, seconds);
}

// With the file it came from; no digest: from memory.
struct SynbenchUnit {
  SynbenchModel model;
  FileDigest file;
};

template <class Archive>
void fields(Archive& archive, SynbenchUnit& unit) {
  auto& [model, file] = unit;
  archive(model, file);
}

}  // namespace assay
