// Small networks, trained for a second or two: what they learn, and what is made of them.

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "batches.h"
#include "pretext.h"
#include "support.h"
#include "train.h"
#include "tune.h"
#include "write_questions.h"

namespace sprites {
namespace {

using assay::Index;
using assay::test::pool;

TEST(SpritePretexts, EveryImageIsTurnedEachWay) {
  at::Tensor images = at::zeros({1, 3, kSide, kSide});
  images.select(2, 2).select(2, 9).fill_(1.0);  // row 2 from the top, column 9
  const Turned turned = quarter_turns(images);
  const Index last = kSide - 1;
  // Counter-clockwise, what was at the right is on top.
  const std::array<std::array<Index, 2>, 4> places = {
      {{2, 9}, {last - 9, 2}, {last - 2, last - 9}, {9, last - 2}}};
  for (Index turn = 0; turn < 4; ++turn) {
    EXPECT_EQ(turned.turns[turn].item<int64_t>(), turn);
    const auto [row, column] = places[static_cast<std::size_t>(turn)];
    EXPECT_EQ(turned.images[turn][1][row][column].item<float>(), 1.0F) << turn;
    EXPECT_EQ(turned.images[turn].sum().item<float>(), 3.0F);
  }
}

// -log of the partner's share among all other rows, in plain loops.
double plain_contrastive_loss(const at::Tensor& rows) {
  const Index count = rows.size(0);
  const auto cosine = [&](Index i, Index j) {
    const double product = rows[i].dot(rows[j]).item<double>();
    const double squares =
        rows[i].dot(rows[i]).item<double>() * rows[j].dot(rows[j]).item<double>();
    return product / std::sqrt(squares);
  };
  double loss = 0.0;
  for (Index i = 0; i < count; ++i) {
    double others = 0.0;
    for (Index j = 0; j < count; ++j) {
      if (j != i) others += std::exp(cosine(i, j) / 0.2);
    }
    loss += std::log(others) - cosine(i, (i + count / 2) % count) / 0.2;
  }
  return loss / static_cast<double>(count);
}

TEST(SpritePretexts, TheContrastiveLossIsThatOfPickingThePartner) {
  const at::Tensor rows = at::arange(24, at::kDouble).mul(1.7).sin().view({8, 3});
  EXPECT_NEAR(contrastive_loss(rows.slice(0, 0, 4), rows.slice(0, 4, 8)).item<double>(),
              plain_contrastive_loss(rows), 1e-9);
}

TEST(SpritePretexts, ViewsDifferAndFollowTheirGenerator) {
  const Scene scene = draw_scene(pool(), source_part(), 4, 1);
  const at::Tensor images = network_input(scene.images);
  const auto view = [&](std::uint64_t seed) {
    return other_view(images, at::detail::createCPUGenerator(seed));
  };
  EXPECT_TRUE(view(1).equal(view(1)));
  EXPECT_FALSE(view(1).allclose(view(2), 0.1, 0.1));
  EXPECT_EQ(view(1).sizes(), images.sizes());
}

TEST(SpriteBatches, EveryRowComesOnceInAnEpochAndTheRateFalls) {
  assay::Random random(1);
  std::multiset<Index> seen;
  std::vector<double> rates;
  in_batches(96, 2, random, [&](const at::Tensor& rows, double rate) {
    for (Index i = 0; i < rows.size(0); ++i) seen.insert(rows[i].item<int64_t>());
    rates.push_back(rate);
  });
  for (Index row = 0; row < 96; ++row) EXPECT_EQ(seen.count(row), 2U);
  EXPECT_EQ(rates.size(), 6U);
  EXPECT_TRUE(std::is_sorted(rates.rbegin(), rates.rend()));
  EXPECT_LT(rates.back(), 0.1 * rates.front());
}

const Source& small_source() {
  static const Source source = {draw_scene(pool(), source_part(), 960, 1),
                                draw_scene(pool(), source_part(), 240, 2)};
  return source;
}

assay::ImageData small_question(const assay::test::TemporaryDirectory& folder, const char* name) {
  write_questions(folder.path(), "train", draw_scene(pool(), target_part(), 480, 3));
  write_questions(folder.path(), "test", draw_scene(pool(), target_part(), 240, 4));
  return assay::open_image_data(folder / name);
}

const Plan kTextures = {"textures", Pretext::textures, 8, 1, 1, 0, 12};
const Plan kRandom = {"random", Pretext::none, 8, 1, 1, 0, 1};

TEST(SpriteNetworks, LearnTheirPretextAndDependOnTheSeedAlone) {
  const TrainedNetwork network = train_network(kTextures, small_source(), 5);
  ASSERT_TRUE(network.accuracy.has_value());
  EXPECT_GT(*network.accuracy, 0.45);  // chance is 0.25, the standard error 0.03
  EXPECT_EQ(train_network(kTextures, small_source(), 5).accuracy, network.accuracy);
  // Weights of the convolutions, gains and offsets, the head.
  EXPECT_EQ(network.params, 3 * 8 * 25 + 8 * 16 * 9 + 16 * 32 * 9 + 2 * (8 + 16 + 32) + 33 * 4);
  EXPECT_FALSE(train_network(kRandom, small_source(), 5).accuracy.has_value());
}

// Textures that neither has seen.
TEST(SpriteNetworks, FineTuningGainsFromWhatWasLearntBefore) {
  const assay::test::TemporaryDirectory folder;
  const assay::ImageData data = small_question(folder, "textures");
  const auto worth = [&](const Plan& plan) {
    return fine_tuned(train_network(plan, small_source(), 5).torchscript, data, 6, 1);
  };
  // The standard error of an accuracy on 240 images is 0.03.
  EXPECT_GT(worth(kTextures), worth(kRandom) + 0.1);
}

TEST(SpriteNetworks, FineTuningForNumbersReportsTheVarianceExplained) {
  const assay::test::TemporaryDirectory folder;
  const assay::ImageData data = small_question(folder, "position");
  const Plan in_cells = {"random", Pretext::none, 8, 1, 2, 0, 1};
  const std::string network = train_network(in_cells, small_source(), 5).torchscript;
  const double tuned = fine_tuned(network, data, 8, 1);
  EXPECT_GT(tuned, 0.3);
  EXPECT_LT(tuned, 1.0);
  EXPECT_LT(fine_tuned(network, data, 0, 1), 0.1);  // a head that has learnt nothing
}

}  // namespace
}  // namespace sprites
