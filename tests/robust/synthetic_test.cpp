#include "robust/synthetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support.h"

namespace assay {
namespace {

struct Collected {
  std::vector<FloatMatrix> by_scale;
  std::vector<Label> labels;
};

Collected collect(ThreadPool& pool, const SyntheticData& data, const std::vector<double>& scales,
                  Index block) {
  Collected out;
  out.by_scale.assign(scales.size(), FloatMatrix(data.dim, data.samples));
  out.labels.assign(static_cast<std::size_t>(data.samples), -1);
  stream_inputs(pool, data, scales, block, [&](const InputBlock& part) {
    out.by_scale[part.scale].middleCols(part.first, part.inputs->cols()) = *part.inputs;
    std::copy(part.labels.begin(), part.labels.end(), out.labels.begin() + part.first);
  });
  return out;
}

TEST(StreamInputs, GivesTheSameInputsForAnyThreadsAndBlocks) {
  const SyntheticData data{.dim = 37, .samples = 101, .seed = 5};
  const std::vector<double> scales = {0.1, 2.0};
  ThreadPool one(1);
  ThreadPool four(4);
  const Collected a = collect(one, data, scales, 101);
  for (const Index block : {1, 7, 64, 1000}) {
    const Collected b = collect(four, data, scales, block);
    EXPECT_EQ(a.labels, b.labels);
    for (std::size_t s = 0; s < scales.size(); ++s) EXPECT_EQ(a.by_scale[s], b.by_scale[s]);
  }
}

TEST(StreamInputs, ShiftsNoiseOfNewSignsAlongTheDiagonal) {
  const SyntheticData data{.dim = 16, .samples = 50, .seed = 2};
  const std::vector<double> scales = {1.0, 4.0};
  const Collected all = collect(test::pool(), data, scales, 8);
  const Matrix noise = synthetic_noise(test::pool(), data);
  for (std::size_t s = 0; s < scales.size(); ++s) {
    const Vector signs = noise_signs(data, scales[s]).cast<double>();
    for (Index i = 0; i < data.samples; ++i) {
      const double shift = (data.label(i) == 1 ? 1.0 : -1.0) * scales[s] / 4.0;  // sqrt(16)
      for (Index k = 0; k < data.dim; ++k)
        EXPECT_NEAR(all.by_scale[s](k, i), signs[k] * noise(k, i) + 0.5 + shift, 1e-6);
    }
  }
}

TEST(NoiseSigns, AreFairAndIndependentFromScaleToScale) {
  constexpr Index dim = 10000;
  const SyntheticData data{.dim = dim, .samples = 1, .seed = 7};
  std::vector<Eigen::VectorXf> signs;
  for (const double scale : {0.1, 0.2, 0.3, 4.9}) signs.push_back(noise_signs(data, scale));
  for (std::size_t a = 0; a < signs.size(); ++a) {
    EXPECT_EQ(signs[a].cwiseAbs(), Eigen::VectorXf::Ones(dim));
    EXPECT_LT(std::abs(signs[a].sum()), 4.0 * std::sqrt(dim));
    for (std::size_t b = 0; b < a; ++b)
      EXPECT_LT(std::abs(signs[a].dot(signs[b])), 4.0 * std::sqrt(dim));
  }
  SyntheticData other = data;
  other.seed = 8;
  EXPECT_NE(noise_signs(other, 0.1), signs[0]);
}

TEST(SyntheticData, MeetsTheShareOfItsClasses) {
  for (const double prior : {0.5, 0.25, 0.3, 0.9}) {
    const SyntheticData data{.dim = 1, .samples = 1000, .class_prior = prior};
    const std::vector<Label> labels = data.labels();
    EXPECT_EQ(std::accumulate(labels.begin(), labels.end(), 0), std::lround(1000 * prior));
    const auto half = std::accumulate(labels.begin(), labels.begin() + 500, 0);
    EXPECT_NEAR(half, 500 * prior, 1.0);  // evenly: any part has them in the same shares
  }
}

TEST(SyntheticData, HasIndependentStreamsToFitAndToMeasure) {
  const SyntheticData fit{.dim = 20, .samples = 500, .seed = 1, .stream = 0};
  SyntheticData measure = fit;
  measure.stream = 1;
  const Matrix a = synthetic_noise(test::pool(), fit);
  const Matrix b = synthetic_noise(test::pool(), measure);
  EXPECT_LT(std::abs(a.cwiseProduct(b).sum()), 4.0 * std::sqrt(static_cast<double>(a.size())));
}

}  // namespace
}  // namespace assay
