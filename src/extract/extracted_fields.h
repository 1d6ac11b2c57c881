#pragma once

#include "assay/extract.h"
#include "parts/archive.h"

namespace assay {

// What results of this room are made of, for parts of the work (parts/archive.h).

template <class Archive>
void fields(Archive& archive, ExtractedOutput& output) {
  auto& [name, shards, rows, dim] = output;
  archive(name, shards, rows, dim);
}

template <class Archive>
void fields(Archive& archive, ModelCost& cost) {
  auto& [latency_ms, params, bytes] = cost;
  archive(latency_ms, params, bytes);
}

template <class Archive>
void fields(Archive& archive, ExtractedModel& model) {
  auto& [name, outputs, probabilities, weights, cost, computed, seconds, rebuilt] = model;
  archive(name, outputs, probabilities, weights, cost, computed, seconds, rebuilt);
}

}  // namespace assay
