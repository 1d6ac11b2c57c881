#pragma once

#include "assay/truth.h"
#include "parts/archive.h"

namespace assay {

// What results of this room are made of, for parts of the work (parts/archive.h).

template <class Archive>
void fields(Archive& archive, MeasuredModel& model) {
  auto& [name, dim, train, test, accuracies, protocol] = model;
  archive(name, dim, train, test, accuracies, protocol);
}

}  // namespace assay
