#include "metrics/ridge_loo.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "core/random.h"
#include "metrics/held_out.h"
#include "metrics/moments_of_samples.h"
#include "metrics/penalty_from_draw.h"
#include "metrics/real_targets.h"
#include "metrics/ridge_smoother.h"
#include "metrics/scattered_bytes.h"

namespace assay {
namespace {

constexpr std::array kPenalties = {1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0, 3.0, 10.0, 100.0};
constexpr Index kTile = 512;
constexpr std::size_t kStripe = std::size_t{32} * kTile;  // samples after which pages go back

// With this many samples the penalty is chosen by some of them first.
constexpr Index kManySamples = 4096;
constexpr Index kDrawn = 512;

// Float pays from here on, as for moments.
constexpr double kManyProducts = 5e8;
// What float products may change of a leverage or a prediction, as a share of it.
constexpr double kAllowedChange = 3e-5;

// What the samples of one tile leave.
struct Tally {
  double squares = 0.0;       // of the leave-one-out residuals
  double fitted = 0.0;        // of those of the fit to all samples
  std::vector<double> right;  // 1 or 0 for each
};

template <typename T>
class RidgeLoo {
 public:
  explicit RidgeLoo(RidgeSmoother<T>& smoother) : smoother_(smoother) {
    for (const double per_row : kPenalties)
      penalties_.push_back(per_row * static_cast<double>(smoother.count()));
  }

  Score score() {
    if (const std::optional<Score> score = score_by_draw()) return *score;
    return smoother_.streamed() ? score_by_survey() : score_by_all();
  }

 private:
  using Fit = typename RidgeSmoother<T>::Fit;

  // Bounds are taken with this much room for rounding.
  static constexpr double kSlack = std::is_same_v<T, float> ? 1e-3 : 1e-9;

  // Chooses the penalty from a draw of 512 samples if that is decisive (decision 0011). The exact
  // error is then needed for one penalty only, at half the cost.
  std::optional<Score> score_by_draw() {
    if (smoother_.count() < kManySamples || wants_held_out(smoother_.count(), smoother_.classes()))
      return std::nullopt;
    // The draw is no choice of the user's: the same samples give the same score.
    std::vector<Index> drawn = Random(1).permutation(smoother_.count());
    drawn.resize(static_cast<std::size_t>(kDrawn));
    if (smoother_.streamed()) std::sort(drawn.begin(), drawn.end());  // as they are read
    const typename RidgeSmoother<T>::Surveyed seen = smoother_.survey(drawn, penalties_);
    const std::optional<DrawnPenalty> choice =
        penalty_from_draw(seen.squares, seen.shares, seen.totals, smoother_.count());
    if (!choice) return std::nullopt;
    const auto k = static_cast<std::size_t>(choice->setting);
    const typename RidgeSmoother<T>::Block factor = smoother_.factor(penalties_[k]);
    if (factor.size() == 0) return std::nullopt;
    const Fit fit = smoother_.fit(penalties_[k]);
    Tally tally;
    add_tiles(every_sample(smoother_.count()), tally,
              [&](std::span<const Index> tile) { return smoother_.leave_out(fit, factor, tile); });
    if (!choice->consistent_with(tally.squares)) return std::nullopt;
    return score_of(k, std::move(tally));
  }

  Score score_by_all() const {
    const Matrix left = smoother_.shares_left(penalties_);
    std::array<double, kPenalties.size()> fitted{};    // squares of the fit to all
    std::array<double, kPenalties.size()> expected{};  // by the mean leverage
    for (std::size_t k = 0; k < kPenalties.size(); ++k) {
      fitted[k] = smoother_.residual_squares(penalties_[k]);
      expected[k] = fitted[k] / std::pow(left.row(static_cast<Index>(k)).mean(), 2);
    }
    std::array<std::size_t, kPenalties.size()> order{};
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return expected[a] < expected[b]; });
    std::size_t best = order.front();
    Tally winner = *errors(best, left, fitted[best], std::numeric_limits<double>::infinity());
    for (const std::size_t k : order) {
      if (k == order.front()) continue;
      std::optional<Tally> tally = errors(k, left, fitted[k], winner.squares);
      if (!tally || tally->squares > winner.squares ||
          (tally->squares == winner.squares && k > best)) {
        continue;
      }
      winner = std::move(*tally);
      best = k;
    }
    return score_of(best, std::move(winner));
  }

