// Tests: robust/attack, robust/apgd, robust/square_attack, robust/strong_attack.
#include "robust/robust_probe.h"

#include <gtest/gtest.h>

#include <algorithm>
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

RobustAccuracy probed(double epsilon, bool keep_shifts, PixelTrainer& trainer) {
  const ProbeImages train = separable(200, 1);
  const ProbeImages test = separable(100, 2);
  const RobustProbeOptions options{
      .attack = {epsilon, 10}, .classes = 2, .seed = 3, .keep_shifts = keep_shifts};
  const FloatMatrix clean = clean_features(trainer, train, {}, 32);
  const LinearHead head = train_robust_probe(trainer, train, clean, {}, options, {});
  const std::vector<StrongAttack> attacks = {{.epsilon = 0.2, .steps = 20, .queries = 50}};
  return attack_probe(trainer, test, {}, head, attacks, 32, {});
}

TEST(RobustProbe, TrainingAgainstAttacksHelpsAgainstThem) {
  PixelTrainer trainer;
  const RobustAccuracy plain = probed(0.0, true, trainer);
  EXPECT_GT(plain.clean, 0.97);
  for (const bool keep_shifts : {true, false}) {
    const RobustAccuracy robust = probed(0.2, keep_shifts, trainer);
    EXPECT_GT(robust.clean, 0.97);
    EXPECT_GT(robust.attacks.at(0).accuracy, plain.attacks.at(0).accuracy);
    EXPECT_GT(robust.attacks.at(0).accuracy, 0.9);  // the strong feature alone withstands 0.2
  }
  // Of the right ones, those that were turned; the later attacks can only turn more.
  const AttackedAccuracy& hit = plain.attacks.at(0);
  EXPECT_NEAR(hit.success, (plain.clean - hit.accuracy) / plain.clean, 1e-12);
  EXPECT_LE(hit.accuracy, hit.pgd_accuracy);
}

// Steps that go on from epoch to epoch: as many passes in all epochs as one epoch of full attacks.
TEST(RobustProbe, SpreadsTheStepsOfAnAttackOverTheEpochs) {
  const ProbeImages train = separable(96, 1);
  const auto passes = [&](bool keep_shifts) {
    PixelTrainer trainer;
    const RobustProbeOptions options{
        .attack = {0.2, 10}, .classes = 2, .epochs = 5, .keep_shifts = keep_shifts};
    const FloatMatrix clean = clean_features(trainer, train, {}, 48);
    trainer.passes = 0;
    train_robust_probe(trainer, train, clean, {}, options, {});
    return trainer.passes;
  };
  EXPECT_EQ(passes(true), 2 * 5 * (2 + 1));  // two batches, five epochs
  EXPECT_EQ(passes(false), 2 * 5 * (10 + 1));
}

// Three classes and pixels as features: the smallest shift that turns a picture is its distance
// from the nearest boundary, so it is known which pictures can withstand.
class StrongAttacks : public testing::Test {
 protected:
  StrongAttacks() {
    for (Index i = 0; i < images_.count; ++i) {
      Vector x(kLength);
      for (Index k = 0; k < kLength; ++k)
        x(k) = static_cast<double>(images_.image(i)[static_cast<std::size_t>(k)]);
      const Vector outputs = head_.weight.transpose() * x + head_.bias;
      Index own = 0;
      outputs.maxCoeff(&own);
      labels_.push_back(static_cast<Label>(own));
      double nearest = HUGE_VAL;
      for (Index c = 0; c < 3; ++c) {
        if (c == own) continue;
        const double apart = (head_.weight.col(own) - head_.weight.col(c)).norm();
        nearest = std::min(nearest, (outputs(own) - outputs(c)) / apart);
      }
      distances_.push_back(nearest);
    }
  }

  AttackTask task() const { return {images_, labels_, map_, head_, 0}; }

  // No attack turns what is out of reach, and those that follow gradients turn all that is not.
  void expect(const std::vector<bool>& right, double epsilon, double reached) const {
    for (std::size_t i = 0; i < right.size(); ++i) {
      if (distances_[i] > epsilon + 1e-6) {
        EXPECT_TRUE(right[i]) << i;
      }
      if (distances_[i] < reached * epsilon) {
        EXPECT_FALSE(right[i]) << i;
      }
    }
  }

  UnitImages images_ = pictures(40, 5);
  PixelMap map_;
  LinearHead head_{test::gaussian(kLength, 3, 8), test::gaussian(3, 1, 9).col(0) * 0.1};
  std::vector<Label> labels_;
  std::vector<double> distances_;
  PixelTrainer trainer_;
  const std::vector<bool> all_ = std::vector<bool>(40, true);
};

TEST_F(StrongAttacks, TurnWhatIsWithinReachAndNothingElse) {
  for (const double epsilon : {0.02, 0.05, 0.1, 0.2}) {
    const StrongAttack attack{.epsilon = epsilon, .steps = 40};
    expect(after_pgd(trainer_, task(), all_, attack), epsilon, 0.9);
    for (const bool random_start : {false, true}) {
      for (const AttackLoss loss : {AttackLoss::cross_entropy, AttackLoss::dlr}) {
        expect(after_apgd(trainer_, task(), all_, attack, loss, random_start), epsilon, 0.9);
      }
    }
  }
}

TEST_F(StrongAttacks, SquareFindsItsWayWithoutGradients) {
  const double epsilon = 0.2;
  const StrongAttack attack{.epsilon = epsilon, .queries = 500};
  const std::vector<bool> right = after_square(trainer_, task(), all_, attack);
  expect(right, epsilon, 0.6);
  EXPECT_EQ(right, after_square(trainer_, task(), all_, attack));
}

// Outputs a hundred times as long: the cross-entropy of a sure classifier has no gradient left in
// float, the ratio of differences is the same.
TEST_F(StrongAttacks, DlrDoesNotCareHowSureAClassifierIs) {
  const StrongAttack attack{.epsilon = 0.1, .steps = 40};
  LinearHead sure{1e4 * head_.weight, 1e4 * head_.bias};
  const AttackTask loud{images_, labels_, map_, sure, 0};
  expect(after_apgd(trainer_, loud, all_, attack, AttackLoss::dlr, false), 0.1, 0.9);
}

TEST_F(StrongAttacks, LeavePicturesAloneThatAreWrongAlready) {
  const std::vector<bool> none(40, false);
  const StrongAttack attack{.epsilon = 0.1};
  EXPECT_EQ(after_strong(trainer_, task(), none, attack), none);
  EXPECT_EQ(trainer_.passes, 0);
}

}  // namespace
}  // namespace assay
