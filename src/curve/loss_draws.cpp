#include "curve/loss_draws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/random.h"
#include "linalg/gram.h"

namespace assay {
namespace {

constexpr Index kMostUnits = 4096;
constexpr double kNothingNew = 0.95;  // overlaps from here on say nothing about the spread

using Curve = std::map<Index, std::vector<const FinishedProbe*>>;  // by size, the seeds in order

std::vector<float> losses_of(const FinishedProbe& probe, bool errors) {
  if (!errors) return probe.outcome.row_losses;
  std::vector<float> out;
  for (const std::uint8_t right : probe.outcome.row_right) out.push_back(right != 0 ? 0.0F : 1.0F);
  return out;
}

// What the units add to one probe's loss, and the variance of that loss if units were drawn anew.
double add_contributions(const std::vector<float>& losses, const std::vector<Index>& rows,
                         const JudgeUnits& units, double weight, Eigen::Ref<Vector> out) {
  double mean = 0.0;
  for (const float loss : losses) mean += loss;
  mean /= static_cast<double>(losses.size());
  Vector own = Vector::Zero(units.count);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const Index row = rows.empty() ? static_cast<Index>(i) : rows[i];
    own[units.of_row[static_cast<std::size_t>(row)]] +=
        (losses[i] - mean) / static_cast<double>(losses.size());
  }
  out += weight * own;
  return own.squaredNorm();
}

// sigma(n)^2 = alpha n^-gamma: its values on a grid, and how plausible each is.
struct Spreads {
  std::vector<Vector> variances;  // K each
  std::vector<double> cumulated;  // posterior, the last 1
};

double overlap(const SeedCurves& curves, Index k) {
  const double share = static_cast<double>(curves.sizes[static_cast<std::size_t>(k)]) /
                       static_cast<double>(curves.pool);
  return share * share;
}

// Nested sizes tell partly the same: squares of neighbours correlate by the ratio of their sizes,
// so K of them are worth this share of as many independent ones.
double independence(const std::vector<Index>& sizes) {
  if (sizes.size() < 2) return 1.0;
  const double ratio =
      std::pow(static_cast<double>(sizes.front()) / static_cast<double>(sizes.back()),
               1.0 / static_cast<double>(sizes.size() - 1));
  return (1.0 - ratio) / (1.0 + ratio);
}

Spreads plausible_spreads(const SeedCurves& curves, const Vector& observed) {
  constexpr std::array decays = {0.0, 0.5, 1.0, 1.5, 2.0, 3.0};
  constexpr int scales = 60;  // a tenth of a decade apart
  const Index count = observed.size();
  const double degrees = static_cast<double>(curves.seeds() - 1);
  const double worth = independence(curves.sizes);
  const double middle = std::sqrt(static_cast<double>(curves.sizes.front()) *
                                  static_cast<double>(curves.sizes.back()));
  const double top = 30.0 * observed.maxCoeff();
  Spreads out;
  std::vector<double> evidence;
  for (const double decay : decays) {
    for (int scale = 0; scale < scales; ++scale) {
      const double alpha = top * std::pow(10.0, -0.1 * scale);
      Vector variances(count);
      double sum = 0.0;
      for (Index k = 0; k < count; ++k) {
        variances[k] =
            alpha *
            std::pow(static_cast<double>(curves.sizes[static_cast<std::size_t>(k)]) / middle,
                     -decay);
        const double rho = overlap(curves, k);
        if (rho > kNothingNew) continue;
        const double expected = variances[k] * (1.0 - rho) + curves.judged_variance[k];
        sum -= 0.5 * degrees * (std::log(expected) + observed[k] / expected);
      }
      out.variances.push_back(std::move(variances));
      evidence.push_back(sum * worth);
    }
  }
  const double most = *std::ranges::max_element(evidence);
  double total = 0.0;
  for (const double value : evidence) {
    total += std::exp(value - most);
    out.cumulated.push_back(total);
  }
  for (double& value : out.cumulated) value /= total;
  return out;
}

// S x K: the seeds' deviations in units of their spread at each size; where nothing differs, those
// of the nearest size at which something does.
Matrix directions_of(const SeedCurves& curves, const Vector& observed) {
  Matrix out = curves.losses.rowwise() - curves.losses.colwise().mean();
  Index last = -1;
  const auto degrees = static_cast<double>(curves.seeds() - 1);
  for (Index k = 0; k < out.cols(); ++k) {
    if (observed[k] > 0.0 && overlap(curves, k) <= kNothingNew) {
      out.col(k) /= std::sqrt(observed[k] * degrees);
      last = k;
    } else if (last >= 0) {
      out.col(k) = out.col(last);
    }
  }
  return out;
}

}  // namespace

JudgeUnits judge_units(Index rows, std::span<const Label> groups) {
  JudgeUnits out;
  out.of_row.resize(static_cast<std::size_t>(rows));
  for (Index row = 0; row < rows; ++row) {
    const auto at = static_cast<std::size_t>(row);
    out.of_row[at] = groups.empty() ? row : Index{groups[at]};
    out.count = std::max(out.count, out.of_row[at] + 1);
  }
  if (out.count <= kMostUnits) return out;
  for (Index& unit : out.of_row) {
    unit = static_cast<Index>(mixed_seed(0, static_cast<std::uint64_t>(unit)) %
                              static_cast<std::uint64_t>(kMostUnits));
  }
  out.count = kMostUnits;
  return out;
}

