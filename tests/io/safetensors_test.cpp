#include "io/safetensors.h"

#include <gtest/gtest.h>

#include "files.h"

namespace assay {
namespace {

using test::error_of;
using test::says;

std::string image(const std::string& header, const std::string& data) {
  const std::vector<std::uint64_t> length = {header.size()};
  return test::bytes_of(length) + header + data;
}

const std::string kHeader = R"({"__metadata__":{"format":"pt"},)"
                            R"("labels":{"dtype":"I64","shape":[2],"data_offsets":[24,40]},)"
                            R"("features":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}})";
const std::string kData =
    test::bytes_of<float>({1, 2, 3, 4, 5, 6}) + test::bytes_of<std::int64_t>({-7, 8});

// The error of opening tensor "x" described by `entry`, with 8 bytes of data.
std::string error_of_entry(const std::string& entry) {
  const auto path = test::write_file("x.safetensors", image(R"({"x":)" + entry + "}", "12345678"));
  return error_of([&] { open_safetensors(path, "x"); });
}

TEST(Safetensors, ReadsTensorsByName) {
  const auto path = test::write_file("a.safetensors", image(kHeader, kData));
  EXPECT_EQ(safetensors_names(path), (std::vector<std::string>{"features", "labels"}));
  const Array features = open_safetensors(path, "features");
  EXPECT_EQ(features.type, ElementType::f32);
  EXPECT_EQ(features.shape, (std::vector<Index>{2, 3}));
  EXPECT_EQ(test::numbers(features), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(test::numbers(open_safetensors(path, "labels")), (std::vector<double>{-7, 8}));
  EXPECT_TRUE(says(error_of([&] { open_safetensors(path, "probs"); }),
                   "holds no tensor 'probs'; it holds: features, labels"));
}

TEST(Safetensors, AcceptsScalarsAndEmptyTensors) {
  EXPECT_EQ(error_of_entry(R"({"dtype":"F64","shape":[],"data_offsets":[0,8]})"), "");
  EXPECT_EQ(error_of_entry(R"({"dtype":"F64","shape":[0,5],"data_offsets":[0,0]})"), "");
}

TEST(Safetensors, RefusesWhatIsNotSafetensors) {
  const auto error = [](const std::string& bytes) {
    return error_of([&] { safetensors_names(test::write_file("x.safetensors", bytes)); });
  };
  EXPECT_TRUE(says(error(""), "the file is empty"));
  EXPECT_TRUE(says(error("1234"), "only 4 bytes"));
  EXPECT_TRUE(says(error("plain text is no length"), "promise a header of"));
  EXPECT_TRUE(says(error(std::string(8, '\xFF') + "{}"), "18446744073709551615 bytes, 2 follow"));
  EXPECT_TRUE(says(error(image("[1, 2]", "")), "not a JSON object"));
  EXPECT_TRUE(says(error(image("{\"a\": ", "")), "not valid JSON"));
  EXPECT_TRUE(says(error(image(std::string(100'000, '['), "")), "levels deep"));
  EXPECT_TRUE(says(error(image(R"({"a": 3})", "")), "not an object"));
}

TEST(Safetensors, RefusesOffsetsThatLie) {
  EXPECT_TRUE(says(error_of_entry(R"({"dtype":"F32","shape":[4],"data_offsets":[0,16]})"),
                   "[0, 16] lie outside the 8 bytes"));
  EXPECT_TRUE(
      says(error_of_entry(R"({"dtype":"F32","shape":[1],"data_offsets":[8,4]})"), "lie outside"));
  EXPECT_TRUE(says(error_of_entry(R"({"dtype":"F32","shape":[1],"data_offsets":[0,8]})"),
                   "shape (1,) of F32 does not take the 8 bytes"));
  // The product of the shape overflows to 0.
  EXPECT_TRUE(says(
      error_of_entry(R"({"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]})"),
      "does not take the 0 bytes"));
}

TEST(Safetensors, RefusesEntriesThatMakeNoSense) {
  const std::string wanted = "expected dtype, shape and two data_offsets";
  EXPECT_TRUE(says(error_of_entry(R"({"shape":[1],"data_offsets":[0,4]})"), wanted));
  EXPECT_TRUE(says(error_of_entry(R"({"dtype":"F32","data_offsets":[0,4]})"), wanted));
  EXPECT_TRUE(says(error_of_entry(R"({"dtype":"F32","shape":[1],"data_offsets":[0]})"), wanted));
  EXPECT_TRUE(says(error_of_entry(R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})"), wanted));
  EXPECT_TRUE(
      says(error_of_entry(R"({"dtype":"F32","shape":[1.5],"data_offsets":[0,4]})"), wanted));
  EXPECT_TRUE(says(error_of_entry(R"({"dtype":7,"shape":[1],"data_offsets":[0,4]})"), wanted));
  EXPECT_TRUE(
      says(error_of_entry(R"({"dtype":"F32","shape":[1],"data_offsets":[0,18446744073709551615]})"),
           wanted));
}

TEST(Safetensors, RefusesTensorsThatOverlap) {
  const auto path = test::write_file(
      "x.safetensors", image(R"({"a":{"dtype":"U8","shape":[6],"data_offsets":[0,6]},)"
                             R"("b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
                             "12345678"));
  EXPECT_TRUE(says(error_of([&] { safetensors_names(path); }), "overlap those of 'a'"));
}

TEST(Safetensors, AsksForAnotherTypeThanBfloat16) {
  EXPECT_TRUE(says(error_of_entry(R"({"dtype":"BF16","shape":[4],"data_offsets":[0,8]})"),
                   "dtype BF16 is not supported; save it as F16 or F32"));
}

TEST(Safetensors, RefusesEveryTruncation) {
  const std::string whole = image(kHeader, kData);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto path = test::write_file("cut.safetensors", whole.substr(0, size));
    EXPECT_NE(error_of([&] { open_safetensors(path, "features"); }), "") << size << " bytes";
  }
}

}  // namespace
}  // namespace assay
