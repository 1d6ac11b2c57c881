// Tests: curve/resampled_curve, curve/loss_draws, curve/curve_fit, curve/compare_needs.
#include "curve/resampled_curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "curve/compare_needs.h"
#include "curve/loss_curve.h"

namespace assay {
namespace {

constexpr Index kDraws = 1000;

double mean_of(const Vector& values) { return values.mean(); }
double variance_of(const Vector& values) {
  return (values.array() - mean_of(values)).square().sum() / static_cast<double>(values.size() - 1);
}

// Seeds that differ by `spread` relative to the loss 0.2 + 2 / sqrt(n); rows are not known.
SeedCurves falling(Index seeds, double spread, const std::vector<Index>& sizes,
                   double floor = 0.2) {
  Random random(3);
  SeedCurves out{.sizes = sizes,
                 .losses = Matrix(seeds, std::ssize(sizes)),
                 .contributions = {},
                 .judged_variance = Vector::Zero(std::ssize(sizes)),
                 .pool = 100 * sizes.back()};
  for (Index s = 0; s < seeds; ++s) {
    for (Index k = 0; k < std::ssize(sizes); ++k) {
      const auto n = static_cast<double>(sizes[static_cast<std::size_t>(k)]);
      out.losses(s, k) = (floor + 2.0 / std::sqrt(n)) * (1.0 + spread * random.normal());
    }
  }
  return out;
}

std::vector<CurvePoint> points_of_mean(const SeedCurves& curves) {
  std::vector<CurvePoint> points;
  for (std::size_t k = 0; k < curves.sizes.size(); ++k) {
    points.push_back({.n = curves.sizes[k],
                      .loss = curves.mean()[static_cast<Index>(k)],
                      .seeds = curves.seeds()});
  }
  return points;
}

const std::vector<Index> kSizes = {10, 18, 32, 57, 101, 180, 320};

// Two rows by two seeds, each judged by one of them: by hand. Means 2 and 3 per seed at the size;
// a row alone with its seed deviates by nothing from it.
TEST(SeedCurves, HoldWhatEveryRowAddsToTheMean) {
  std::vector<FinishedProbe> probes = {{0, 10, {.loss = 2.0}}, {1, 10, {.loss = 3.0}}};
  probes[0].outcome.row_losses = {1.0F, 3.0F};
  probes[1].outcome.row_losses = {5.0F, 1.0F};
  const std::vector<std::vector<Index>> held_out = {{0, 1}, {1, 2}};
  const SeedCurves curves = seed_curves(probes, held_out, judge_units(8, {}), 8, false);
  ASSERT_EQ(curves.contributions.rows(), 8);
  // (l - mean) / 2 rows / 2 seeds: row 0 -1/4; row 1 1/4 + 2/4; row 2 -2/4.
  EXPECT_DOUBLE_EQ(curves.contributions(0, 0), -0.25);
  EXPECT_DOUBLE_EQ(curves.contributions(1, 0), 0.75);
  EXPECT_DOUBLE_EQ(curves.contributions(2, 0), -0.5);
  EXPECT_NEAR(curves.contributions.sum(), 0.0, 1e-15);
  // Squares of (l - mean) / 2 are 1/2 and 2; three quarters of the rows are a seed's own.
  EXPECT_DOUBLE_EQ(curves.judged_variance[0], 0.75 * (0.5 + 2.0) / 2.0);
}

TEST(SeedCurves, TakeGroupsAsUnitsAndBundleMany) {
  const std::vector<Label> groups = {0, 0, 1, 1, 1};
  EXPECT_EQ(judge_units(5, groups).count, 2);
  EXPECT_EQ(judge_units(5, groups).of_row, (std::vector<Index>{0, 0, 1, 1, 1}));
  const JudgeUnits many = judge_units(100000, {});
  EXPECT_EQ(many.count, 4096);
  EXPECT_LT(*std::ranges::max_element(many.of_row), 4096);
}

// Rows that judge: the variance of the draws is that of the mean over the rows, here of one seed's
// fixed validation rows and no difference between seeds.
TEST(LossDraws, HaveTheVarianceOfTheRowsThatJudge) {
  std::vector<FinishedProbe> probes;
  Random random(5);
  std::vector<float> losses(200);
  double mean = 0.0;
  for (float& loss : losses) mean += loss = static_cast<float>(random.uniform());
  mean /= 200.0;
  double variance = 0.0;
  for (const float loss : losses) variance += (loss - mean) * (loss - mean) / 199.0 / 200.0;
  for (const Index seed : {0, 1}) {
    probes.push_back({seed, 10, {.loss = mean}});
    probes.back().outcome.row_losses = losses;
  }
  const SeedCurves curves =
      seed_curves(probes, std::vector<std::vector<Index>>(2), judge_units(200, {}), 1000, false);
  const Matrix draws = loss_draws(curves, draw_multipliers(4000, 200, 2, 1));
  EXPECT_NEAR(mean_of(draws.col(0)), mean, 0.002);
  EXPECT_NEAR(variance_of(draws.col(0)) / variance, 1.0, 0.1);
}

// Many seeds far from the end of the pool: sigma^2 / S. Near it, by the overlap of their orders:
// sigma^2 (rho + (1 - rho) / S), rho = (3/4)^2.
TEST(LossDraws, HaveTheVarianceOfTrainingSetsDrawnAnew) {
  SeedCurves curves = falling(60, 0.1, kSizes);
  const Matrix deviations = curves.losses.rowwise() - curves.losses.colwise().mean();
  const Vector observed = deviations.colwise().squaredNorm().transpose() / 59.0;
  const Multipliers multipliers = draw_multipliers(4000, 0, 60, 2);
  const Matrix far = loss_draws(curves, multipliers);
  // The same spread seen through orders that overlap: the seeds show 1 - rho of it.
  curves.pool = 320 * 4 / 3;
  const auto overlap = [&](Index k) {
    return std::pow(
        static_cast<double>(kSizes[static_cast<std::size_t>(k)]) / static_cast<double>(curves.pool),
        2);
  };
  const Eigen::RowVectorXd mean = curves.losses.colwise().mean();
  for (Index k = 0; k < mean.size(); ++k) {
    curves.losses.col(k) =
        (mean[k] + std::sqrt(1.0 - overlap(k)) * deviations.col(k).array()).matrix();
  }
  const Matrix near = loss_draws(curves, multipliers);
  const double rho = overlap(6);
  for (const Index k : {0, 3, 6})
    EXPECT_NEAR(variance_of(far.col(k)) / (observed[k] / 60.0), 1.0, 0.35) << k;
  EXPECT_NEAR(variance_of(near.col(6)) / (observed[6] * (rho + (1.0 - rho) / 60.0)), 1.0, 0.35);
}

// Of few seeds the spread is badly known: tails are longer than the normal distribution's.
TEST(LossDraws, AllowForASpreadThatIsBadlyKnown) {
  const auto kurtosis = [](Index seeds) {
    const Matrix draws =
        loss_draws(falling(seeds, 0.02, {10, 100}), draw_multipliers(20000, 0, seeds, 2));
    const Vector off = draws.col(0).array() - draws.col(0).mean();
    return off.array().pow(4).mean() / std::pow(off.squaredNorm() / 20000.0, 2);
  };
  EXPECT_GT(kurtosis(3), 4.0);
  EXPECT_NEAR(kurtosis(60), 3.0, 0.5);
}

// With all rows of validation data of their own, seeds do not differ; training sets drawn anew do.
TEST(LossDraws, DoNotTakeEqualOrdersForCertainty) {
  SeedCurves curves = falling(8, 0.05, kSizes);
  curves.losses.col(6).setConstant(curves.losses.col(6).mean());
  curves.pool = 320;
  const Matrix draws = loss_draws(curves, draw_multipliers(kDraws, 0, 8, 4));
  EXPECT_GT(variance_of(draws.col(6)), 0.0);
  EXPECT_TRUE(draws.allFinite());
  curves.losses.setConstant(0.5);
  EXPECT_TRUE(loss_draws(curves, draw_multipliers(kDraws, 0, 8, 4)).allFinite());
}

TEST(FittedCurve, CrossesWhereItHasTheTarget) {
  const FittedCurve power{true, 0.2, 0.5, 100.0, 0.5};
  EXPECT_DOUBLE_EQ(power.at(400.0), 0.45);
  EXPECT_NEAR(*power.crossing(0.45), 400.0, 1e-9);
  EXPECT_FALSE(power.crossing(0.2).has_value());
  const FittedCurve saturating{false, 0.2, 0.8, 100.0, 1.0};
  EXPECT_NEAR(saturating.at(100.0), 0.2 + 0.8 * std::exp(-1.0), 1e-15);
  EXPECT_NEAR(*saturating.crossing(saturating.at(250.0)), 250.0, 1e-9);
  EXPECT_EQ(saturating.crossing(1.5), 0.0);
}

// Curves of either family without noise are foretold four times beyond their end, to a tenth: that
// is what the grid of shapes resolves, far less than data do.
TEST(CurveFits, FindTheCurveTheyAreGiven) {
  const std::vector<FittedCurve> truths = {{true, 0.3, 0.2, 320.0, 0.6},
                                           {false, 0.1, 2.2, 120.0, 0.6}};
  for (const FittedCurve& truth : truths) {
    Vector losses(std::ssize(kSizes));
    for (Index k = 0; k < losses.size(); ++k)
      losses[k] = truth.at(static_cast<double>(kSizes[static_cast<std::size_t>(k)]));
    const Matrix covariance = 1e-8 * Matrix::Identity(losses.size(), losses.size());
    const CurveFits fits(kSizes, losses, covariance, 2.3);
    Random random(1);
    std::vector<double> ahead;
    for (int b = 0; b < 200; ++b) ahead.push_back(fits.draw(losses, random).at(1280.0));
    const Range range = range_of(ahead);
    EXPECT_LE(range.low, 1.1 * truth.at(1280.0));
    EXPECT_GE(range.high, 0.9 * truth.at(1280.0));
    EXPECT_LT(range.high - range.low, 0.3 * truth.at(1280.0));
  }
}

// Constant targets cost nothing from the first row on, not even by guessing; a learner may return
// any finite number.
TEST(ResampledCurve, SurvivesLossesThatNothingFits) {
  SeedCurves curves = falling(3, 0.0, kSizes);
  curves.losses.setZero();
  const Multipliers multipliers = draw_multipliers(kDraws, 0, 3, 1);
  const ResampledCurve none = resample(curves, multipliers, 0.0, 1).value();
  EXPECT_EQ(forecast_of(none).back().loss, 0.0);
  EXPECT_TRUE(labels_needed(points_of_mean(curves), &none, 0.1).upper_bound);
  for (const double size : {-1.0, 1e-300, 1e200, 1e300}) {
    SeedCurves odd = falling(3, 0.1, kSizes);
    odd.losses *= size;
    const std::optional<ResampledCurve> found = resample(odd, multipliers, 2.0, 1);
    const LabelsNeeded needed = labels_needed(points_of_mean(odd), found ? &*found : nullptr, 0.5);
    EXPECT_GE(needed.rows, 10.0) << size;
    EXPECT_LE(needed.rows, 3200.0) << size;
  }
}

TEST(LabelsNeeded, AreMeasuredForetoldOrOutOfReach) {
  const SeedCurves curves = falling(8, 0.01, kSizes);
  const std::vector<CurvePoint> points = points_of_mean(curves);
  const ResampledCurve curve = resample(curves, draw_multipliers(kDraws, 0, 8, 1), 2.0, 1).value();
  // 0.2 + 2 / sqrt(n) is 0.4 at 100 rows, 0.28 at 625.
  const LabelsNeeded inside = labels_needed(points, &curve, 0.4);
  EXPECT_EQ(inside.reach, Reach::measured);
  EXPECT_NEAR(inside.rows, 100.0, 10.0);
  EXPECT_LT(*inside.low, 100.0);
  EXPECT_GT(*inside.high, 100.0);
  EXPECT_FALSE(inside.high_is_bound);
  const LabelsNeeded beyond = labels_needed(points, &curve, 0.28);
  EXPECT_EQ(beyond.reach, Reach::extrapolated);
  EXPECT_FALSE(beyond.lower_bound);
  EXPECT_NEAR(beyond.rows, 625.0, 200.0);
  EXPECT_LT(*beyond.low, 625.0);
  EXPECT_GT(*beyond.high, 625.0);
  const LabelsNeeded never = labels_needed(points, &curve, 1e-6);
  EXPECT_EQ(never.reach, Reach::not_reachable);
  EXPECT_TRUE(never.lower_bound);
  EXPECT_EQ(never.rows, 320.0);
  EXPECT_LT(never.levels_off_range->low, *never.levels_off);
  EXPECT_TRUE(labels_needed(points, &curve, 5.0).upper_bound);
  // Nothing to resample: the crossing alone.
  const LabelsNeeded alone = labels_needed(points, nullptr, 0.4);
  EXPECT_EQ(alone.rows, inside.rows);
  EXPECT_FALSE(alone.low.has_value());
  EXPECT_FALSE(resample(falling(1, 0.0, kSizes), draw_multipliers(kDraws, 0, 1, 1), 2.0, 1));
}

// The same rows and seeds for both: a difference that every seed shows is certain, however much
// the seeds differ among themselves.
TEST(CompareNeeds, PairsTheModels) {
  const SeedCurves worse = falling(8, 0.1, kSizes);
  SeedCurves better = worse;
  better.losses *= 0.9;
  const Multipliers multipliers = draw_multipliers(kDraws, 0, 8, 1);
  const std::vector<std::optional<ResampledCurve>> curves = {resample(worse, multipliers, 2.0, 1),
                                                             resample(better, multipliers, 2.0, 2)};
  CurveResult result;
  result.models = {{.name = "worse", .curve = {}}, {.name = "better", .curve = {}}};
  result.models[0].for_loss = labels_needed(points_of_mean(worse), &*curves[0], 0.5);
  result.models[1].for_loss = labels_needed(points_of_mean(better), &*curves[1], 0.5);
  add_comparisons(curves, &CurveModel::for_loss, 0.5, false, result);
  ASSERT_EQ(result.needs_fewer.size(), 1U);
  EXPECT_EQ(result.needs_fewer[0].first, "better");
  EXPECT_GT(result.needs_fewer[0].share, 0.97);
  EXPECT_GT(*result.models[1].for_loss->high, *result.models[0].for_loss->low);  // they overlap
}

TEST(AddRanges, HoldTheMeasuresTheyBelongTo) {
  const SeedCurves curves = falling(6, 0.05, kSizes);
  const ResampledCurve curve = resample(curves, draw_multipliers(kDraws, 0, 6, 1), 2.0, 1).value();
  LossCurve runs{"m", {}};
  for (Index s = 0; s < 6; ++s) {
    for (Index k = 0; k < std::ssize(kSizes); ++k)
      runs.runs.push_back(
          {.seed = s, .n = kSizes[static_cast<std::size_t>(k)], .loss = curves.losses(s, k)});
  }
  const MeasureOptions options{Rule::left, 2.0, {0.4, 0.01}, std::nullopt};
  MeasuredCurve measured = measure_curve(runs, options);
  add_ranges(curve, options, measured);
  const Measures& last = measured.at.back();
  EXPECT_LT(last.va_range->low, last.va);
  EXPECT_GT(last.va_range->high, last.va);
  EXPECT_LT(last.mdl_range->low, last.mdl);
  EXPECT_GT(last.mdl_range->high, last.mdl);
  EXPECT_LT(last.sdl[0].range->low, last.sdl[0].value);
  EXPECT_GT(last.sdl[0].range->high, last.sdl[0].value);
  EXPECT_LE(last.esc[0].range->low, last.esc[0].value);
  EXPECT_GE(last.esc[0].range->high, last.esc[0].value);
  EXPECT_TRUE(last.esc[1].high_is_bound);
  for (const ForecastPoint& point : forecast_of(curve)) {
    EXPECT_LE(point.range.low, point.loss);
    EXPECT_GE(point.range.high, point.loss);
    EXPECT_GT(point.n, 320.0);
  }
}

}  // namespace
}  // namespace assay
