#include "robust/robust_probe.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "support.h"

namespace assay {
namespace {

// Features are what the network sees of the pixels: attacks then have closed forms.
class PixelTrainer : public Trainer {
 public:
  const std::vector<StateTensor>& tensors(StateKind /*kind*/) const override { return none_; }
  std::vector<float> state(StateKind /*kind*/) const override { return {}; }
  void set_state(StateKind /*kind*/, std::span<const float> /*values*/) override {}
  std::vector<float> forward(const ImageBatch& batch, Pass /*pass*/) override {
    ++passes;
    return {batch.pixels, batch.pixels + batch.count * 3 * batch.height * batch.width};
  }
  ParameterGradient backward(std::span<const float> /*features*/) override { return {}; }
  std::vector<float> backward_to_pixels(std::span<const float> features) override {
    return {features.begin(), features.end()};
  }
  std::string saved(const HeadView& /*head*/) override { return {}; }

  Index passes = 0;

 private:
  std::vector<StateTensor> none_;
};

constexpr Index kLength = 12;  // 2 x 2 pixels

UnitImages pictures(Index count, std::uint64_t seed) {
  Random random(seed);
  UnitImages out{{}, count, 2};
  for (Index i = 0; i < count * kLength; ++i)
    out.pixels.push_back(static_cast<float>(0.4 + 0.2 * random.uniform()));
  return out;
}

LinearHead two_class_head(std::uint64_t seed) {
  return {test::gaussian(kLength, 2, seed), Vector::Zero(2)};
}

double distance(std::span<const float> a, std::span<const float> b) {
  double square = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) square += std::pow(a[i] - b[i], 2.0);
  return std::sqrt(square);
}

TEST(Attack, OfALinearNetworkGoesStraightToTheBoundaryOfTheBall) {
  // Two classes: the gradient always points along w_other - w_own, seen through the slopes, so the
  // worst shift is epsilon times its direction.
  PixelTrainer trainer;
  const UnitImages images = pictures(3, 1);
  const std::vector<Label> labels = {0, 1, 1};
  const PixelMap map{{2.0F, 1.0F, 0.5F}, {0.1F, 0.0F, -0.1F}};
  const LinearHead head = two_class_head(2);
  const UnitImages found = attacked(trainer, images, labels, map, head, {0.3, 10});
  for (Index i = 0; i < 3; ++i) {
    const Label own = labels[static_cast<std::size_t>(i)];
    Vector along = head.weight.col(1 - own) - head.weight.col(own);
    for (Index k = 0; k < kLength; ++k) along(k) *= map.slope[static_cast<std::size_t>(k / 4)];
    along *= 0.3 / along.norm();
    for (Index k = 0; k < kLength; ++k) {
      EXPECT_NEAR(found.image(i)[static_cast<std::size_t>(k)],
                  images.image(i)[static_cast<std::size_t>(k)] + along(k), 1e-6);
    }
  }
}

TEST(Attack, StaysInTheBallAndInTheRangeOfPixels) {
  PixelTrainer trainer;
  UnitImages images = pictures(4, 3);
  for (std::size_t i = 0; i < 12; ++i) images.pixels[i] = i % 2 == 0 ? 0.0F : 1.0F;
  const std::vector<Label> labels = {0, 0, 1, 1};
  const UnitImages found = attacked(trainer, images, labels, {}, two_class_head(4), {2.0, 7});
  for (Index i = 0; i < 4; ++i) EXPECT_LE(distance(found.image(i), images.image(i)), 2.0 + 1e-5);
  for (const float value : found.pixels) {
    EXPECT_GE(value, 0.0F);
    EXPECT_LE(value, 1.0F);
  }
}

TEST(Attack, OfRadiusZeroCostsNothing) {
  PixelTrainer trainer;
  const UnitImages images = pictures(2, 1);
  const std::vector<Label> labels = {0, 1};
  EXPECT_EQ(attacked(trainer, images, labels, {}, two_class_head(1), {0.0, 10}).pixels,
            images.pixels);
  EXPECT_EQ(trainer.passes, 0);
}

TEST(Attack, AHeadThatSaysNothingLeavesPicturesAlone) {
  PixelTrainer trainer;
  const UnitImages images = pictures(2, 1);
  const std::vector<Label> labels = {0, 1};
  const LinearHead blind{Matrix::Zero(kLength, 2), Vector::Zero(2)};
  EXPECT_EQ(attacked(trainer, images, labels, {}, blind, {0.5, 3}).pixels, images.pixels);
}

// Class 1 has a strong feature (pixel 0) and a faint one (pixel 1) that separates as well.
ProbeImages separable(Index count, std::uint64_t seed) {
  Random random(seed);
  UnitImages all{{}, count, 2};
  std::vector<Label> labels;
  for (Index i = 0; i < count; ++i) {
    labels.push_back(static_cast<Label>(i % 2));
    const double sign = i % 2 == 0 ? -1.0 : 1.0;
    for (Index k = 0; k < kLength; ++k) {
      const double shift = k == 0 ? 0.3 * sign : k == 1 ? 0.05 * sign : 0.0;
      const double noise = (k == 1 ? 0.02 : 0.1) * (random.uniform() - 0.5);
      all.pixels.push_back(static_cast<float>(0.5 + shift + noise));
    }
  }
  return {[all](std::span<const Index> rows) {
            UnitImages out{{}, static_cast<Index>(rows.size()), 2};
            for (const Index row : rows)
              out.pixels.insert(out.pixels.end(), all.image(row).begin(), all.image(row).end());
            return out;
          },
          labels};
}

TEST(RobustProbe, TrainingAgainstAttacksHelpsAgainstThem) {
  PixelTrainer trainer;
  const ProbeImages train = separable(200, 1);
  const ProbeImages test = separable(100, 2);
  const std::vector<AttackOptions> attacks = {{0.2, 10}};
  const auto probed = [&](double epsilon) {
    const RobustProbeOptions options{.attack = {epsilon, 10}, .classes = 2, .seed = 3};
    const LinearHead head = train_robust_probe(trainer, train, {}, options, {});
    return test_robust_probe(trainer, test, {}, head, attacks, 32, 5);
  };
  const RobustAccuracy plain = probed(0.0);
  const RobustAccuracy robust = probed(0.2);
  EXPECT_GT(plain.clean, 0.97);
  EXPECT_GT(robust.clean, 0.97);
  EXPECT_GT(robust.attacks.at(0).accuracy, plain.attacks.at(0).accuracy);
  EXPECT_GT(robust.attacks.at(0).accuracy, 0.9);  // the strong feature alone withstands 0.2
  // Of the right ones, those that were turned.
  const AttackedAccuracy& hit = plain.attacks.at(0);
  EXPECT_NEAR(hit.success, (plain.clean - hit.accuracy) / plain.clean, 1e-12);
  ASSERT_EQ(plain.corruptions.size(), kCorruptions.size());
}

TEST(Corruption, DoesWhatItSays) {
  UnitImages one{std::vector<float>(12), 1, 2};
  for (std::size_t i = 0; i < 12; ++i) one.pixels[i] = static_cast<float>(i % 4) / 4.0F;
  const auto after = [&](Corruption corruption) { return corrupted(one, corruption, 1, 0).pixels; };
  EXPECT_FLOAT_EQ(after(Corruption::brightness)[1], 0.45F);
  EXPECT_FLOAT_EQ(after(Corruption::contrast)[0], 0.1875F);  // halfway to the mean, 0.375
  EXPECT_FLOAT_EQ(after(Corruption::pixelate)[3], 0.375F);
  // (1 2 1)/4 twice with repeated borders is (10 6)/16 and (6 10)/16 of the two pixels.
  const double left = (10.0 * 0.0 + 6.0 * 0.25) / 16.0;
  const double right = (10.0 * 0.5 + 6.0 * 0.75) / 16.0;
  EXPECT_NEAR(after(Corruption::blur)[0], (10.0 * left + 6.0 * right) / 16.0, 1e-6);
  EXPECT_EQ(after(Corruption::noise), corrupted(one, Corruption::noise, 1, 0).pixels);
  EXPECT_NE(after(Corruption::noise), corrupted(one, Corruption::noise, 1, 1).pixels);
  for (const Corruption corruption : kCorruptions)
    for (const float value : after(corruption)) EXPECT_TRUE(value >= 0.0F && value <= 1.0F);
}

}  // namespace
}  // namespace assay
