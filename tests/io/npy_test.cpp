// Tests: io/array.
#include "io/npy.h"

#include <gtest/gtest.h>

#include "files.h"

namespace assay {
namespace {

using test::error_of;
using test::npy;
using test::numbers;
using test::says;
using test::write_file;

const std::string kSixFloats = test::bytes_of(std::vector<float>{1, 2, 3, 4, 5, 6});

std::string error_opening(const std::string& image) {
  return error_of([&] { open_npy(write_file("a.npy", image)); });
}

TEST(Npy, ReadsVersionsOneToThree) {
  for (const int version : {1, 2, 3}) {
    const Array array = open_npy(write_file("a.npy", npy("'<f4'", "(2, 3)", kSixFloats, version)));
    EXPECT_EQ(array.type, ElementType::f32);
    EXPECT_EQ(array.shape, (std::vector<Index>{2, 3}));
    EXPECT_FALSE(array.fortran_order);
    EXPECT_EQ(numbers(array), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  }
}

TEST(Npy, NotesFortranOrder) {
  const Array array = open_npy(write_file("a.npy", npy("'<f4'", "(2, 3)", kSixFloats, 1, "True")));
  EXPECT_TRUE(array.fortran_order);
}

TEST(Npy, ReadsEveryNumberType) {
  const auto read = [](const std::string& descr, const std::string& data) {
    return numbers(open_npy(write_file("a.npy", npy(descr, "(2,)", data))));
  };
  const std::vector<double> expected = {1, 2};
  EXPECT_EQ(read("'<f2'", test::bytes_of<std::uint16_t>({0x3C00, 0x4000})), expected);
  EXPECT_EQ(read("'<f8'", test::bytes_of<double>({1, 2})), expected);
  EXPECT_EQ(read("'|i1'", test::bytes_of<std::int8_t>({1, 2})), expected);
  EXPECT_EQ(read("'<i2'", test::bytes_of<std::int16_t>({1, 2})), expected);
  EXPECT_EQ(read("'<i4'", test::bytes_of<std::int32_t>({1, 2})), expected);
  EXPECT_EQ(read("'<i8'", test::bytes_of<std::int64_t>({1, 2})), expected);
  EXPECT_EQ(read("'|u1'", test::bytes_of<std::uint8_t>({1, 2})), expected);
  EXPECT_EQ(read("'<u2'", test::bytes_of<std::uint16_t>({1, 2})), expected);
  EXPECT_EQ(read("'<u4'", test::bytes_of<std::uint32_t>({1, 2})), expected);
  EXPECT_EQ(read("'<u8'", test::bytes_of<std::uint64_t>({1, 2})), expected);
  EXPECT_EQ(read("'|b1'", test::bytes_of<std::uint8_t>({1, 0})), (std::vector<double>{1, 0}));
}

TEST(Npy, ReadsTextOfBothKinds) {
  // U+00E9 and U+1F600 take two and four bytes in UTF-8.
  const std::string wide = test::bytes_of<std::uint32_t>({'a', 0xE9, 0, 0x1F600, 0, 0});
  const Array unicode = open_npy(write_file("u.npy", npy("'<U3'", "(2,)", wide)));
  EXPECT_EQ(text_at(unicode, 0), "a\xC3\xA9");
  EXPECT_EQ(text_at(unicode, 1), "\xF0\x9F\x98\x80");
  const Array bytes =
      open_npy(write_file("s.npy", npy("'|S3'", "(2,)", std::string("cat\0x\0", 6))));
  EXPECT_EQ(text_at(bytes, 0), "cat");
  EXPECT_EQ(text_at(bytes, 1), std::string("\0x", 2));
}

TEST(Npy, RefusesWhatIsNotNpy) {
  EXPECT_TRUE(says(error_opening(""), "the file is empty"));
  EXPECT_TRUE(says(error_opening("hello, I am text"), "not a .npy file"));
  EXPECT_TRUE(says(error_opening("\x93NUM"), "not a .npy file"));
  std::string image = npy("'<f4'", "(2, 3)", kSixFloats);
  image[6] = 9;
  EXPECT_TRUE(says(error_opening(image), "version 9 is not known"));
}

TEST(Npy, RefusesTypesItCannotUse) {
  EXPECT_TRUE(says(error_opening(npy("'>f4'", "(2, 3)", kSixFloats)), "big-endian"));
  EXPECT_TRUE(says(error_opening(npy("'|O'", "(2,)", kSixFloats)), "Python objects"));
  EXPECT_TRUE(says(error_opening(npy("[('a', '<f4')]", "(2,)", kSixFloats)), "structured dtype"));
  EXPECT_TRUE(says(error_opening(npy("'<c8'", "(2,)", kSixFloats)), "'<c8' is not supported"));
  EXPECT_TRUE(says(error_opening(npy("'<M8[D]'", "(2,)", kSixFloats)), "not supported"));
}

TEST(Npy, RefusesTextOfNoWidth) {  // it would make any number of elements fit
  EXPECT_TRUE(says(error_opening(npy("'|S0'", "(4611686018427387904,)", "")), "not supported"));
  EXPECT_TRUE(says(error_opening(npy("'<U'", "(3,)", "")), "not supported"));
}

TEST(Npy, RefusesShapesThatLie) {
  EXPECT_TRUE(says(error_opening(npy("'<f4'", "(2, 4)", kSixFloats)), "only 24 bytes"));
  EXPECT_TRUE(says(error_opening(npy("'<f4'", "(4611686018427387904, 4)", kSixFloats)),
                   "cut short"));  // the product overflows to 0
  EXPECT_TRUE(says(error_opening(npy("'<f4'", "(99999999999999999999,)", kSixFloats)), "damaged"));
  EXPECT_TRUE(says(error_opening(npy("'<f4'", "(-2, -3)", kSixFloats)), "damaged"));
  EXPECT_TRUE(says(error_opening(npy("'<f4'", "[2, 3]", kSixFloats)), "damaged"));
}

TEST(Npy, RefusesEveryTruncation) {
  const std::string image = npy("'<f4'", "(2, 3)", kSixFloats);
  for (std::size_t size = 0; size < image.size(); ++size) {
    EXPECT_NE(error_opening(image.substr(0, size)), "") << size << " bytes";
  }
}

TEST(Npy, NamesAFileThatIsNotThere) {
  EXPECT_TRUE(says(error_of([] { open_npy("/nowhere/a.npy"); }), "/nowhere/a.npy: cannot open"));
  EXPECT_TRUE(says(error_of([] { open_npy(testing::TempDir()); }), "not a regular file"));
}

TEST(Npy, ReadsBackWhatItWrites) {
  const Matrix values{{1.5, -2}, {3, 4e300}, {0, 1}};
  const auto path = test::scratch("m.npy");
  write_npy(path, values);
  const Array array = open_npy(path);
  EXPECT_EQ(array.shape, (std::vector<Index>{3, 2}));
  EXPECT_EQ(numbers(array), (std::vector<double>{1.5, -2, 3, 4e300, 0, 1}));
  const std::size_t data_start = test::read_file(path).size() - 6 * sizeof(double);
  EXPECT_EQ(data_start % 64, 0U);

  write_npy(path, std::vector<Index>{5, -7});
  EXPECT_EQ(open_npy(path).type, ElementType::i64);
  EXPECT_EQ(numbers(open_npy(path)), (std::vector<double>{5, -7}));
  write_npy(path, std::vector<float>{1, 2, 3, 4}, 2);
  EXPECT_EQ(open_npy(path).shape, (std::vector<Index>{2, 2}));
}

}  // namespace
}  // namespace assay
