// Tests: track/row_axes.
#include "track/spectral_scores.h"

#include <gtest/gtest.h>

#include <cmath>

#include "prior/alpha_req.h"
#include "prior/effective_rank.h"
#include "support.h"

namespace assay {
namespace {

Matrix decaying(Index rows, Index cols, std::uint64_t seed) {
  Matrix x = test::gaussian(rows, cols, seed);
  for (Index j = 0; j < cols; ++j) x.col(j) /= std::sqrt(static_cast<double>(j + 1));
  return x;
}

Matrix without(const Matrix& x, Index row) {
  Matrix out(x.rows() - 1, x.cols());
  out << x.topRows(row), x.bottomRows(x.rows() - 1 - row);
  return out;
}

TEST(RowAxes, HoldWhatEveryRowAddsToTheSpectrum) {
  for (const auto& [n, d] : {std::pair<Index, Index>{40, 12}, {12, 40}}) {
    const RowAxes axes = row_axes(test::pool(), *rows_of_matrix(decaying(n, d, 1), "x"), false);
    ASSERT_EQ(axes.spectrum.size(), 12);
    EXPECT_LT((axes.squares.rowwise().sum() - axes.spectrum).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_EQ(axes.squares.cols(), n);
  }
}

// The definition: each row left out, and everything computed again.
TEST(SpectralScores, AgreeWithLeavingRowsOut) {
  for (const auto& [n, d] : {std::pair<Index, Index>{400, 30}, {300, 30}}) {
    const Matrix x = decaying(n, d, 3);
    const Rows rows = rows_of_matrix(x, "x");
    const RowScore rank = rankme_of_rows(row_axes(test::pool(), *rows, false));
    const std::optional<RowScore> decay = alpha_req_of_rows(row_axes(test::pool(), *rows, true));
    ASSERT_TRUE(decay);
    EXPECT_NEAR(rank.value, rankme(test::pool(), *rows), 1e-9);
    EXPECT_NEAR(decay->value, *alpha_req(test::pool(), *rows), 1e-9);
    double rank_squares = 0.0;
    double decay_squares = 0.0;
    for (Index i = 0; i < n; ++i) {
      const Rows rest = rows_of_matrix(without(x, i), "rest");
      rank_squares += std::pow(rankme(test::pool(), *rest) - rank.value, 2.0);
      decay_squares += std::pow(*alpha_req(test::pool(), *rest) - decay->value, 2.0);
    }
    EXPECT_NEAR(rank.contributions.norm(), std::sqrt(rank_squares), 0.05 * std::sqrt(rank_squares));
    // A tenth of the eigenvalues' moves is of second order.
    EXPECT_NEAR(decay->contributions.norm(), std::sqrt(decay_squares),
                0.12 * std::sqrt(decay_squares));
  }
}

TEST(SpectralScores, OfFewDimensionsHaveNoDecay) {
  EXPECT_FALSE(
      alpha_req_of_rows(row_axes(test::pool(), *rows_of_matrix(decaying(50, 8, 1), "x"), true)));
}

TEST(SpectralScores, OfConstantRowsAreFinite) {
  const Rows rows = rows_of_matrix(Matrix::Ones(20, 30), "ones");
  const RowScore score = rankme_of_rows(row_axes(test::pool(), *rows, false));
  EXPECT_NEAR(score.value, 1.0, 1e-3);
  EXPECT_TRUE(score.contributions.allFinite());
}

}  // namespace
}  // namespace assay