SeedCurves seed_curves(const std::vector<FinishedProbe>& probes,
                       const std::vector<std::vector<Index>>& held_out, const JudgeUnits& units,
                       Index pool, bool errors) {
  Curve by_size;
  for (const FinishedProbe& probe : probes) by_size[probe.n].push_back(&probe);
  const auto count = static_cast<Index>(by_size.size());
  const auto seeds = static_cast<Index>(by_size.begin()->second.size());
  SeedCurves out{.sizes = {},
                 .losses = Matrix(seeds, count),
                 .contributions = {},
                 .judged_variance = Vector::Zero(count),
                 .pool = pool};
  const bool known = !(errors ? probes.front().outcome.row_right.empty()
                              : probes.front().outcome.row_losses.empty());
  if (known) out.contributions = Matrix::Zero(units.count, count);
  Index k = 0;
  for (auto& [n, runs] : by_size) {
    std::ranges::sort(runs, {}, &FinishedProbe::seed);
    out.sizes.push_back(n);
    for (Index s = 0; s < seeds; ++s) {
      const FinishedProbe& probe = *runs[static_cast<std::size_t>(s)];
      out.losses(s, k) = errors ? 1.0 - probe.outcome.accuracy.value_or(0.0) : probe.outcome.loss;
      if (!known) continue;
      const std::vector<Index>& rows = held_out[static_cast<std::size_t>(probe.seed)];
      const double variance =
          add_contributions(losses_of(probe, errors), rows, units, 1.0 / static_cast<double>(seeds),
                            out.contributions.col(k));
      // Two seeds share as many rows as chance has it: the rest is each one's own.
      const double own = 1.0 - static_cast<double>(rows.size()) / static_cast<double>(pool);
      if (!rows.empty()) out.judged_variance[k] += own * variance / static_cast<double>(seeds);
    }
    ++k;
  }
  return out;
}

SeedCurves merged(const SeedCurves& first, const SeedCurves& second) {
  std::map<Index, std::pair<const SeedCurves*, Index>> from;  // by size: whose column
  for (const SeedCurves* curves : {&first, &second}) {
    for (std::size_t k = 0; k < curves->sizes.size(); ++k)
      from.try_emplace(curves->sizes[k], curves, static_cast<Index>(k));
  }
  const auto count = static_cast<Index>(from.size());
  SeedCurves out{.sizes = {},
                 .losses = Matrix(first.seeds(), count),
                 .contributions = Matrix(first.contributions.rows(), count),
                 .judged_variance = Vector(count),
                 .pool = first.pool};
  for (const auto& [n, column] : from) {
    const auto k = static_cast<Index>(out.sizes.size());
    out.sizes.push_back(n);
    out.losses.col(k) = column.first->losses.col(column.second);
    out.contributions.col(k) = column.first->contributions.col(column.second);
    out.judged_variance[k] = column.first->judged_variance[column.second];
  }
  return out;
}

Multipliers draw_multipliers(Index draws, Index units, Index seeds, std::uint64_t seed) {
  Random random(seed);
  const auto normal = [&] { return random.normal(); };
  Multipliers out;
  out.units = Matrix::NullaryExpr(draws, units, normal);
  out.seeds = Matrix::NullaryExpr(draws, seeds, normal);
  out.spread = Vector::NullaryExpr(draws, [&] { return random.uniform(); });
  return out;
}

Matrix loss_draws(const SeedCurves& curves, const Multipliers& multipliers) {
  const Index draws = multipliers.spread.size();
  const auto seeds = static_cast<double>(curves.seeds());
  const double least = std::min(0.0, curves.losses.minCoeff());  // learners may go below 0
  Matrix out = curves.mean().transpose().replicate(draws, 1);
  if (curves.contributions.rows() > 1) {
    const auto units = static_cast<double>(curves.contributions.rows());
    out += std::sqrt(units / (units - 1.0)) *
           product(multipliers.units, false, curves.contributions, false);
  }
  if (curves.seeds() < 2) return out.cwiseMax(least);
  const Matrix deviations = curves.losses.rowwise() - curves.losses.colwise().mean();
  const Vector observed = deviations.colwise().squaredNorm().transpose() / (seeds - 1.0);
  if (!(observed.maxCoeff() > 0.0)) return out.cwiseMax(least);
  const Spreads spreads = plausible_spreads(curves, observed);
  const Matrix directions =
      product(multipliers.seeds, false, directions_of(curves, observed), false);
  for (Index b = 0; b < draws; ++b) {
    const auto cell = std::ranges::lower_bound(spreads.cumulated, multipliers.spread[b]) -
                      spreads.cumulated.begin();
    const Vector& variances =
        spreads.variances[std::min(static_cast<std::size_t>(cell), spreads.variances.size() - 1)];
    for (Index k = 0; k < out.cols(); ++k) {
      const double rho = overlap(curves, k);
      out(b, k) += std::sqrt(variances[k] * (rho + (1.0 - rho) / seeds)) * directions(b, k);
    }
  }
  return out.cwiseMax(least);
}

}  // namespace assay
