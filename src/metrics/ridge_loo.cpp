#include "assay/metrics/ridge_loo.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "assay/learn/standardize.h"
#include "assay/linalg/gram.h"
#include "assay/linalg/resolvent.h"
#include "assay/linalg/row_rotation.h"

namespace assay {
namespace {

constexpr std::array kPenalties = {1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0, 3.0, 10.0, 100.0};
constexpr Index kTile = 512;

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

// With S = Z Z' (primal, D x D, Z the standardised samples as columns) or Z'Z (dual, n x n), both
// reduced to Q T Q', the smoother is primal Z'(S + l)^-1 Z, dual I - l (S + l)^-1: of the same
// form in the rotated rows q_i = z_i'Q or e_i'Q.
template <typename T>
class Smoother {
 public:
  using Block = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  Smoother(const Samples& samples, const Eigen::Ref<const Block>& features)
      : samples_(samples),
        features_(features),
        n_(samples.count()),
        dual_(samples.count() <= samples.dim()),
        standard_(fit_standardizer(features)) {
    t_ = tridiagonalize(dual_ ? kernel() : gram(), false);
    right_side_ = t_.rotate(dual_ ? centered_targets() : class_sums());
    find_leverages();
  }

  Score score() const {
    std::array<double, kPenalties.size()> residuals{};
    std::array<double, kPenalties.size()> expected{};  // by the mean leverage
    for (std::size_t k = 0; k < kPenalties.size(); ++k) {
      residuals[k] = residual_squares(penalty(k));
      expected[k] = residuals[k] / std::pow(left_.row(static_cast<Index>(k)).mean(), 2);
    }
    std::array<std::size_t, kPenalties.size()> order{};
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return expected[a] < expected[b]; });
    std::size_t best = order.front();
    Tally winner = *errors(best, residuals[best], std::numeric_limits<double>::infinity());
    for (const std::size_t k : order) {
      if (k == order.front()) continue;
      std::optional<Tally> tally = errors(k, residuals[k], winner.squares);
      if (!tally || tally->squares > winner.squares ||
          (tally->squares == winner.squares && k > best)) {
        continue;
      }
      winner = std::move(*tally);
      best = k;
    }
    Score score;
    score.per_sample = std::move(winner.right);
    score.value = std::accumulate(score.per_sample.begin(), score.per_sample.end(), 0.0) /
                  static_cast<double>(n_);
    score.details = {{"penalty_per_row", kPenalties[best]}};
    // An error E of S changes w'(S + l)w by w'E w, a share |E w| / l at most.
    score.error = rounding_ / kPenalties[best];
    return score;
  }

 private:
  struct Weights {
    Matrix exact;  // p x C
    Block rough;
  };

  // Bounds are taken with this much room for rounding.
  static constexpr double kSlack = std::is_same_v<T, float> ? 1e-3 : 1e-9;

  double penalty(std::size_t k) const { return kPenalties[k] * static_cast<double>(n_); }

  // The chosen samples as columns, standardised. Tiles keep their memory: fresh pages for each
  // would cost as much as the work on them.
  void standardize(std::span<const Index> chosen, Block& out) const {
    out.resize(features_.rows(), static_cast<Index>(chosen.size()));
    for (Index i = 0; i < out.cols(); ++i) {
      out.col(i) = (features_.col(chosen[static_cast<std::size_t>(i)]).template cast<double>() -
                    standard_.mean)
                       .cwiseProduct(standard_.factor)
                       .template cast<T>();
    }
  }

  Block standardized() const {
    Block out;
    standardize(everyone(), out);
    return out;
  }

