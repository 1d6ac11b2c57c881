#include "images/prepare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <set>

#include "assay/images.h"
#include "images/decode.h"
#include "io/npy.h"
#include "support.h"

namespace assay {
namespace {

using test::golden;

std::vector<float> prepared(const Image& image, const ViewBox& box, const Preprocessing& p) {
  std::vector<float> out(static_cast<std::size_t>(3 * p.input_size * p.input_size));
  prepare_image(image, box, p, out);
  return out;
}

// One pixel, by hand: (x / scale - mean) / std in the network's order of channels.
TEST(PrepareImage, NormalisesInTheOrderOfTheChannels) {
  const Image image{1, 1, {10, 20, 30}};
  const Preprocessing rgb{1, 10.0, {0.5, 1.0, 2.0}, {0.5, 2.0, 4.0}, false};
  const std::vector<float> first = prepared(image, {0, 0, 1, 1, false}, rgb);
  EXPECT_FLOAT_EQ(first[0], (1.0F - 0.5F) / 0.5F);
  EXPECT_FLOAT_EQ(first[1], (2.0F - 1.0F) / 2.0F);
  EXPECT_FLOAT_EQ(first[2], (3.0F - 2.0F) / 4.0F);
  Preprocessing bgr = rgb;
  bgr.bgr = true;
  const std::vector<float> second = prepared(image, {0, 0, 1, 1, false}, bgr);
  EXPECT_FLOAT_EQ(second[0], (3.0F - 0.5F) / 0.5F);
  EXPECT_FLOAT_EQ(second[2], (1.0F - 2.0F) / 4.0F);
}

// torchvision's Resize(11) and CenterCrop(10) with Pillow's bicubic filter in floating point.
TEST(PrepareImage, CutsOutTheCentre) {
  const Image image = read_image(golden("images/rgb.png"));
  Preprocessing p{10, 1.0, {0, 0, 0}, {1, 1, 1}, false};
  p.interpolation = Interpolation::bicubic;
  p.crop_pct = 0.875;
  const Array expected = open_npy(golden("images/rgb_bicubic_centre10.npy"));
  const std::vector<float> found = prepared(image, view_box(12, 16, 0, 0, 0), p);
  for (Index i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(found[static_cast<std::size_t>(i)], number_at(expected, i), 1e-3) << i;
}

TEST(PrepareImage, OfACropIsTheCropWhateverTheCentre) {
  const Image image = read_image(golden("images/rgb.png"));
  const Preprocessing plain{6, 255.0, {0, 0, 0}, {1, 1, 1}, false};
  Preprocessing centred = plain;
  centred.crop_pct = 0.5;
  const ViewBox part{2, 3, 7, 8, false};
  EXPECT_EQ(prepared(image, part, plain), prepared(image, part, centred));
  EXPECT_NE(prepared(image, view_box(12, 16, 0, 0, 0), plain),
            prepared(image, view_box(12, 16, 0, 0, 0), centred));
}

TEST(PrepareImage, MirrorsLeftAndRight) {
  const Image image = read_image(golden("images/rgb.png"));
  const Preprocessing plain{9, 255.0, {0, 0, 0}, {1, 1, 1}, false};
  const std::vector<float> straight = prepared(image, {0, 0, 12, 16, false}, plain);
  const std::vector<float> mirrored = prepared(image, {0, 0, 12, 16, true}, plain);
  for (std::size_t row = 0; row < 27; ++row) {
    for (std::size_t x = 0; x < 9; ++x) ASSERT_EQ(straight[row * 9 + x], mirrored[row * 9 + 8 - x]);
  }
}

TEST(ViewBoxes, FirstIsTheImageTheOthersAreReproducibleCrops) {
  const ViewBox whole = view_box(30, 40, 5, 17, 0);
  EXPECT_EQ(whole.height, 30);
  EXPECT_EQ(whole.width, 40);
  EXPECT_FALSE(whole.flipped);
  std::set<std::vector<Index>> seen;
  Index flips = 0;
  for (Index image = 0; image < 200; ++image) {
    for (Index view = 1; view < 4; ++view) {
      const ViewBox box = view_box(30, 40, 5, image, view);
      const ViewBox again = view_box(30, 40, 5, image, view);
      EXPECT_EQ(box.top, again.top);
      EXPECT_EQ(box.width, again.width);
      ASSERT_GE(box.top, 0);
      ASSERT_GE(box.left, 0);
      ASSERT_LE(box.top + box.height, 30);
      ASSERT_LE(box.left + box.width, 40);
      const double area = static_cast<double>(box.height * box.width) / (30.0 * 40.0);
      EXPECT_GT(area, 0.17);  // 0.2, sides rounded to pixels
      const double ratio = static_cast<double>(box.width) / static_cast<double>(box.height);
      EXPECT_GT(ratio, 0.7);
      EXPECT_LT(ratio, 1.43);
      flips += box.flipped ? 1 : 0;
      seen.insert({box.top, box.left, box.height, box.width, box.flipped ? 1 : 0});
    }
  }
  EXPECT_GT(seen.size(), 550U);
  EXPECT_NEAR(static_cast<double>(flips), 300.0, 60.0);  // 600 fair coins: five standard deviations
}

TEST(ViewBoxes, CoverAtLeastTheAreaAskedFor) {
  double smallest = 1.0;
  for (Index image = 0; image < 300; ++image) {
    const ViewBox box = view_box(200, 200, 5, image, 1, 0.6);
    smallest = std::min(smallest, static_cast<double>(box.height * box.width) / 40000.0);
  }
  EXPECT_GE(smallest, 0.59);  // sides are whole pixels
  EXPECT_LT(smallest, 0.65);
}

TEST(ViewBoxes, AreInsideImagesOfAnyShape) {
  for (const auto& [height, width] : {std::pair<Index, Index>{1, 1}, {1, 500}, {500, 2}, {3, 4}}) {
    for (Index view = 1; view < 50; ++view) {
      const ViewBox box = view_box(height, width, 0, 3, view);
      ASSERT_GE(box.height, 1);
      ASSERT_GE(box.width, 1);
      ASSERT_GE(box.top, 0);
      ASSERT_GE(box.left, 0);
      ASSERT_LE(box.top + box.height, height);
      ASSERT_LE(box.left + box.width, width);
    }
  }
}

struct Reference {
  std::string file;
  Preprocessing preprocessing;
  double tolerance;
};

// Inputs prepared independently in Python for real networks: the first eight test images of
// caltech101, 64 x 64 pixels, enlarged to 96 and shrunk to 32. ASSAY_HUB names the folder
// `features` beside them.
TEST(PrepareImage, AgreesWithReferenceInputsOfRealNetworks) {
  const char* folder = std::getenv("ASSAY_HUB");
  if (folder == nullptr) GTEST_SKIP() << "set ASSAY_HUB to a folder of real features to run this";
  const std::filesystem::path hub = std::filesystem::path(folder) / "..";
  const Images images = images_of_array(open_npy(hub / "data/caltech101/test_images.npy"));
  const std::array<double, 3> half = {0.5, 0.5, 0.5};
  const std::vector<Reference> references = {
      {"mnv1_025_128__input96.npy", {96, 255.0, half, half, false}, 1e-5},
      {"shufflenetv2_05_backbone__input96.npy", {96, 255.0, {0, 0, 0}, {1, 1, 1}, true}, 1e-5},
      {"squeezenet_11__input96.npy", {96, 1.0, {104, 117, 123}, {1, 1, 1}, true}, 1e-3},
      {"resnet20_cifar10__input32.npy",
       {32, 255.0, {0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}, false},
       1e-5}};
  for (const Reference& reference : references) {
    const Array expected = open_npy(hub / "reference" / reference.file);
    const Index size = expected.size() / 8;
    for (Index i = 0; i < 8; ++i) {
      const Image image = images->read(i);
      const std::vector<float> found =
          prepared(image, view_box(image.height, image.width, 0, i, 0), reference.preprocessing);
      ASSERT_EQ(static_cast<Index>(found.size()), size);
      for (Index k = 0; k < size; ++k) {
        ASSERT_NEAR(found[static_cast<std::size_t>(k)], number_at(expected, i * size + k),
                    reference.tolerance)
            << reference.file << " image " << i;
      }
    }
  }
}

}  // namespace
}  // namespace assay
