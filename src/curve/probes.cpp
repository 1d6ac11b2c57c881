#include "curve/probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "assay/error.h"
#include "learn/hits.h"
#include "learn/logistic.h"
#include "learn/row_space.h"
#include "linalg/cholesky.h"
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

TrainedProbe train_linear(ThreadPool& pool, const ProbeData& data, std::span<const Index> rows,
                          double l2) {
  constexpr double tolerance = 1e-12;
  const std::vector<Index> sorted = ascending(rows);
  std::vector<Label> labels;
  for (const Index row : sorted) labels.push_back(data.train_labels[static_cast<std::size_t>(row)]);
  const RowSpace space = row_space(pool, data.train(Eigen::all, sorted));
  const LogisticProblem problem(pool, space.z, std::move(labels), data.classes);
  LogisticOptions options;
  options.beta = static_cast<double>(rows.size()) / l2;
  options.tolerance = tolerance;
  const LogisticFit fit = problem.fit(options);
  const Matrix theta = product(space.basis, false, fit.weights, false);
  TrainedProbe out = linear_map(theta.topRows(theta.rows() - 1), theta.bottomRows(1).transpose());
  out.updates = fit.iterations;
  out.converged = fit.converged;
  return out;
}

// (S + l2 I)^-1 b for S by its lower triangle.
Matrix solve_penalised(Matrix s, double l2, const Matrix& b) {
  s.diagonal().array() += l2;
  const std::optional<Matrix> factor = cholesky(std::move(s));
  if (!factor) fail_input("ridge: the penalty is too small for these features; raise `l2`");
  return factor->triangularView<Eigen::Lower>().transpose().solve(solve_lower(*factor, b));
}

// The normal equations on whichever side is smaller; the intercept is free because both sides are
// centred.
TrainedProbe train_ridge(ThreadPool& pool, const ProbeData& data, std::span<const Index> rows,
                         double l2) {
  const std::vector<Index> sorted = ascending(rows);
  Matrix x = data.train(Eigen::all, sorted);
  Matrix y = data.train_values(sorted, Eigen::all);
  const Vector centre = x.rowwise().mean();
  const Eigen::RowVectorXd mean = y.colwise().mean();
  x.colwise() -= centre;
  y.rowwise() -= mean;
  Matrix weights;
  if (x.cols() > x.rows()) {
    Matrix gram = Matrix::Zero(x.rows(), x.rows());
    const GramUpdate<double> update{x.data(), x.cols(), &gram};
    add_to_grams(pool, std::span<const GramUpdate<double>>(&update, 1));
    weights = solve_penalised(std::move(gram), l2, product(x, false, y, false));
  } else {  // the same by the kernel: X (X'X + l2 I)^-1 y
    weights = product(x, false, solve_penalised(product(x, true, x, false), l2, y), false);
  }
  const Vector intercepts = mean.transpose() - weights.transpose() * centre;
  return linear_map(std::move(weights), intercepts);
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
                       const ProbeSettings& settings, std::uint64_t seed) {
  const TrainedProbe probe = train_probe(pool, data, rows, settings, seed);
  const Matrix outputs = probe.outputs(data.validation);
  ProbeOutcome out{.updates = probe.updates, .converged = probe.converged};
  if (settings.kind == ProbeKind::ridge) {
    out.loss = (outputs.transpose() - data.validation_values).squaredNorm() /
               static_cast<double>(outputs.size());
    return out;
  }
  out.loss = label_losses(outputs, data.validation_labels).mean();
  out.accuracy = accuracy_of(outputs, data.validation_labels);
  return out;
}

}  // namespace assay