  std::vector<Index> everyone() const {
    std::vector<Index> all(static_cast<std::size_t>(n_));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  Matrix kernel() const {
    const Matrix rows = standardized().transpose().template cast<double>();
    Matrix out = Matrix::Zero(n_, n_);
    const GramUpdate<double> update{rows.data(), rows.cols(), &out};
    add_to_grams(samples_.pool(), std::span<const GramUpdate<double>>(&update, 1));
    return out;
  }

  Matrix gram() {
    const Moments* moments = std::is_same_v<T, float> ? samples_.moments() : nullptr;
    if (moments != nullptr && moments->scale == 1.0) {
      rounding_ = moments->product_rounding;
      Matrix out = second_moments(*moments, true).gram;
      for (Index j = 0; j < out.cols(); ++j)
        out.col(j) = out.col(j).cwiseProduct(standard_.factor) * standard_.factor[j];
      return out;
    }
    const Block z = standardized();
    Matrix out = Matrix::Zero(z.rows(), z.rows());
    const GramUpdate<T> update{z.data(), n_, &out};
    add_to_grams(samples_.pool(), std::span<const GramUpdate<T>>(&update, 1));
    if (std::is_same_v<T, float>) {
      rounding_ = 2.0 * 0x1.0p-24 * std::sqrt(512.0 / static_cast<double>(n_));
      // All terms positive: where float sums err most, and known without them.
      for (Index j = 0; j < out.cols(); ++j)
        out(j, j) = standard_.factor[j] > 0.0 ? static_cast<double>(n_) : 0.0;
    }
    return out;
  }

  // Z'(Y - ybar): centred features need no centred targets.
  Matrix class_sums() const {
    Matrix sums = Matrix::Zero(features_.rows(), samples_.classes());
    for (Index i = 0; i < n_; ++i)
      sums.col(label(i)) += features_.col(i).template cast<double>() - standard_.mean;
    return standard_.factor.asDiagonal() * sums;
  }

  Matrix centered_targets() const {
    Matrix y(n_, samples_.classes());
    for (Index c = 0; c < y.cols(); ++c) y.col(c).setConstant(-share(c));
    for (Index i = 0; i < n_; ++i) y(i, label(i)) += 1.0;
    return y;
  }

  Label label(Index i) const { return samples_.labels()[static_cast<std::size_t>(i)]; }

  double share(Index c) const {
    return static_cast<double>(samples_.counts()[static_cast<std::size_t>(c)]) /
           static_cast<double>(n_);
  }

  // 1 - 1/n - h_i for every penalty and sample, on the dual side with h_i = 1 - l q_i(T + l)^-1
  // q_i.
  void find_leverages() {
    std::vector<double> shifts;
    for (std::size_t k = 0; k < kPenalties.size(); ++k) shifts.push_back(penalty(k));
    left_.resize(static_cast<Index>(shifts.size()), n_);
    const RowRotation<T> rotation(t_);
    const std::vector<Index> all = everyone();
    for_tiles(all, [&](Index first, std::span<const Index> tile) {
      thread_local Block columns;
      thread_local Block rows;
      const auto count = static_cast<Index>(tile.size());
      if (dual_) {
        rows.setZero(count, n_);
        rows.middleCols(first, count).setIdentity();
      } else {
        standardize(tile, columns);
        rows = columns.transpose();
      }
      rotation.apply(rows);
      left_.middleCols(first, count) = resolvent_forms_of_rows<T>(t_, rows, shifts);
    });
    const double base = 1.0 - 1.0 / static_cast<double>(n_);
    for (std::size_t k = 0; k < shifts.size(); ++k) {
      auto row = left_.row(static_cast<Index>(k)).array();
      if (dual_) {
        row = shifts[k] * row - (1.0 - base);
      } else {
        row = base - row;
      }
    }
    // Rounding must not let a sample that is fitted exactly decide by its sign.
    left_ = left_.cwiseMax(1e-12);
  }

  Matrix solved(double l) const {
    const std::vector<double> shifts(static_cast<std::size_t>(right_side_.cols()), l);
    return resolvent_solve(t_, right_side_, shifts);
  }

  // The leave-one-out errors under one penalty; nothing when their squares must exceed `most`.
  //
  // Samples come with the largest share left first. What the others have still to add is at least
  // their residuals of the fit to all, whose sum is known, divided by the share of the next one:
  // most penalties are given up after the first few samples, or before.
  std::optional<Tally> errors(std::size_t k, double residuals, double most) const {
    const auto left = left_.row(static_cast<Index>(k));
    std::vector<Index> order = everyone();
    if (std::isfinite(most)) {
      std::stable_sort(order.begin(), order.end(),
                       [&](Index a, Index b) { return left[a] > left[b]; });
    }
    const auto hopeless = [&](const Tally& so_far, Index next) {
      const double rest = std::max(0.0, residuals - so_far.fitted);
      return (so_far.squares + rest / (left[next] * left[next])) * (1.0 - kSlack) > most;
    };
    Tally out;
    if (hopeless(out, order.front())) return std::nullopt;
    const Matrix exact = t_.rotate_back(solved(penalty(k)));
    const Weights weights{exact, exact.template cast<T>()};
    const std::size_t step = std::isfinite(most) ? std::size_t{4 * kTile} : order.size();
    for (std::size_t first = 0; first < order.size(); first += step) {
      if (first > 0 && hopeless(out, order[first])) return std::nullopt;
      leave_out(k, weights,
                std::span<const Index>(order).subspan(first, std::min(step, order.size() - first)),
                out);
    }
    std::vector<double> right(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      right[static_cast<std::size_t>(order[i])] = out.right[i];
    out.right = std::move(right);
    return out;
  }

  // Sum of squares of Y - ybar minus its fit: with x = (T + l)^-1 b, primal |y|^2 - b'x - l |x|^2,
  // dual l^2 |x|^2.
  double residual_squares(double l) const {
    const Matrix x = solved(l);
    if (dual_) return l * l * x.squaredNorm();
    double targets = 0.0;
    for (Index c = 0; c < samples_.classes(); ++c)
      targets += share(c) * (1.0 - share(c)) * static_cast<double>(n_);
    return std::max(0.0, targets - right_side_.cwiseProduct(x).sum() - l * x.squaredNorm());
  }

  // Adds what the chosen samples leave to `out`.
  void leave_out(std::size_t k, const Weights& weights, std::span<const Index> chosen,
                 Tally& out) const {
    std::vector<Tally> tiles((chosen.size() + kTile - 1) / kTile);
    for_tiles(chosen, [&](Index first, std::span<const Index> tile) {
      Matrix residuals;  // C x tile, of the fit to all samples
      if (dual_) {
        residuals = penalty(k) * weights.exact(tile, Eigen::all).transpose();
      } else {
        thread_local Block columns;
        standardize(tile, columns);
        residuals = -product(weights.rough, true, columns, false).template cast<double>();
        for (Index i = 0; i < residuals.cols(); ++i)
          residuals(label(tile[static_cast<std::size_t>(i)]), i) += 1.0;
        for (Index c = 0; c < residuals.rows(); ++c) residuals.row(c).array() -= share(c);
      }
      for (Index i = 0; i < residuals.cols(); ++i)
        leave_one_out(k, tile[static_cast<std::size_t>(i)], residuals.col(i),
                      tiles[static_cast<std::size_t>(first / kTile)]);
    });
    for (const Tally& tile : tiles) {
      out.squares += tile.squares;
      out.fitted += tile.fitted;
      out.right.insert(out.right.end(), tile.right.begin(), tile.right.end());
    }
  }

  void leave_one_out(std::size_t k, Index sample, const Vector& residuals, Tally& out) const {
    const Label own = label(sample);
    const double left = left_(static_cast<Index>(k), sample);
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

  template <typename Work>
  void for_tiles(std::span<const Index> chosen, const Work& work) const {
    const auto count = static_cast<Index>(chosen.size());
    samples_.pool().run((count + kTile - 1) / kTile, [&](Index task) {
      const Index first = task * kTile;
      work(first, chosen.subspan(static_cast<std::size_t>(first),
                                 static_cast<std::size_t>(std::min(kTile, count - first))));
    });
  }

  const Samples& samples_;
  Eigen::Ref<const Block> features_;  // D x n
  Index n_;
  bool dual_;
  Standardizer standard_;
  double rounding_ = 0.0;  // of the products in S, relative to n
  Tridiagonal t_;
  Matrix right_side_;  // p x C
  Matrix left_;        // penalties x n
};

bool float_pays(const Samples& samples) {
  const auto n = static_cast<double>(samples.count());
  const auto dim = static_cast<double>(samples.dim());
  return samples.floats() != nullptr && n > dim && n * dim * dim > kManyProducts;
}

}  // namespace

Score ridge_loo(const Samples& samples) {
  if (float_pays(samples)) {
    Score score = Smoother<float>(samples, *samples.floats()).score();
    if (score.error <= kAllowedChange) return score;
  }
  return Smoother<double>(samples, samples.features()).score();
}

}  // namespace assay
