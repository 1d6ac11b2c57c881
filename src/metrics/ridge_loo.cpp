#include "assay/metrics/ridge_loo.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "assay/learn/standardize.h"
#include "assay/linalg/gram.h"
#include "assay/linalg/resolvent.h"
#include "assay/linalg/tridiagonal.h"

namespace assay {
namespace {

constexpr std::array kPenalties = {1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0, 3.0, 10.0, 100.0};
constexpr Index kTile = 256;

// What the rows of one tile leave, per penalty.
struct Tally {
  std::array<double, kPenalties.size()> squares{};
  std::array<std::vector<double>, kPenalties.size()> right;
};

// With S = Z Z' (primal, D x D, Z the standardised samples as columns) or Z'Z (dual, n x n), both
// reduced to Q T Q', the smoother is primal Z'(S + l)^-1 Z, dual I - l (S + l)^-1: of the same
// form in the rotated columns q_i = Q'z_i or Q'e_i.
class Smoother {
 public:
  explicit Smoother(const Samples& samples) : samples_(samples), z_(samples.features()) {
    fit_standardizer(z_).apply(z_);
    dual_ = z_.cols() <= z_.rows();
    const Index p = dual_ ? z_.cols() : z_.rows();
    Matrix gram = Matrix::Zero(p, p);
    const Matrix transposed = dual_ ? Matrix(z_.transpose()) : Matrix();
    const GramUpdate<double> update{dual_ ? transposed.data() : z_.data(),
                                    dual_ ? z_.rows() : z_.cols(), &gram};
    add_to_grams(samples.pool(), std::span<const GramUpdate<double>>(&update, 1));
    t_ = tridiagonalize(std::move(gram));
    right_side_ = t_.rotate(dual_ ? centered_targets() : class_sums());
    for (const double penalty : kPenalties) {
      const double l = penalty * static_cast<double>(z_.cols());
      const std::vector<double> shifts(static_cast<std::size_t>(right_side_.cols()), l);
      solved_.push_back(resolvent_solve(t_, right_side_, shifts));
    }
  }

  Tally tally(Index first, Index count) const {
    Matrix columns;
    if (dual_) {
      columns = Matrix::Zero(z_.cols(), count);
      for (Index i = 0; i < count; ++i) columns(first + i, i) = 1.0;
    } else {
      columns = z_.middleCols(first, count);
    }
    const Matrix q = t_.rotate(std::move(columns));
    Tally out;
    for (std::size_t k = 0; k < kPenalties.size(); ++k) {
      const double l = kPenalties[k] * static_cast<double>(z_.cols());
      const Vector phi = resolvent_forms(t_, q, {&l, 1}).row(0).transpose();
      const Matrix fitted = product(solved_[k], true, q, false);  // C x count
      score_tile(first, l, phi, fitted, out.squares[k], out.right[k]);
    }
    return out;
  }

 private:
  // Z'(Y - ybar): centred features need no centred targets.
  Matrix class_sums() const {
    Matrix sums = Matrix::Zero(z_.rows(), samples_.classes());
    for (Index i = 0; i < z_.cols(); ++i)
      sums.col(samples_.labels()[static_cast<std::size_t>(i)]) += z_.col(i);
    return sums;
  }

  Matrix centered_targets() const {
    Matrix y(z_.cols(), samples_.classes());
    for (Index c = 0; c < y.cols(); ++c) y.col(c).setConstant(-share(c));
    for (Index i = 0; i < y.rows(); ++i)
      y(i, samples_.labels()[static_cast<std::size_t>(i)]) += 1.0;
    return y;
  }

  double share(Index c) const {
    return static_cast<double>(samples_.counts()[static_cast<std::size_t>(c)]) /
           static_cast<double>(samples_.count());
  }

  void score_tile(Index first, double l, const Vector& phi, const Matrix& fitted, double& squares,
                  std::vector<double>& right) const {
    const double base = 1.0 - 1.0 / static_cast<double>(samples_.count());
    for (Index i = 0; i < fitted.cols(); ++i) {
      const Label own = samples_.labels()[static_cast<std::size_t>(first + i)];
      // 1 - 1/n - h_i, on the dual side with h_i = 1 - l phi_i.
      // Rounding must not let a sample that is fitted exactly decide by its sign.
      const double left = std::max(dual_ ? l * phi[i] - (1.0 - base) : base - phi[i], 1e-12);
      double best = 0.0;
      Label winner = -1;
      for (Index c = 0; c < fitted.rows(); ++c) {
        const double y = (c == own ? 1.0 : 0.0) - share(c);
        const double residual = (dual_ ? l * fitted(c, i) : y - fitted(c, i)) / left;
        squares += residual * residual;
        const double predicted = (c == own ? 1.0 : 0.0) - residual;
        if (winner < 0 || predicted > best) {
          best = predicted;
          winner = static_cast<Label>(c);
        }
      }
      right.push_back(winner == own ? 1.0 : 0.0);
    }
  }

  const Samples& samples_;
  Matrix z_;  // D x n, standardised
  bool dual_ = false;
  Tridiagonal t_;
  Matrix right_side_;           // p x C
  std::vector<Matrix> solved_;  // (T + l)^-1 of it, per penalty
};

}  // namespace

Score ridge_loo(const Samples& samples) {
  const Smoother smoother(samples);
  const Index n = samples.count();
  const Index tiles = (n + kTile - 1) / kTile;
  std::vector<Tally> tallies(static_cast<std::size_t>(tiles));
  samples.pool().run(tiles, [&](Index task) {
    const Index first = task * kTile;
    tallies[static_cast<std::size_t>(task)] = smoother.tally(first, std::min(kTile, n - first));
  });
  std::array<double, kPenalties.size()> squares{};
  for (const Tally& tally : tallies) {
    for (std::size_t k = 0; k < squares.size(); ++k) squares[k] += tally.squares[k];
  }
  const auto best =
      static_cast<std::size_t>(std::min_element(squares.begin(), squares.end()) - squares.begin());
  Score score;
  for (const Tally& tally : tallies) {
    score.per_sample.insert(score.per_sample.end(), tally.right[best].begin(),
                            tally.right[best].end());
  }
  score.value = std::accumulate(score.per_sample.begin(), score.per_sample.end(), 0.0) /
                static_cast<double>(n);
  score.details = {{"penalty_per_row", kPenalties[best]}};
  return score;
}

}  // namespace assay
