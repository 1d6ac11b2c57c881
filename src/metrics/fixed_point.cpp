#include "metrics/fixed_point.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "linalg/resolvent.h"

namespace assay {
namespace {

constexpr double kMargin = 100.0;  // beyond the outermost fixed points

// Of t / unit^2: around the fixed points of these columns, or around the spectrum without any.
std::pair<double, double> fixed_point_range(const Reduced& reduced,
                                            const std::vector<FixedPointCurve>& columns) {
  double low = std::numeric_limits<double>::infinity();
  double high = 0.0;
  for (const FixedPointCurve& column : columns) {
    if (!std::isfinite(column.t) || column.t <= 0.0) continue;
    low = std::min(low, column.t);
    high = std::max(high, column.t);
  }
  if (high > 0.0) return {low / kMargin, high * kMargin};
  const double largest = reduced.tridiagonal.eigenvalues.tail(1)[0];
  const double middle = (largest > 0.0 ? largest : 1.0) * reduced.unit * reduced.unit;
  return {middle / kMargin, middle * kMargin};
}

std::vector<double> log_spaced(std::pair<double, double> range, Index points) {
  const double step = std::log(range.second / range.first) / static_cast<double>(points - 1);
  std::vector<double> out;
  for (Index k = 0; k < points; ++k)
    out.push_back(range.first * std::exp(step * static_cast<double>(k)));
  return out;
}

// gamma / (n - gamma). The eigenvalues cut off are zero and add t / (t + 0) = 1 to n - gamma, which
// is summed as it stands: nothing cancels when the features nearly fit everything.
double determined_odds(const Reduced& reduced, double t) {
  double determined = 0.0;
  double rest = static_cast<double>(reduced.count - reduced.rank);
  for (const double s : reduced.tridiagonal.eigenvalues.tail(reduced.rank)) {
    determined += s / (t + s);
    rest += t / (t + s);
  }
  return determined / rest;
}

// By the envelope theorem q'(t) = m'm, and q = |Fm - y|^2 + t m'm.
double iterated(const Reduced& reduced, Index column, double t, double odds, double phi,
                double slope) {
  const double square = reduced.target_square[column];
  const double q = reduced.dual ? t * phi : square - phi;
  const double weights = reduced.dual ? phi + t * slope : -slope;
  const double misfit = q - t * weights;
  if (!(weights > 0.0) || !(misfit > 0.0)) return std::numeric_limits<double>::quiet_NaN();
  return odds * misfit / weights;
}

}  // namespace

// f(t) of LogME, Eq. 3 and 4 (You et al., JMLR 2022): alpha' / beta' after one step of the paper's
// iteration from t. Where f(t) = t the iteration rests (the paper's Figure 4).
FixedPointCurves fixed_point_curves(const Reduced& reduced, const std::vector<bool>& active,
                                    Index most, Index points) {
  FixedPointCurves out;
  const std::vector<EvidenceColumn> best = maximize_evidence(reduced, active);
  for (std::size_t c = 0; c < active.size() && std::ssize(out.columns) < most; ++c) {
    if (active[c]) out.columns.push_back({static_cast<Index>(c), best[c].kind, best[c].t, {}});
  }
  if (out.columns.empty() || reduced.rank == 0) return {};
  out.t = log_spaced(fixed_point_range(reduced, out.columns), points);
  const double square = reduced.unit * reduced.unit;
  const Index p = reduced.tridiagonal.size();
  std::vector<double> b(static_cast<std::size_t>(p * kLanes));
  for (std::size_t first = 0; first < out.columns.size(); first += kLanes) {
    const std::size_t count = std::min<std::size_t>(kLanes, out.columns.size() - first);
    for (std::size_t k = 0; k < kLanes; ++k) {
      const Index column = out.columns[first + std::min(k, count - 1)].column;
      for (Index i = 0; i < p; ++i)
        b[static_cast<std::size_t>(i * kLanes) + k] = reduced.projected(i, column);
    }
    for (const double t : out.t) {
      Lanes shifts;
      shifts.fill(t / square);
      const ResolventLanes phi = resolvent_derivatives(reduced.tridiagonal, b, shifts);
      const double odds = determined_odds(reduced, shifts[0]);
      for (std::size_t k = 0; k < count; ++k) {
        FixedPointCurve& curve = out.columns[first + k];
        curve.f.push_back(
            square * iterated(reduced, curve.column, shifts[k], odds, phi.value[k], phi.first[k]));
      }
    }
  }
  return out;
}

std::string_view evidence_case_name(EvidenceCase kind) {
  switch (kind) {
    case EvidenceCase::interior:
      return "interior";
    case EvidenceCase::uninformative:
      return "uninformative";
    case EvidenceCase::interpolates:
      return "interpolates";
    case EvidenceCase::exact_fit:
      return "exact_fit";
    case EvidenceCase::skipped:
      break;
  }
  return "skipped";
}

}  // namespace assay