  // Where samples are not held and a draw does not decide: one pass finds every penalty's errors,
  // a second one the outcomes under the best. Nothing is kept per sample and penalty.
  Score score_by_survey() {
    std::array<double, kPenalties.size()> errors{};
    const std::vector<Index> all = every_sample(smoother_.count());
    for_stripes(all, [&](std::span<const Index> stripe) {
      const typename RidgeSmoother<T>::Surveyed seen = smoother_.survey(stripe, penalties_);
      for (std::size_t k = 0; k < kPenalties.size(); ++k) {
        const auto at = static_cast<Index>(k);
        errors[k] += seen.squares.row(at).cwiseQuotient(seen.shares.row(at).cwiseAbs2()).sum();
      }
    });
    const auto best =
        static_cast<std::size_t>(std::min_element(errors.begin(), errors.end()) - errors.begin());
    const typename RidgeSmoother<T>::Block factor = smoother_.factor(penalties_[best]);
    const Fit fit = smoother_.fit(penalties_[best]);
    Tally tally;
    add_tiles(all, tally, [&](std::span<const Index> tile) -> typename RidgeSmoother<T>::Leaving {
      if (factor.size() > 0) return smoother_.leave_out(fit, factor, tile);
      return {smoother_.residuals(fit, tile),
              smoother_.survey(tile, {&penalties_[best], 1}).shares.row(0).transpose()};
    });
    return score_of(best, std::move(tally));
  }

  Score score_of(std::size_t k, Tally tally) const {
    Score score;
    score.per_sample = std::move(tally.right);
    score.value = std::accumulate(score.per_sample.begin(), score.per_sample.end(), 0.0) /
                  static_cast<double>(smoother_.count());
    score.details = {{"penalty_per_row", kPenalties[k]}};
    // An error E of S changes w'(S + l)w by w'E w, a share |E w| / l at most.
    score.error = smoother_.rounding() / kPenalties[k];
    // A score for every sample and class is not for samples that are not held themselves.
    if (!smoother_.streamed() && wants_held_out(smoother_.count(), smoother_.classes()))
      score.held_out = held_out(k);
    return score;
  }

  // From the predictions for every class without each sample, y - residual / share.
  std::vector<double> held_out(std::size_t k) const {
    const std::vector<Index> all = every_sample(smoother_.count());
    const Vector shares = smoother_.shares_left({&penalties_[k], 1}).row(0).transpose();
    Matrix predicted = -smoother_.residuals(smoother_.fit(penalties_[k]), all);
    std::vector<Label> labels;
    for (const Index i : all) {
      predicted.col(i) /= shares[i];
      labels.push_back(smoother_.label(i));
      predicted(labels.back(), i) += 1.0;
    }
    return softmax_log_likelihood(predicted, labels);
  }

