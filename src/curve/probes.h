#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "assay/curve.h"
#include "assay/thread_pool.h"
#include "assay/types.h"
#include "learn/mlp.h"

namespace assay {

ProbeKind probe_named(std::string_view name);  // throws Error
std::string_view probe_name(ProbeKind kind);

// What probes of one representation train on and are judged by, features standardised per column.
// Without validation rows of their own they are judged by some of `train`.
struct ProbeData {
  Matrix train;            // D x N, one sample per column
  Matrix validation = {};  // D x V, or empty
  // Classes:
  std::vector<Label> train_labels = {};
  std::vector<Label> validation_labels = {};
  Index classes = 0;
  // Regression, n x C:
  Matrix train_values = {};
  Matrix validation_values = {};

  Eigen::MatrixXf train_float = {};  // `train` in float, for mlp
  std::vector<Label> groups =
      {};  // of the rows of `train`, which penalties are chosen by; or empty
};

// A probe that has learnt: its outputs for further samples (D x m) are logits, K x m, or predicted
// values, C x m.
struct TrainedProbe {
  std::function<Matrix(const Matrix& samples)> outputs;
  Index updates = 0;
  bool converged = true;
  std::optional<double> l2 = std::nullopt;
};

// Trains on these columns of `train`.
//
// linear: multinomial logistic regression, weights and intercept penalised by l2 / 2, solved to a
//         decrement of 1e-12 nats. Neither the order of the rows nor the seed matters.
// ridge:  least squares, half the squares + l2 / 2 |w|^2, intercept free; exact.
//         Both choose l2 themselves where there is none (choose_l2.h).
// mlp:    train_mlp, which `seed` starts.
//
// Classes without a row are predicted with little probability, not with none.
TrainedProbe train_probe(ThreadPool& pool, const ProbeData& data, std::span<const Index> rows,
                         const ProbeSettings& settings, std::uint64_t seed);

// -log p of each label in nats, from logits; finite for finite logits.
Vector label_losses(const Matrix& logits, std::span<const Label> labels);

// Share of labels that have the largest logit, ties broken by the first class.
double accuracy_of(const Matrix& logits, std::span<const Label> labels);

// train_probe, judged by these rows of `train`, or by all of `validation` where none are named.
ProbeOutcome run_probe(ThreadPool& pool, const ProbeData& data, std::span<const Index> rows,
                       const ProbeSettings& settings, std::uint64_t seed,
                       std::span<const Index> judges = {});

}  // namespace assay
