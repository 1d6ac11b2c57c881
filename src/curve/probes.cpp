#include "curve/probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "assay/error.h"
#include "curve/choose_l2.h"
#include "learn/hits.h"
#include "learn/logistic.h"
#include "learn/row_space.h"
#include "linalg/cholesky.h"
#include "linalg/eigen.h"
#include "linalg/gram.h"

namespace assay {
namespace {

using NamedProbe = std::pair<std::string_view, ProbeKind>;
constexpr std::array<NamedProbe, 3> kProbes = {
    {{"linear", ProbeKind::linear}, {"mlp", ProbeKind::mlp}, {"ridge", ProbeKind::ridge}}};

// A linear map with intercept: outputs = weights' x + intercepts.
TrainedProbe linear_map(Matrix weights, Vector intercepts) {
  return {.outputs = [w = std::move(weights), b = std::move(intercepts)](const Matrix& samples) {
    Matrix out = product(w, true, samples, false);
    out.colwise() += b;
    return out;
  }};
}

std::vector<Index> ascending(std::span<const Index> rows) {
  std::vector<Index> sorted(rows.begin(), rows.end());
  std::ranges::sort(sorted);  // so that a set of rows gives one result, to the last digit
  return sorted;
}

std::vector<Label> of_rows(const std::vector<Label>& labels, const std::vector<Index>& rows) {
  std::vector<Label> out;
  if (labels.empty()) return out;
  for (const Index row : rows) out.push_back(labels[static_cast<std::size_t>(row)]);
  return out;
}

TrainedProbe train_linear(ThreadPool& pool, const ProbeData& data, std::span<const Index> rows,
                          std::optional<double> l2) {
  constexpr double tolerance = 1e-12;
  const std::vector<Index> sorted = ascending(rows);
  const std::vector<Label> labels = of_rows(data.train_labels, sorted);
  const RowSpace space = row_space(pool, data.train(Eigen::all, sorted));
  const LogisticProblem problem(pool, space.z, labels, data.classes);
  std::optional<LogisticFit> start;
  if (!l2) l2 = choose_logistic_l2(problem, space, labels, of_rows(data.groups, sorted), start);
  LogisticOptions options;
  options.beta = static_cast<double>(rows.size()) / *l2;
  options.tolerance = tolerance;
  const LogisticFit fit = problem.fit(options, start ? &*start : nullptr);
  const Matrix theta = product(space.basis, false, fit.weights, false);
  TrainedProbe out = linear_map(theta.topRows(theta.rows() - 1), theta.bottomRows(1).transpose());
  out.updates = fit.iterations;
  out.converged = fit.converged;
  out.l2 = l2;
  return out;
}

Matrix gram_of(ThreadPool& pool, const Matrix& x) {  // lower triangle of x x'
  Matrix gram = Matrix::Zero(x.rows(), x.rows());
  const GramUpdate<double> update{x.data(), x.cols(), &gram};
  add_to_grams(pool, std::span<const GramUpdate<double>>(&update, 1));
  return gram;
}

// (S + l2 I)^-1 b for S by its lower triangle.
Matrix solve_penalised(Matrix s, double l2, const Matrix& b) {
  s.diagonal().array() += l2;
  const std::optional<Matrix> factor = cholesky(std::move(s));
  if (!factor) fail_input("ridge: the penalty is too small for these features; raise `l2`");
  return factor->triangularView<Eigen::Lower>().transpose().solve(solve_lower(*factor, b));
}

// The normal equations on whichever side is smaller.
Matrix ridge_weights(ThreadPool& pool, const Matrix& x, const Matrix& y, double l2) {
  if (x.cols() > x.rows())
    return solve_penalised(gram_of(pool, x), l2, product(x, false, y, false));
  // The same by the kernel: X (X'X + l2 I)^-1 y.
  return product(x, false, solve_penalised(product(x, true, x, false), l2, y), false);
}

// The same by one decomposition, which all penalties that are tried share.
Matrix tuned_ridge_weights(ThreadPool& pool, const Matrix& x, const Matrix& y,
                           std::span<const Label> groups, double& l2) {
  const bool tall = x.cols() > x.rows();
  const SymmetricEigen eigen =
      symmetric_eigen(tall ? gram_of(pool, x) : product(x, true, x, false));
  const double cut = 1e-13 * std::max(0.0, eigen.values.maxCoeff());
  const Index r =
      std::count_if(eigen.values.begin(), eigen.values.end(), [&](double s) { return s > cut; });
  if (r == 0) return Matrix::Zero(x.rows(), y.cols());
  const Matrix vectors = eigen.vectors.rightCols(r);
  RidgeRows rows{.z = {}, .spectrum = eigen.values.tail(r), .projected = {}};
  rows.z = tall ? product(vectors, true, x, false)
                : Matrix(rows.spectrum.cwiseSqrt().asDiagonal() * vectors.transpose());
  rows.projected = product(rows.z, false, y, false);
  l2 = choose_ridge_l2(rows, y, groups);
  const Matrix inner =
      (rows.spectrum.array() + l2).inverse().matrix().asDiagonal() * rows.projected;
  if (tall) return product(vectors, false, inner, false);
  const Matrix unscaled = rows.spectrum.cwiseSqrt().cwiseInverse().asDiagonal() * inner;
  return product(x, false, product(vectors, false, unscaled, false), false);
}

// The intercept is free because samples and values are centred.
TrainedProbe train_ridge(ThreadPool& pool, const ProbeData& data, std::span<const Index> rows,
                         std::optional<double> l2) {
  constexpr double nothing_to_choose_by = 10.0;
  const std::vector<Index> sorted = ascending(rows);
  Matrix x = data.train(Eigen::all, sorted);
  Matrix y = data.train_values(sorted, Eigen::all);
  const Vector centre = x.rowwise().mean();
  const Eigen::RowVectorXd mean = y.colwise().mean();
  x.colwise() -= centre;
  y.rowwise() -= mean;
  double chosen = l2.value_or(nothing_to_choose_by);
  Matrix weights = l2 ? ridge_weights(pool, x, y, *l2)
                      : tuned_ridge_weights(pool, x, y, of_rows(data.groups, sorted), chosen);
  const Vector intercepts = mean.transpose() - weights.transpose() * centre;
  TrainedProbe out = linear_map(std::move(weights), intercepts);
  out.l2 = chosen;
  return out;
}

TrainedProbe train_network(const ProbeData& data, std::span<const Index> rows,
                           const MlpOptions& options, std::uint64_t seed) {
  auto fit = std::make_shared<const MlpFit>(
      train_mlp(data.train_float, data.train_labels, rows, data.classes, options, seed));
  const Index updates = fit->updates;
  return {.outputs =
              [fit](const Matrix& samples) {
                constexpr Index width = 256;
                Matrix out(fit->network.classes(), samples.cols());
                Mlp<float>::Workspace work;
                for (Index first = 0; first < samples.cols(); first += width) {
                  const Index count = std::min(width, samples.cols() - first);
                  const Eigen::MatrixXf part = samples.middleCols(first, count).cast<float>();
                  out.middleCols(first, count) = fit->network.logits(part, work).cast<double>();
                }
                return out;
              },
          .updates = updates};
}

}  // namespace

ProbeKind probe_named(std::string_view name) {
  const auto found = std::ranges::find(kProbes, name, &NamedProbe::first);
  if (found != kProbes.end()) return found->second;
  throw Error(ErrorCode::unknown,
              fmt::format("unknown probe '{}'; expected linear, mlp or ridge", name));
}

std::string_view probe_name(ProbeKind kind) {
  return std::ranges::find(kProbes, kind, &NamedProbe::second)->first;
}

TrainedProbe train_probe(ThreadPool& pool, const ProbeData& data, std::span<const Index> rows,
                         const ProbeSettings& settings, std::uint64_t seed) {
  switch (settings.kind) {
    case ProbeKind::linear:
      return train_linear(pool, data, rows, settings.l2);
    case ProbeKind::ridge:
      return train_ridge(pool, data, rows, settings.l2);
    case ProbeKind::mlp:
      break;
  }
  return train_network(data, rows, settings.mlp, seed);
}

Vector label_losses(const Matrix& logits, std::span<const Label> labels) {
  Vector out(logits.cols());
  for (Index i = 0; i < logits.cols(); ++i) {
    const double largest = logits.col(i).maxCoeff();
    const double sum = (logits.col(i).array() - largest).exp().sum();
    out[i] = std::log(sum) - (logits(labels[static_cast<std::size_t>(i)], i) - largest);
  }
  return out;
}

double accuracy_of(const Matrix& logits, std::span<const Label> labels) {
  return hits(logits, labels).mean();
}

ProbeOutcome run_probe(ThreadPool& pool, const ProbeData& data, std::span<const Index> rows,
                       const ProbeSettings& settings, std::uint64_t seed,
                       std::span<const Index> judges) {
  const TrainedProbe probe = train_probe(pool, data, rows, settings, seed);
  const Matrix outputs = judges.empty() ? probe.outputs(data.validation)
                                        : probe.outputs(data.train(Eigen::all, judges));
  ProbeOutcome out{.updates = probe.updates, .converged = probe.converged, .l2 = probe.l2};
  Vector losses;
  if (settings.kind == ProbeKind::ridge) {
    const Matrix values =
        judges.empty() ? data.validation_values : Matrix(data.train_values(judges, Eigen::all));
    losses =
        (outputs.transpose() - values).rowwise().squaredNorm() / static_cast<double>(values.cols());
  } else {
    const std::vector<Label> labels =
        judges.empty()
            ? data.validation_labels
            : of_rows(data.train_labels, std::vector<Index>(judges.begin(), judges.end()));
    losses = label_losses(outputs, labels);
    const Vector right = hits(outputs, labels);
    out.row_right.assign(right.begin(), right.end());
    out.accuracy = right.mean();
  }
  out.loss = losses.mean();
  const Eigen::VectorXf kept = losses.cast<float>();
  out.row_losses.assign(kept.begin(), kept.end());
  return out;
}

}  // namespace assay
