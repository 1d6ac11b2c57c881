#include "metrics/logme.h"

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "linalg/gram.h"
#include "linalg/resolvent.h"

namespace assay {
namespace {

constexpr std::array<std::pair<EvidenceCase, const char*>, 4> kFlags = {
    {{EvidenceCase::uninformative, "uninformative"},
     {EvidenceCase::interpolates, "interpolates"},
     {EvidenceCase::exact_fit, "exact_fit"},
     {EvidenceCase::skipped, "skipped_columns"}}};

std::vector<double> finite_shifts(const std::vector<EvidenceColumn>& columns) {
  std::vector<double> shifts;
  for (const EvidenceColumn& column : columns) {
    const bool usable = column.kind != EvidenceCase::skipped && std::isfinite(column.unit_t);
    shifts.push_back(usable ? column.unit_t : 1.0);
  }
  return shifts;
}

bool has_weights(const EvidenceColumn& column) {
  return column.kind != EvidenceCase::skipped && column.kind != EvidenceCase::uninformative;
}

Matrix read_columns(const RowSource& rows) {
  std::vector<Index> all(static_cast<std::size_t>(rows.rows()));
  std::iota(all.begin(), all.end(), 0);
  Matrix samples(rows.cols(), rows.rows());
  rows.read(all, samples.data());
  return samples;
}

void find_intercept(const Problem& problem, LogmeFit& fit) {
  const auto n = static_cast<double>(problem.count());
  const Vector target_mean = problem.target_sums() / n;
  fit.intercept = Vector::Zero(target_mean.size());
  if (problem.centered()) {
    fit.share = 1.0 / n;
    fit.intercept = target_mean - fit.weights.transpose() * fit.feature_mean;
  }
  for (std::size_t c = 0; c < fit.columns.size(); ++c) {
    if (fit.columns[c].kind == EvidenceCase::skipped)
      fit.intercept[static_cast<Index>(c)] = target_mean[static_cast<Index>(c)];
  }
}

}  // namespace

// You et al., JMLR 2022, Eq. 2: the mean over columns of the evidence at the maxima that
// maximize_evidence() found.
Score logme(const Problem& problem) {
  return logme_score(problem, maximize_evidence(problem.reduced(), problem.active()));
}

Score logme_score(const Problem& problem, const std::vector<EvidenceColumn>& columns) {
  Score score;
  double gain = 0.0;
  double theorem2 = 0.0;
  double counted = 0.0;
  for (const EvidenceColumn& column : columns) {
    const bool skipped = column.kind == EvidenceCase::skipped;
    score.columns.push_back(skipped ? std::numeric_limits<double>::quiet_NaN() : column.value);
    score.baselines.push_back(column.value - column.gain);
    if (skipped) continue;
    counted += 1.0;
    score.value += column.value;
    gain += column.gain;
    theorem2 += column.theorem2 ? 1.0 : 0.0;
  }
  score.value /= counted;
  score.error = float_error(problem.reduced(), columns);
  score.details = {{"gain", gain / counted}, {"columns", counted}, {"theorem2_columns", theorem2}};
  if (problem.reduced().ill_scaled) score.flags.emplace_back("ill_scaled");
  for (const auto& [kind, name] : kFlags) {
    double hits = 0.0;
    for (const EvidenceColumn& column : columns) hits += column.kind == kind ? 1.0 : 0.0;
    if (hits == 0.0) continue;
    score.flags.emplace_back(name);
    score.details.emplace_back(
        std::string(name) + (kind == EvidenceCase::skipped ? "" : "_columns"), hits);
  }
  return score;
}

LogmeFit fit_logme(const Problem& problem, const RowSource& rows) {
  LogmeFit fit;
  fit.reduced = problem.reduced();
  fit.columns = maximize_evidence(fit.reduced, problem.active());
  const std::vector<double> shifts = finite_shifts(fit.columns);
  // Primal: m = (G + tI)^-1 F'y. Dual: m = F'(K + tI)^-1 y, the same vector.
  Matrix solved = fit.reduced.tridiagonal.rotate_back(
      resolvent_solve(fit.reduced.tridiagonal, fit.reduced.projected, shifts));
  for (Index c = 0; c < solved.cols(); ++c) {
    if (!has_weights(fit.columns[static_cast<std::size_t>(c)])) solved.col(c).setZero();
  }
  if (fit.reduced.dual) {
    fit.feature_basis = read_columns(rows);
    if (problem.centered()) {
      fit.feature_mean = fit.feature_basis.rowwise().mean();
      fit.feature_basis.colwise() -= fit.feature_mean;
    }
    solved /= fit.reduced.unit;  // twice, as its square may pass the range of double
    fit.weights = product(fit.feature_basis, false, solved, false) / fit.reduced.unit;
  } else {
    fit.weights = solved / fit.reduced.unit;
    fit.feature_mean = fit.reduced.feature_mean;
  }
  find_intercept(problem, fit);
  return fit;
}

// f'A^-1 f = (1/beta) f'(G + tI)^-1 f, and on the dual side
// f'(G + tI)^-1 f = (f'f - k'(K + tI)^-1 k) / t with k = F f. An intercept adds its own variance,
// 1 / (n beta).
Prediction predict(const LogmeFit& fit, const Matrix& features) {
  Prediction out;
  out.mean = product(features, true, fit.weights, false).rowwise() + fit.intercept.transpose();
  out.variance.resize(features.cols(), fit.weights.cols());
  const double unit = fit.reduced.unit;
  Matrix scaled = features;
  if (fit.feature_mean.size() > 0) scaled.colwise() -= fit.feature_mean;
  scaled /= unit;
  const Matrix projected = fit.reduced.tridiagonal.rotate(
      fit.reduced.dual ? Matrix(product(fit.feature_basis, true, scaled, false) / unit) : scaled);
  const Vector norms = scaled.colwise().squaredNorm().transpose();
  for (Index c = 0; c < fit.weights.cols(); ++c) {
    const EvidenceColumn& column = fit.columns[static_cast<std::size_t>(c)];
    if (column.kind == EvidenceCase::skipped) {
      out.variance.col(c).setConstant(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const double noise = std::isinf(column.beta) ? 0.0 : 1.0 / column.beta;
    const double known = noise * (1.0 + fit.share);
    if (!has_weights(column)) {
      out.variance.col(c).setConstant(known);
      continue;
    }
    const double t = column.unit_t;
    const Vector phi =
        resolvent_forms(fit.reduced.tridiagonal, projected, {&t, 1}).row(0).transpose();
    // alpha stays finite where t -> 0 and beta -> infinity, so divide by it on the dual side.
    const Vector spread = fit.reduced.dual ? Vector((norms - phi).cwiseMax(0.0) / column.unit_alpha)
                                           : Vector(phi * noise);
    out.variance.col(c) = spread.array() + known;
  }
  return out;
}

}  // namespace assay
