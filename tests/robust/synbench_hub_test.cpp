// Tests: robust/representation_file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "assay/robust.h"
#include "core/random.h"
#include "robust/synbench_report.h"
#include "support.h"

namespace assay {
namespace {

using testing::HasSubstr;

constexpr Index kScales = 3;
constexpr Index kSamples = 80;
constexpr Index kDim = 4;

// Representations that are the synthetic data themselves, and their memory.
class Given {
 public:
  Given() {
    Random random(5);
    for (int part = 0; part < 2; ++part) {
      for (Index s = 0; s < kScales; ++s) {
        for (Index i = 0; i < kSamples; ++i) {
          const double side = i % 2 == 0 ? 1.0 : -1.0;
          labels_[part].push_back(i % 2);
          for (Index d = 0; d < kDim; ++d)
            values_[part].push_back(static_cast<float>(
                0.5 * side * scales_[static_cast<std::size_t>(s)] + random.normal()));
        }
      }
    }
  }

  GivenRepresentations named(const std::string& name) const {
    return {name,
            array(ElementType::f64, scales_, {kScales}),
            array(ElementType::f32, values_[0], {kScales, kSamples, kDim}),
            array(ElementType::f32, values_[1], {kScales, kSamples, kDim}),
            array(ElementType::i64, labels_[0], {kScales, kSamples}),
            array(ElementType::i64, labels_[1], {kScales, kSamples})};
  }

 private:
  template <typename T>
  static Array array(ElementType type, const std::vector<T>& values, std::vector<Index> shape) {
    Array out;
    out.type = type;
    out.item_size = sizeof(T);
    out.shape = std::move(shape);
    out.bytes = std::as_bytes(std::span(values));
    return out;
  }

  std::vector<double> scales_ = {1.0, 2.0, 4.0};
  std::vector<float> values_[2];
  std::vector<std::int64_t> labels_[2];
};

SynbenchRequest request_of(const Given& given) {
  SynbenchRequest request;
  request.given = {given.named("raw")};
  request.epsilons = {0.0, 0.4};
  request.thresholds = {0.7, 0.8};
  request.memory_limit = Index{1} << 30;
  return request;
}

TEST(SynbenchHub, ScoresEveryEpsilonAtEveryThreshold) {
  const Given given;
  const SynbenchRequest request = request_of(given);
  const SynbenchResult result = synbench_hub(test::pool(), request, {});
  ASSERT_EQ(result.models.size(), 1U);
  const SynbenchModel& model = result.models[0];
  EXPECT_EQ(model.name, "raw");
  EXPECT_EQ(model.dim, kDim);
  EXPECT_EQ(model.train, kSamples);
  EXPECT_EQ(model.test, kSamples);
  ASSERT_EQ(model.scores.size(), 4U);  // epsilons within thresholds
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(model.scores[k].epsilon, request.epsilons[k % 2]);
    EXPECT_EQ(model.scores[k].threshold, request.thresholds[k / 2]);
    ASSERT_TRUE(model.scores[k].value);
    EXPECT_NEAR(*model.scores[k].value, 1.0, 0.35);  // the data themselves, of few samples
  }
  ASSERT_EQ(model.points.size(), 2U);
  for (const std::vector<ScalePoint>& points : model.points) {
    ASSERT_EQ(points.size(), 3U);
    EXPECT_GT(points[2].measured.accuracy, points[0].measured.accuracy);
  }
  EXPECT_EQ(model.best_epsilons.size(), 2U);
}

TEST(SynbenchHub, RefusesRequestsThatMakeNoSense) {
  const Given given;
  const auto says = [&](const std::function<void(SynbenchRequest&)>& change) {
    SynbenchRequest request = request_of(given);
    change(request);
    return test::error_of([&] { synbench_hub(test::pool(), request, {}); });
  };
  EXPECT_THAT(says([](auto& r) { r.epsilons = {1.5}; }), HasSubstr("`epsilon` 1.5"));
  EXPECT_THAT(says([](auto& r) { r.thresholds = {0.7, 0.7}; }), HasSubstr("listed twice"));
  EXPECT_THAT(says([](auto& r) { r.class_prior = 1.0; }), HasSubstr("`class_prior` 1"));
  EXPECT_THAT(says([](auto& r) { r.given.clear(); }),
              HasSubstr("no network and no representations"));
  EXPECT_THAT(says([](auto& r) { r.given.push_back(r.given[0]); }),
              HasSubstr("two models are called 'raw'"));
  EXPECT_THAT(says([](auto& r) { r.given[0].scales.shape = {2}; }),
              HasSubstr("found float32 of shape (3, 80, 4)"));
}

TEST(SynbenchReport, ShowsHalfOfAnIntervalAtNinetyFivePercent) {
  SynbenchRequest request;
  request.epsilons = {0.0, 0.4};
  request.thresholds = {0.7};
  SynbenchModel model;
  model.name = "net";
  model.scales = {1.0};
  ScalePoint point;
  point.scale = 1.0;
  model.points.assign(2, {point});
  SynbenchScore sure;
  sure.threshold = 0.7;
  sure.value = 0.5;
  sure.calibrated = 0.625;
  sure.calibrated_se = 0.1;
  SynbenchScore bare;
  bare.epsilon = 0.4;
  bare.threshold = 0.7;
  bare.value = 0.25;
  bare.reason = "too few samples";
  model.scores = {sure, bare};
  model.best_epsilons = {0.0};
  SynbenchResult result;
  result.models = {model};
  const std::string table = robust_table(result, request);
  EXPECT_THAT(table, HasSubstr("0.500 (0.625 ±0.196)"));
  EXPECT_THAT(table, HasSubstr("0.250 (-)"));
  const nlohmann::ordered_json shown = robust_json(result, request);
  EXPECT_EQ(shown["models"][0]["scores"][0]["calibrated"], 0.625);
  EXPECT_TRUE(shown["models"][0]["scores"][1]["calibrated"].is_null());
  EXPECT_EQ(shown["models"][0]["best_epsilon"], 0.0);
  EXPECT_EQ(shown["models"][0]["curves"][1]["points"][0]["status"], "ok");
}

}  // namespace
}  // namespace assay
