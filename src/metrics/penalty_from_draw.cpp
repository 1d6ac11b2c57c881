#include "metrics/penalty_from_draw.h"

#include <cmath>

namespace assay {
namespace {

constexpr double kStandardErrors = 8.0;
// The number of equal samples that sums must be worth.
constexpr double kFewestThatCount = 50.0;
// Differences smaller than this share of an error may come from float products.
constexpr double kSmallest = 1e-4;

}  // namespace

bool DrawnPenalty::consistent_with(double measured) const {
  return std::abs(measured - error) <= kStandardErrors * deviation + kSmallest * error;
}

// Decision 0011, steps 1 and 2: `estimates` are ratio estimators, `deviation` is their standard
// error to first order for a draw from a finite population (Cochran, Sampling Techniques, ch. 6).
std::optional<DrawnPenalty> penalty_from_draw(const Matrix& squares, const Matrix& shares,
                                              const Vector& totals, Index population) {
  const auto drawn = static_cast<double>(squares.cols());
  const Matrix errors = squares.cwiseQuotient(shares.cwiseAbs2());
  const Vector sums = squares.rowwise().sum();
  if (!(sums.minCoeff() > 0.0)) return std::nullopt;
  const Vector ratio = errors.rowwise().sum().cwiseQuotient(sums);
  const Vector estimates = ratio.cwiseProduct(totals);

  // What each sample moves the estimate by, to first order; the rows sum to zero.
  const Vector weight = totals.cwiseQuotient(sums);
  const Matrix moves = weight.asDiagonal() * (errors - ratio.asDiagonal() * squares);
  const double unseen = 1.0 - drawn / static_cast<double>(population);
  const auto deviation = [&](const auto& move) {
    return std::sqrt(move.squaredNorm() * unseen * drawn / (drawn - 1.0));
  };

  // Where a few samples make up most of a sum, the others say nothing of its spread.
  for (const Matrix* parts : {&squares, &errors}) {
    for (Index k = 0; k < parts->rows(); ++k) {
      const double sum = parts->row(k).sum();
      if (sum * sum < kFewestThatCount * parts->row(k).squaredNorm()) return std::nullopt;
    }
  }
  // The draw's squares must be what all of them are, as far as chance goes: or it holds none of the
  // few samples (of a rare class) that all errors come from.
  for (Index k = 0; k < sums.size(); ++k) {
    const double expected = totals[k] / static_cast<double>(population);
    const double found = sums[k] / drawn;
    const double spread = (squares.row(k).array() - found).matrix().norm() / drawn;
    if (std::abs(found - expected) > kStandardErrors * spread + kSmallest * expected)
      return std::nullopt;
  }

  DrawnPenalty best;
  best.error = estimates.minCoeff(&best.setting);
  best.deviation = deviation(moves.row(best.setting));
  for (Index k = 0; k < estimates.size(); ++k) {
    if (k == best.setting) continue;
    const double margin = kStandardErrors * deviation(moves.row(k) - moves.row(best.setting));
    if (estimates[k] - best.error <= margin + kSmallest * best.error) return std::nullopt;
  }
  return best;
}

}  // namespace assay
