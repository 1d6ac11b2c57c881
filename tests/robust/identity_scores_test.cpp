#include "robust/identity_scores.h"

#include <gtest/gtest.h>

#include <cmath>

#include "golden.h"
#include "robust/synthetic.h"

namespace assay {
namespace {

SynbenchSetting small_setting() {
  SynbenchSetting out;
  out.dim = 40;
  out.train = 200;
  out.test = 200;
  out.scales = test::paper_scales();
  for (const double epsilon : {0.0, 0.2, 0.4, 0.6, 0.8})
    out.budgets.push_back({.epsilon = epsilon});
  out.thresholds = {0.7, 0.8, 0.9};
  return out;
}

// The same world as a representation: every scale fitted by itself.
std::vector<std::vector<ScalePoint>> measure_identity(const SynbenchSetting& setting,
                                                      std::uint32_t stream) {
  std::vector<std::vector<ScalePoint>> out(setting.budgets.size());
  const auto at = [&](double scale, Index samples, std::uint32_t part) {
    const SyntheticData data{.dim = setting.dim,
                             .samples = samples,
                             .class_prior = setting.class_prior,
                             .seed = setting.seed,
                             .stream = stream + part};
    Matrix x = synthetic_noise(test::pool(), data);
    const double shift = scale / std::sqrt(static_cast<double>(setting.dim));
    for (Index i = 0; i < samples; ++i) x.col(i).array() += data.label(i) == 1 ? shift : -shift;
    return LabelledRepresentation{x, data.labels()};
  };
  for (const double scale : setting.scales) {
    const auto points =
        measure_scale(test::pool(), scale, at(scale, setting.train, 0), at(scale, setting.test, 1),
                      setting.budgets, setting.class_prior);
    for (std::size_t b = 0; b < out.size(); ++b) out[b].push_back(points[b]);
  }
  return out;
}

TEST(SimulateIdentity, IsTheMeasureOfTheDataThemselves) {
  // Streams 2 and 3 are those of the first simulation; one decomposition for all scales there,
  // one for each here.
  for (const double prior : {0.5, 0.3}) {
    SynbenchSetting setting = small_setting();
    setting.class_prior = prior;
    const auto quick = simulate_identity(test::pool(), setting, 0);
    const auto slow = measure_identity(setting, 2);
    for (std::size_t b = 0; b < quick.size(); ++b) {
      for (std::size_t s = 0; s < setting.scales.size(); ++s) {
        EXPECT_NEAR(quick[b][s].measured.accuracy, slow[b][s].measured.accuracy, 1e-12);
        EXPECT_NEAR(quick[b][s].measured.bound, slow[b][s].measured.bound, 1e-9);
        EXPECT_NEAR(quick[b][s].expected.bound, slow[b][s].expected.bound, 1e-9);
      }
    }
  }
}

TEST(IdentityScores, CalibrateAnIdentityRepresentationToOneAtEveryEpsilon) {
  SynbenchSetting setting = small_setting();
  const IdentityScores perfect = identity_scores(test::pool(), setting);
  constexpr int draws = 64;
  setting.seed = 99;
  for (std::size_t b = 0; b < setting.budgets.size(); ++b) {
    // Finite samples alone cost the plain score several percent here.
    EXPECT_LT(perfect[b][0]->value + 5.0 * perfect[b][0]->standard_error, 1.0);
  }
  std::vector<std::vector<std::vector<ScalePoint>>> runs;
  runs.reserve(draws);
  for (int i = 0; i < draws; ++i) runs.push_back(simulate_identity(test::pool(), setting, i));
  for (std::size_t b = 0; b < setting.budgets.size(); ++b) {
    for (std::size_t t = 0; t < setting.thresholds.size(); ++t) {
      double sum = 0.0;
      double squares = 0.0;
      for (const auto& run : runs) {
        const double calibrated =
            synbench_value(run[b], setting.thresholds[t]).value() / perfect[b][t]->value;
        sum += calibrated;
        squares += calibrated * calibrated;
      }
      const double mean = sum / draws;
      const double sd = std::sqrt((squares / draws - mean * mean) * draws / (draws - 1));
      const double error = std::hypot(sd / std::sqrt(draws), perfect[b][t]->standard_error);
      EXPECT_NEAR(mean, 1.0, 4.0 * error) << b << " " << t;
      EXPECT_LT(error, 0.02);
    }
  }
}

TEST(IdentityScores, RiseWithEpsilonThoughTheRepresentationIsTheSame) {
  // What the public code reads as a property of the network.
  const IdentityScores perfect = identity_scores(test::pool(), small_setting());
  for (std::size_t b = 1; b < perfect.size(); ++b)
    EXPECT_GT(perfect[b][0]->value, perfect[b - 1][0]->value);
}

// The size of a vision transformer's representation with the paper's number of samples. The spread
// of one simulation is 0.02 at epsilon 0.
TEST(SimulateIdentity, ScoresFarBelowOneAtThePapersSize) {
  SynbenchSetting setting = small_setting();
  setting.dim = 768;
  setting.train = 2048;
  setting.test = 2048;
  const auto points = simulate_identity(test::pool(), setting, 0);
  double last = 0.0;
  for (const auto& of_budget : points) {
    const double value = synbench_value(of_budget, 0.7).value();
    EXPECT_GT(value, last);
    EXPECT_LT(value, 0.96);
    last = value;
  }
  EXPECT_NEAR(synbench_value(points[0], 0.7).value(), 0.85, 0.06);
}

TEST(IdentityScores, DoNotDependOnThreads) {
  SynbenchSetting setting = small_setting();
  setting.scales = {0.5, 1.0, 2.0};
  ThreadPool one(1);
  ThreadPool three(3);
  const IdentityScores a = identity_scores(one, setting);
  const IdentityScores b = identity_scores(three, setting);
  for (std::size_t e = 0; e < a.size(); ++e)
    for (std::size_t t = 0; t < a[e].size(); ++t) {
      EXPECT_EQ(a[e][t]->value, b[e][t]->value);
      EXPECT_EQ(a[e][t]->standard_error, b[e][t]->standard_error);
    }
}

TEST(IdentityScores, ExistWithFewerSamplesThanDimensions) {
  SynbenchSetting setting = small_setting();
  setting.train = 30;
  const IdentityScores perfect = identity_scores(test::pool(), setting);
  for (const auto& row : perfect) {
    ASSERT_TRUE(row[0].has_value());
    EXPECT_GT(row[0]->value, 0.0);
    EXPECT_LT(row[0]->value, 1.0);
  }
}

// Information destroyed: noise in place of three quarters of the coordinates, then of nearly all.
TEST(SynbenchValue, FallsWhenInformationIsDestroyed) {
  const SynbenchSetting setting = small_setting();
  const SyntheticData train{.dim = 40, .samples = 400, .seed = 8, .stream = 0};
  const SyntheticData test{.dim = 40, .samples = 400, .seed = 8, .stream = 1};
  double last = 10.0;
  for (const Index kept : {40, 10, 2}) {
    std::vector<ScalePoint> points;
    for (const double scale : setting.scales) {
      const auto represent = [&](const SyntheticData& data) {
        Matrix x = synthetic_noise(test::pool(), data);
        const double shift = scale / std::sqrt(40.0);
        for (Index i = 0; i < data.samples; ++i)
          x.col(i).head(kept).array() += data.label(i) == 1 ? shift : -shift;
        return LabelledRepresentation{x, data.labels()};
      };
      points.push_back(measure_scale(test::pool(), scale, represent(train), represent(test),
                                     std::span(setting.budgets).first(1), 0.5)[0]);
    }
    const double value = synbench_value(points, 0.7).value();
    EXPECT_LT(value, last - 0.1) << kept;
    last = value;
  }
}

}  // namespace
}  // namespace assay
