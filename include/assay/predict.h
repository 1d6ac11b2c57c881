#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/logme.h"
#include "assay/rows.h"
#include "assay/targets.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

struct PredictRequest {
  std::filesystem::path features;      // to predict for
  std::filesystem::path fit_features;  // to fit on
  std::filesystem::path labels;        // of the features to fit on
  std::filesystem::path test_labels;   // empty, or the labels of the features to predict for
  std::filesystem::path anchors;       // empty, or embeddings to compare the rows of m with
  std::filesystem::path words;         // empty, or their names, one a line
  // About the means of features and targets; none: numbers and several labels per sample are.
  std::optional<bool> center;
  Index nearest = 5;  // of them to list
  Index memory_limit = 0;
};

// A row of a vocabulary beside the posterior mean m of a column: where in the space of features the
// column's own direction points. (The LogME paper reads m as the embedding of an anchor word.)
struct Anchor {
  Index row = 0;
  double cosine = 0.0;
};

// How right predictions are, where somebody knows. Classes: accuracy; several labels per sample:
// mean average precision; numbers: R2, mean over columns, against the mean of the rows predicted.
struct PredictionQuality {
  double value = 0.0;
  std::optional<double> standard_error = {};  // binomial, of an accuracy
  double chance = 0.0;                        // of what knows no features
  Index rows = 0;
};

struct PredictResult {
  TargetKind kind = TargetKind::classes;
  std::vector<std::string> columns;  // class ids or target names
  Prediction prediction;             // one row per sample
  std::vector<Index> best;           // classes: the column with the largest mean, per sample
  std::vector<std::vector<Anchor>> anchors;  // per column, nearest first; empty: not asked for
  std::vector<std::string> words;            // of the anchors, where they are named
  // Per column, what its numbers do not know: "uninformative" (the features say nothing about it),
  // "interpolates", "exact_fit", "constant" (it did not vary: no spread is known); "": nothing.
  std::vector<std::string> flags;
  bool centered = false;
  std::optional<PredictionQuality> quality;
};

// Block by block: the features are never held whole. Throws Error when their dimension is another.
PredictResult predict_rows(ThreadPool& pool, const FittedFeatures& fitted, const RowSource& rows);

// LogME's posterior predictive distribution, no training: fits the Bayesian linear
// regression behind LogME on one set of features and predicts for another.
PredictResult predict_features(ThreadPool& pool, const PredictRequest& request);

}  // namespace assay
