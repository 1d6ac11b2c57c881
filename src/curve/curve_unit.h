#pragma once

#include <string>
#include <vector>

#include "assay/curve.h"
#include "curve/run_probes.h"
#include "parts/archive.h"

namespace assay {

// The curve of one model at the common sizes, for parts of the work (parts/archive.h).
struct CurveUnit {
  std::string name;
  Index dim = 0;  // 0: a learner
  LossCurve curve;
  double mean_updates = 0.0;  // of the probes
  Index not_converged = 0;    // probes
  std::vector<FileDigest> digests = {};
  Index probes = 0;
  Index resumed = 0;  // of them found in the journal
  std::vector<FinishedProbe> finished = {};
};

template <class Archive>
void fields(Archive& archive, ProbeOutcome& outcome) {
  auto& [loss, accuracy, updates, converged, l2, row_losses, row_right] = outcome;
  archive(loss, accuracy, updates, converged, l2, row_losses, row_right);
}

template <class Archive>
void fields(Archive& archive, FinishedProbe& probe) {
  auto& [seed, n, outcome] = probe;
  archive(seed, n, outcome);
}

template <class Archive>
void fields(Archive& archive, ProbeRun& run) {
  auto& [seed, n, loss, accuracy] = run;
  archive(seed, n, loss, accuracy);
}

template <class Archive>
void fields(Archive& archive, LossCurve& curve) {
  auto& [name, runs] = curve;
  archive(name, runs);
}

template <class Archive>
void fields(Archive& archive, CurveUnit& unit) {
  auto& [name, dim, curve, mean_updates, not_converged, digests, probes, resumed, finished] = unit;
  archive(name, dim, curve, mean_updates, not_converged, digests, probes, resumed, finished);
}

}  // namespace assay
