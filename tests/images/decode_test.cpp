// Tests: images/jpeg, images/png, images/webp.
#include "images/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "assay/error.h"
#include "core/memory.h"
#include "io/npy.h"
#include "support.h"

namespace assay {
namespace {

using test::error_of;
using test::golden;
using test::TemporaryDirectory;
using test::write_text;
using testing::AllOf;
using testing::HasSubstr;

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// Largest difference to an (h, w, 3) array of bytes; -1 when the sizes differ.
int difference(const Image& image, const std::string& expected) {
  const Array array = open_npy(golden("images/" + expected));
  if (array.shape != std::vector<Index>{image.height, image.width, 3}) return -1;
  int largest = 0;
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    largest = std::max(largest, std::abs(image.pixels[i] - std::to_integer<int>(array.bytes[i])));
  }
  return largest;
}

struct Case {
  std::string file, expected;
  int tolerance;
};

class Decode : public testing::TestWithParam<Case> {};

// Expected pixels come from Pillow; alpha and orientation are ignored as its convert("RGB") does.
TEST_P(Decode, GivesThePixelsThatPillowGives) {
  const Image image = read_image(golden("images/" + GetParam().file));
  EXPECT_EQ(image.width, 16);
  EXPECT_EQ(image.height, 12);
  const int found = difference(image, GetParam().expected);
  EXPECT_GE(found, 0);
  EXPECT_LE(found, GetParam().tolerance);
}

INSTANTIATE_TEST_SUITE_P(
    Files, Decode,
    testing::Values(Case{"rgb.png", "rgb.npy", 0}, Case{"rgb.webp", "rgb.npy", 0},
                    Case{"alpha.png", "rgb.npy", 0}, Case{"alpha.webp", "rgb.npy", 0},
                    Case{"grey.png", "grey.npy", 0}, Case{"grey16.png", "grey.npy", 0},
                    Case{"palette.png", "palette.png.npy", 0}, Case{"rgb.jpg", "rgb.jpg.npy", 1},
                    Case{"grey.jpg", "grey.jpg.npy", 1},
                    Case{"progressive.jpg", "progressive.jpg.npy", 1},
                    Case{"rotated.jpg", "rgb.jpg.npy", 1}, Case{"cmyk.jpg", "cmyk.jpg.npy", 1},
                    Case{"lossy.webp", "lossy.webp.npy", 1}),
    [](const auto& row) {
      std::string name = row.param.file;
      std::replace(name.begin(), name.end(), '.', '_');
      return name;
    });

class CutShort : public testing::TestWithParam<std::string> {};

// Every length: a picture is whole or an error that names it, never half a picture or a crash.
// (The bytes after a WebP's or PNG's last pixel may be missing without harm.)
TEST_P(CutShort, IsAnErrorThatNamesTheFile) {
  const std::string whole = contents(golden("images/" + GetParam()));
  const Image expected = decode_image(bytes_of(whole), "whole");
  Index refused = 0;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string cut = whole.substr(0, length);
    try {
      EXPECT_EQ(decode_image(bytes_of(cut), "cut.img").pixels, expected.pixels) << length;
    } catch (const Error& error) {
      ++refused;
      EXPECT_THAT(error.what(), HasSubstr("cut.img"));
    }
  }
  EXPECT_GT(refused, static_cast<Index>(0.9 * static_cast<double>(whole.size())));
}