  // The leave-one-out errors under one penalty, given the shares left under each (penalties x n)
  // and the sum of squares of the fit to all; nothing when their squares must exceed `most`.
  //
  // Samples come with the largest share left first. What the others have still to add is at least
  // their residuals of the fit to all, whose sum is known, divided by the share of the next one:
  // most penalties are given up after the first few samples, or before.
  std::optional<Tally> errors(std::size_t k, const Matrix& shares, double fitted,
                              double most) const {
    const auto left = shares.row(static_cast<Index>(k));
    std::vector<Index> order = every_sample(smoother_.count());
    if (std::isfinite(most)) {
      std::stable_sort(order.begin(), order.end(),
                       [&](Index a, Index b) { return left[a] > left[b]; });
    }
    const auto hopeless = [&](const Tally& so_far, Index next) {
      const double rest = std::max(0.0, fitted - so_far.fitted);
      return (so_far.squares + rest / (left[next] * left[next])) * (1.0 - kSlack) > most;
    };
    Tally out;
    if (hopeless(out, order.front())) return std::nullopt;
    const Fit fit = smoother_.fit(penalties_[k]);
    const std::size_t step = std::isfinite(most) ? std::size_t{4 * kTile} : order.size();
    for (std::size_t first = 0; first < order.size(); first += step) {
      if (first > 0 && hopeless(out, order[first])) return std::nullopt;
      const auto some =
          std::span<const Index>(order).subspan(first, std::min(step, order.size() - first));
      add_tiles(some, out, [&](std::span<const Index> tile) {
        return typename RidgeSmoother<T>::Leaving{smoother_.residuals(fit, tile),
                                                  left(tile).transpose()};
      });
    }
    std::vector<double> right(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      right[static_cast<std::size_t>(order[i])] = out.right[i];
    out.right = std::move(right);
    return out;
  }

  // Samples that are not held come in stripes, after each of which their pages go back.
  template <typename Use>
  void for_stripes(std::span<const Index> chosen, const Use& use) const {
    const std::size_t step =
        smoother_.streamed() ? kStripe : std::max<std::size_t>(1, chosen.size());
    for (std::size_t first = 0; first < chosen.size(); first += step) {
      const auto stripe = chosen.subspan(first, std::min(step, chosen.size() - first));
      use(stripe);
      if (smoother_.streamed()) smoother_.release(stripe);
    }
  }

  // Adds what the chosen samples leave to `out`; leaving(tile) tells it of some of them.
  template <typename Leave>
  void add_tiles(std::span<const Index> all, Tally& out, const Leave& leaving) const {
    for_stripes(all, [&](std::span<const Index> stripe) { add_stripe(stripe, out, leaving); });
  }

  template <typename Leave>
  void add_stripe(std::span<const Index> chosen, Tally& out, const Leave& leaving) const {
    const auto count = static_cast<Index>(chosen.size());
    std::vector<Tally> tiles(static_cast<std::size_t>((count + kTile - 1) / kTile));
    smoother_.pool().run(std::ssize(tiles), [&](Index task) {
      const Index first = task * kTile;
      const auto tile = chosen.subspan(static_cast<std::size_t>(first),
                                       static_cast<std::size_t>(std::min(kTile, count - first)));
      const typename RidgeSmoother<T>::Leaving left = leaving(tile);
      for (Index i = 0; i < left.residuals.cols(); ++i)
        leave_one_out(tile[static_cast<std::size_t>(i)], left.residuals.col(i), left.shares[i],
                      tiles[static_cast<std::size_t>(task)]);
    });
    for (const Tally& tile : tiles) {
      out.squares += tile.squares;
      out.fitted += tile.fitted;
      out.right.insert(out.right.end(), tile.right.begin(), tile.right.end());
    }
  }

  void leave_one_out(Index sample, const Eigen::Ref<const Vector>& residuals, double left,
                     Tally& out) const {
    const Label own = smoother_.label(sample);
    double best = 0.0;
    Label winner = -1;
    for (Index c = 0; c < residuals.size(); ++c) {
      const double predicted = (c == own ? 1.0 : 0.0) - residuals[c] / left;
      if (winner < 0 || predicted > best) {
        best = predicted;
        winner = static_cast<Label>(c);
      }
    }
    const double square = residuals.squaredNorm();
    out.fitted += square;
    out.squares += square / (left * left);
    out.right.push_back(winner == own ? 1.0 : 0.0);
  }

  RidgeSmoother<T>& smoother_;
  std::vector<double> penalties_;
};

template <typename T, typename Features>
Score score_in(const Samples& samples, const Features& features) {
  RidgeSmoother<T> smoother(samples, features);
  return RidgeLoo<T>(smoother).score();
}

template <typename T>
Score score_streamed(const Samples& samples) {
  const bool exact = std::is_same_v<T, double>;
  const std::shared_ptr<const Moments> moments =
      moments_of(samples, exact ? Precision::double_products : Precision::float_products);
  RidgeSmoother<T> smoother(samples, *moments);
  return RidgeLoo<T>(smoother).score();
}

bool float_pays(const Samples& samples) {
  const auto n = static_cast<double>(samples.count());
  const auto dim = static_cast<double>(samples.dim());
  return samples.holds_floats() && n > dim && n * dim * dim > kManyProducts;
}

template <typename T>
Score score_as(const Samples& samples) {
  if (samples.streamed() != nullptr) return score_streamed<T>(samples);
  if constexpr (std::is_same_v<T, float>) {
    return score_in<float>(samples, *samples.floats());
  } else {
    return score_in<double>(samples, samples.features());
  }
}

}  // namespace

// The penalty l with the least E(l) = sum_i |r_i|^2 / (1 - 1/n - h_i)^2, the exact squared error
// without each sample (ridge_loo.h). Decision 0011 says when a draw of 512 samples chooses it.
Score ridge_loo(const Samples& samples) {
  if (samples.kind() != TargetKind::classes) return ridge_loo_of_numbers(samples);
  if (float_pays(samples)) {
    Score score = score_as<float>(samples);
    if (score.error <= kAllowedChange) return score;
  }
  return score_as<double>(samples);
}

Index ridge_loo_memory(const SampleSize& size) {
  const Index tile = kTile * (3 * size.dim + 2 * size.columns);
  constexpr Index targets = 20;  // the predictions of every penalty, and what finding them takes
  return Index{sizeof(double)} * (size.dim * (5 * size.dim + targets * size.columns) +
                                  size.threads * tile + kNumbersPerSample * size.rows) +
         scattered_bytes(size, kDrawn);
}

}  // namespace assay
