#include "prior/correlate_models.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support.h"

namespace assay {
namespace {

double mean_of(const Matrix& table, std::size_t model, const std::vector<Index>& tasks) {
  return table.row(static_cast<Index>(model))(tasks).mean();
}

TEST(CorrelateModels, OfTheSameNumbersIsOne) {
  const Matrix table = test::gaussian(6, 20, 1);
  const ModelNumbers mean = [&](std::size_t m, const std::vector<Index>& t) {
    return mean_of(table, m, t);
  };
  const ModelCorrelation got = correlate_models(6, 20, mean, mean, 0);
  EXPECT_NEAR(*got.pearson, 1.0, 1e-12);
  EXPECT_NEAR(got.pearson_interval->low, 1.0, 1e-12);
  EXPECT_NEAR(got.spearman_interval->high, 1.0, 1e-12);
  EXPECT_FALSE(correlate_models(3, 20, mean, mean, 0).pearson_interval);
  EXPECT_FALSE(correlate_models(2, 20, mean, mean, 0).spearman);
  const ModelNumbers same = [](std::size_t, const std::vector<Index>&) { return 2.0; };
  EXPECT_FALSE(correlate_models(6, 20, mean, same, 0).pearson);
}

// The 95 % interval holds the true correlation of Gaussian pairs about as often as it says; with
// twenty models the bootstrap's percentiles fall a little short.
TEST(CorrelateModels, IntervalsCoverTheTruth) {
  int held = 0;
  constexpr int times = 100;
  for (int k = 0; k < times; ++k) {
    const Matrix x = test::gaussian(20, 2, static_cast<std::uint64_t>(k));
    const ModelNumbers a = [&](std::size_t m, const std::vector<Index>&) {
      return x(static_cast<Index>(m), 0);
    };
    const ModelNumbers b = [&](std::size_t m, const std::vector<Index>&) {
      return 0.8 * x(static_cast<Index>(m), 0) + 0.6 * x(static_cast<Index>(m), 1);
    };
    const ModelCorrelation got = correlate_models(20, 1, a, b, 7);
    if (got.pearson_interval->low <= 0.8 && 0.8 <= got.pearson_interval->high) ++held;
  }
  EXPECT_GE(held, 86);  // of 100: 0.91 expected of percentiles, less 1.7 deviations
}

// Models that differ by nothing but the tasks drawn: resampled tasks widen the interval.
TEST(CorrelateModels, TasksAreResampledAsModelsAre) {
  const Matrix noise = test::gaussian(12, 5, 3);
  Matrix table = noise;
  table.colwise() += Vector::LinSpaced(12, 0.0, 1.0);
  const ModelNumbers place = [](std::size_t m, const std::vector<Index>&) {
    return static_cast<double>(m);
  };
  const auto width = [&](const ModelNumbers& numbers) {
    const ModelCorrelation got = correlate_models(12, 5, numbers, place, 1);
    return got.pearson_interval->high - got.pearson_interval->low;
  };
  const double fixed = width([&](std::size_t m, const std::vector<Index>&) {
    return table.row(static_cast<Index>(m)).mean();
  });
  const double resampled =
      width([&](std::size_t m, const std::vector<Index>& t) { return mean_of(table, m, t); });
  EXPECT_GT(resampled, fixed);
}

}  // namespace
}  // namespace assay