INSTANTIATE_TEST_SUITE_P(Files, CutShort,
                         testing::Values("rgb.png", "rgb.jpg", "rgb.webp", "lossy.webp",
                                         "palette.png", "cmyk.jpg"),
                         [](const auto& row) {
                           std::string name = row.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

class Flipped : public CutShort {};

TEST_P(Flipped, BytesNeverCrashTheDecoder) {
  const std::string whole = contents(golden("images/" + GetParam()));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xFF);
    try {
      const Image image = decode_image(bytes_of(damaged), "damaged.img");
      EXPECT_EQ(static_cast<Index>(image.pixels.size()), 3 * image.height * image.width);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("damaged.img"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Flipped,
                         testing::Values("rgb.png", "rgb.jpg", "rgb.webp", "lossy.webp"),
                         [](const auto& row) {
                           std::string name = row.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST(DecodeErrors, SayWhatIsWrongWithTheFile) {
  const TemporaryDirectory folder;
  const auto error_for = [&](const std::string& name, const std::string& text) {
    write_text(folder / name, text);
    return error_of([&] { read_image(folder / name); });
  };
  EXPECT_THAT(error_for("empty.jpg", ""), AllOf(HasSubstr("empty.jpg"), HasSubstr("empty")));
  EXPECT_THAT(error_for("notes.jpg", "these are notes"),
              AllOf(HasSubstr("notes.jpg"), HasSubstr("not an image")));
  EXPECT_THAT(error_for("old.png", "GIF89a...."), HasSubstr("not an image"));
  EXPECT_THAT(error_of([] { read_image(golden("images/animated.webp")); }), HasSubstr("animated"));
  EXPECT_THAT(error_of([&] { read_image(folder / "absent.png"); }), HasSubstr("absent.png"));
}

// A PNG header of 0 x 0 and one of a million squared (the checksums are right).
TEST(DecodeErrors, RefuseSizesThatNoPictureHas) {
  const std::string signature("\x89PNG\r\n\x1a\n", 8);
  const std::string nothing =
      signature + std::string("\0\0\0\rIHDR\0\0\0\0\0\0\0\0\x08\x02\0\0\0\xb4\xe9\xeb\x45", 25);
  EXPECT_THAT(error_of([&] { decode_image(bytes_of(nothing), "zero.png"); }),
              HasSubstr("zero.png"));
  const std::string huge =
      signature +
      std::string("\0\0\0\rIHDR\0\x0f\x42\x40\0\x0f\x42\x40\x08\x02\0\0\0\xd3\x0f\xaf\x2a", 25);
  EXPECT_THAT(error_of([&] { decode_image(bytes_of(huge), "huge.png"); }), HasSubstr("huge.png"));
}

TEST(ImageFiles, AreKnownByTheirNames) {
  for (const char* name : {"a.jpg", "a.JPG", "a.jpeg", "a.png", "b/a.WebP"})
    EXPECT_TRUE(is_image_file(name)) << name;
  for (const char* name : {"a.gif", "jpg", "a.npy", "a.jpg.txt", ""})
    EXPECT_FALSE(is_image_file(name)) << name;
}

// The first warning of the library, of a few bytes too many, hid the second, of half a picture.
TEST(DecodeImage, JunkBeforeAMarkerDoesNotHideThatTheRestIsMissing) {
  const std::string whole = contents(golden("images/rgb.jpg"));
  for (const char* marker : {"\xFF\xC0", "\xFF\xDA"}) {
    const std::size_t at = whole.find(marker);
    ASSERT_NE(at, std::string::npos);
    const std::string junk = whole.substr(0, at) + "junk" + whole.substr(at);
    EXPECT_EQ(decode_image(bytes_of(junk), "junk.jpg").pixels,
              decode_image(bytes_of(whole), "rgb.jpg").pixels);  // harmless by itself
    const std::string cut = junk.substr(0, at + (junk.size() - at) * 2 / 3);
    EXPECT_THAT(error_of([&] { decode_image(bytes_of(cut), "cut.jpg"); }),
                AllOf(HasSubstr("cut.jpg"), HasSubstr("JPEG")));
  }
}

TEST(DecodeImage, MorePixelsThanTheFileCanHoldAreRefusedBeforeDecoding) {
  std::string vast = contents(golden("images/cmyk.jpg"));
  const std::size_t frame = vast.find("\xFF\xC0");
  ASSERT_NE(frame, std::string::npos);
  vast.replace(frame + 5, 4, std::string("\x2F\xF0\x2A\x00", 4));  // 12272 x 10752
  EXPECT_THAT(error_of([&] { decode_image(bytes_of(vast), "vast.jpg"); }),
              HasSubstr("more than a file of its length can hold"));
  std::string png = contents(golden("images/alpha.png"));
  png.replace(16, 8, std::string("\0\0\x2A\0\0\0\x2F\xF0", 8));
  EXPECT_NE(error_of([&] { decode_image(bytes_of(png), "vast.png"); }), "");
}

TEST(DecodeImage, ObeysTheMemoryLimit) {
  const std::string picture = contents(golden("images/rgb.png"));
  limit_reading(64);
  const std::string message = error_of([&] { decode_image(bytes_of(picture), "rgb.png"); });
  limit_reading(0);
  EXPECT_THAT(message,
              HasSubstr("of memory when decoded, the limit is 64 B; raise `memory_limit`"));
}

}  // namespace
}  // namespace assay
