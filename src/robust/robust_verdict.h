#pragma once

#include <string>
#include <vector>

#include "assay/robust.h"

namespace assay {

// Where the verdict, the table of the page and its charts compare models: the smallest shift asked
// for that is one, at the first threshold. A single epsilon is taken as it is.
struct JudgedAt {
  double epsilon = 0.0;
  double threshold = 0.0;
};
JudgedAt judged_at(const SynbenchRequest& request);

// A model's score there, with half of its 95 % interval where that is known.
struct JudgedModel {
  std::string name;
  double value = 0.0;
  std::optional<double> half = {};
};

// Best first: the calibrated scores if every model with a score has one, else the measured ones.
// Models without a score are not in it.
struct JudgedModels {
  bool calibrated = false;
  std::vector<JudgedModel> models;
  // Of these, the names that the first is not shown to be above: differences against the root of
  // the summed squares of both errors, together at 95 % (Bonferroni).
  std::vector<std::string> not_separable;
};
JudgedModels judge_models(const SynbenchResult& result, const JudgedAt& at);

std::string robust_verdict(const SynbenchResult& result, const SynbenchRequest& request);

}  // namespace assay
