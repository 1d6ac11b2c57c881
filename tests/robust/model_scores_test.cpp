// Tests: robust/influence.
#include "robust/model_scores.h"

#include <gtest/gtest.h>

#include <cmath>

#include "assay/error.h"
#include "linalg/eigen.h"
#include "robust/synthetic.h"
#include "support.h"

namespace assay {
namespace {

SynbenchRequest small_request() {
  SynbenchRequest out;
  out.scales = {0.5, 1.0, 1.5, 2.0, 3.0, 4.0};
  out.epsilons = {0.0, 0.4, 0.8};
  out.thresholds = {0.7};
  return out;
}

std::vector<Budget> budgets_of(const SynbenchRequest& request) {
  std::vector<Budget> out;
  for (const double epsilon : request.epsilons) out.push_back({.epsilon = epsilon});
  return out;
}

struct World {
  Index dim = 48;
  Index samples = 400;
  double kept = 1.0;    // share of the signal
  double spread = 0.0;  // of the logarithms of the variances
  double class_prior = 0.5;

  Vector deviations() const {
    Vector out(dim);
    for (Index k = 0; k < dim; ++k)
      out[k] = std::exp(spread * (static_cast<double>(k) / static_cast<double>(dim) - 0.5));
    return out;
  }
};

// Fresh samples of the world: x = deviations * (noise +- kept scale / sqrt(dim)).
SynbenchModel score(const World& world, const SynbenchRequest& request, std::uint64_t seed,
                    const Matrix& map = {}) {
  SynbenchModel model;
  model.dim = world.dim;
  model.train = model.test = world.samples;
  model.scales = request.scales;
  std::vector<std::vector<LabelledRepresentation>> parts(2);
  std::vector<double> shifts;
  for (const double scale : request.scales) shifts.push_back(world.kept * scale);
  for (std::uint32_t part = 0; part < 2; ++part) {
    const SyntheticData data{.dim = world.dim,
                             .samples = world.samples,
                             .class_prior = world.class_prior,
                             .offset = 0.0,
                             .seed = seed,
                             .stream = part};
    stream_inputs(test::pool(), data, shifts, world.samples, [&](const InputBlock& block) {
      Matrix x = world.deviations().asDiagonal() * block.inputs->cast<double>();
      if (map.size() > 0) x = map * x;
      parts[part].push_back({std::move(x), data.labels()});
    });
  }
  std::vector<ScaleMeasurement> measured;
  for (std::size_t s = 0; s < request.scales.size(); ++s) {
    measured.push_back(measure_scale(test::pool(), request.scales[s], parts[0][s], parts[1][s],
                                     budgets_of(request), request.class_prior));
  }
  score_measurements(measured, request, model);
  return model;
}

double true_score(const World& world, const SynbenchRequest& request, double epsilon) {
  std::vector<ScalePoint> points;
  for (const double scale : request.scales) {
    GaussianPair pair;
    pair.variances = world.deviations().cwiseAbs2();
    pair.half_gap =
        world.deviations() * (world.kept * scale / std::sqrt(static_cast<double>(world.dim)));
    ScalePoint point;
    point.expected =
        expected_point(pair, *robust_bayes(pair, {.epsilon = epsilon}), request.class_prior);
    point.reference = reference_point(scale, epsilon, request.class_prior);
    points.push_back(point);
  }
  return synbench_expected(points, request.thresholds.front()).value();
}

struct Over {
  double mean = 0.0, sd = 0.0, error = 0.0;
};

Over over_draws(const World& world, const SynbenchRequest& request, std::size_t e, int draws,
                bool calibrated = true) {
  double sum = 0.0;
  double squares = 0.0;
  Over out;
  for (int k = 0; k < draws; ++k) {
    const SynbenchScore one = score(world, request, static_cast<std::uint64_t>(k)).scores[e];
    const double value = calibrated ? *one.calibrated : *one.value;
    sum += value;
    squares += value * value;
    out.error += (calibrated ? *one.calibrated_se : *one.value_se) / draws;
  }
  out.mean = sum / draws;
  out.sd = std::sqrt((squares - sum * out.mean) / (draws - 1));
  return out;
}

// The identity, strong and weak representations, equal and unequal variances; unequal classes too.
TEST(Calibrated, IsTheTrueScoreInTheMean) {
  constexpr int draws = 12;
  std::vector<World> worlds = {{}, {.kept = 0.6}, {.spread = 4.0}, {.kept = 0.5, .spread = 4.0}};
  worlds.push_back({.kept = 0.8, .spread = 2.0, .class_prior = 0.3});
  for (const World& world : worlds) {
    SynbenchRequest request = small_request();
    request.class_prior = world.class_prior;
    request.thresholds = {world.class_prior == 0.5 ? 0.7 : 0.8};
    for (std::size_t e = 0; e < request.epsilons.size(); ++e) {
      const Over found = over_draws(world, request, e, draws);
      const double truth = true_score(world, request, request.epsilons[e]);
      EXPECT_NEAR(found.mean, truth, 4.0 * found.sd / std::sqrt(draws) + 0.005)
          << world.kept << " " << world.spread << " " << request.epsilons[e];
    }
  }
}

// What is reported from one draw is what happens from draw to draw. The spread of 24 draws is known
// to 15 %; the standard error is conservative by construction.
TEST(StandardError, IsTheSpreadOverDraws) {
  constexpr int draws = 24;
  for (const World& world : {World{.kept = 0.7}, World{.kept = 0.8, .spread = 3.0}}) {
    for (const bool calibrated : {true, false}) {
      for (std::size_t e = 0; e < small_request().epsilons.size(); ++e) {
        const Over found = over_draws(world, small_request(), e, draws, calibrated);
        EXPECT_GT(found.error, 0.65 * found.sd) << calibrated << e;
        EXPECT_LT(found.error, 1.8 * found.sd) << calibrated << e;
      }
    }
  }
}

TEST(Calibrated, AtEpsilonZeroInvertibleMapsChangeNothing) {
  const World world{.kept = 0.7, .spread = 2.0};
  const Matrix map =
      test::gaussian(world.dim, world.dim, 3) + 3.0 * Matrix::Identity(world.dim, world.dim);
  const SynbenchScore plain = score(world, small_request(), 1).scores[0];
  const SynbenchScore mapped = score(world, small_request(), 1, map).scores[0];
  EXPECT_NEAR(*mapped.calibrated, *plain.calibrated, 1e-9);
  EXPECT_NEAR(*mapped.calibrated_se, *plain.calibrated_se, 1e-9);
  EXPECT_NEAR(*mapped.value, *plain.value, 1e-9);
}

// Rotations and units change nothing at any epsilon.
TEST(Calibrated, KeepsItsValueUnderRotationsAndUnits) {
  const World world{.kept = 0.7, .spread = 2.0};
  const Matrix square = test::gaussian(world.dim, world.dim, 3);
  const Matrix rotation = 1e5 * symmetric_eigen(square + square.transpose()).vectors;
  const SynbenchModel plain = score(world, small_request(), 1);
  const SynbenchModel mapped = score(world, small_request(), 1, rotation);
  for (std::size_t e = 0; e < plain.scores.size(); ++e)
    EXPECT_NEAR(*mapped.scores[e].calibrated, *plain.scores[e].calibrated, 1e-8) << e;
}

TEST(Calibrated, IsMissingWithAReasonWhereSamplesDoNotSuffice) {
  const SynbenchModel few = score({.dim = 60, .samples = 40}, small_request(), 2);
  for (const SynbenchScore& one : few.scores) {
    EXPECT_FALSE(one.calibrated.has_value());
    EXPECT_TRUE(one.value.has_value());
    EXPECT_NE(one.reason.find("do not suffice"), std::string::npos);
  }
  EXPECT_FALSE(few.best_epsilon().has_value());
  EXPECT_FALSE(few.notes.empty());
}

// For a perfect representation all epsilons are equally good: none is best.
TEST(BestEpsilon, IsNoneForTheIdentity) {
  int named = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    named += score({}, small_request(), seed).best_epsilon() ? 1 : 0;
  EXPECT_LE(named, 1);
}

TEST(BestEpsilon, IsNamedWhereItIsClear) {
  const World world{.kept = 0.8, .spread = 6.0};
  EXPECT_EQ(score(world, small_request(), 1).best_epsilon(), 0.0);
}

TEST(BestEpsilon, MustBeAheadByMoreThanTheError) {
  SynbenchScore a;
  a.calibrated = 0.50;
  a.calibrated_se = 0.02;
  SynbenchScore b;
  b.epsilon = 0.2;
  b.calibrated = 0.51;
  b.calibrated_se = 0.01;
  EXPECT_FALSE(clear_best_epsilon(std::vector{a, b}).has_value());
  b.calibrated = 0.53;
  EXPECT_EQ(clear_best_epsilon(std::vector{a, b}), 0.2);
  a.calibrated.reset();
  EXPECT_FALSE(clear_best_epsilon(std::vector{a, b}).has_value());
  b.calibrated = 0.0;
  EXPECT_FALSE(clear_best_epsilon(std::vector{b}).has_value());
}

// Naming the larger class is right 70 % of the time: noise decides what passes that.
TEST(Thresholds, NearTheLargerClassAreRefused) {
  SynbenchRequest request = small_request();
  request.class_prior = 0.3;
  World poor{.kept = 0.05, .class_prior = 0.3};
  request.thresholds = {0.7, 0.8};
  const SynbenchModel model = score(poor, request, 4);
  for (std::size_t e = 0; e < request.epsilons.size(); ++e) {
    EXPECT_FALSE(model.scores[e].value.has_value());
    EXPECT_FALSE(model.scores[e].reason.empty());
    ASSERT_TRUE(model.scores[request.epsilons.size() + e].value.has_value());
    EXPECT_LT(*model.scores[request.epsilons.size() + e].value, 0.05);
  }
  request.thresholds = {0.7};
  EXPECT_THROW(score(poor, request, 4), Error);
  EXPECT_NEAR(lowest_threshold(0.3, 2048), 0.7 + 2.0 * std::sqrt(0.21 / 2048.0), 1e-12);
  EXPECT_NEAR(lowest_threshold(0.7, 2048), lowest_threshold(0.3, 2048), 1e-12);
}

}  // namespace
}  // namespace assay
