// Tests: io/hdf5_here, io/hdf5_library, io/hdf5_session.
#include "io/hdf5.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <numeric>
#include <thread>

#include "files.h"
#include "io/half.h"

namespace assay {
namespace {

using test::error_of;
using test::numbers;
using test::says;

// Writes files with the library's own calls; every data set is closed at once.
class Writer {
 public:
  explicit Writer(const std::string& name)
      : path_(test::scratch(name)),
        file_(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~Writer() { H5Fclose(file_); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void add(const std::string& name, hid_t stored, hid_t given, const std::vector<hsize_t>& shape,
           const void* values, const std::vector<hsize_t>& chunks = {}) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    if (!chunks.empty()) {
      H5Pset_chunk(layout, static_cast<int>(chunks.size()), chunks.data());
      H5Pset_deflate(layout, 6);
    }
    const hid_t data =
        H5Dcreate2(file_, name.c_str(), stored, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    if (values != nullptr) {
      EXPECT_GE(H5Dwrite(data, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    }
    H5Dclose(data);
    H5Pclose(layout);
    H5Sclose(space);
  }

  hid_t id() const { return file_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  hid_t file_;
};

hid_t half_type() {
  const hid_t type = H5Tcopy(H5T_IEEE_F32LE);
  H5Tset_fields(type, 15, 10, 5, 0, 10);
  H5Tset_size(type, 2);
  H5Tset_ebias(type, 15);
  return type;
}

hid_t string_type(std::size_t size, H5T_str_t padding) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, size);
  H5Tset_strpad(type, padding);
  return type;
}

TEST(Hdf5, ReadsNumbersOfEitherByteOrder) {
  const std::vector<double> values = {1, 2, -3};
  const auto path = [&] {
    Writer file("a.h5");
    file.add("f64", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, {3}, values.data());
    file.add("f32", H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, {3, 1}, values.data());
    file.add("i16", H5T_STD_I16BE, H5T_NATIVE_DOUBLE, {3}, values.data());
    file.add("u8", H5T_STD_U8LE, H5T_NATIVE_DOUBLE, {2}, values.data());
    H5Gclose(H5Gcreate2(file.id(), "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Lcreate_soft("/f64", file.id(), "link", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/gone", file.id(), "dangling", H5P_DEFAULT, H5P_DEFAULT);
    return file.path();
  }();
  EXPECT_EQ(hdf5_names(path), (std::vector<std::string>{"f32", "f64", "i16", "link", "u8"}));
  EXPECT_EQ(numbers(read_hdf5(path, "f64")), values);
  EXPECT_EQ(numbers(read_hdf5(path, "link")), values);
  EXPECT_EQ(numbers(read_hdf5(path, "f32")), values);
  EXPECT_EQ(numbers(read_hdf5(path, "i16")), values);
  EXPECT_EQ(read_hdf5(path, "i16").type, ElementType::i16);
  EXPECT_EQ(numbers(read_hdf5(path, "u8")), (std::vector<double>{1, 2}));
  EXPECT_EQ(hdf5_shape(path, "f32").shape, (std::vector<Index>{3, 1}));
  EXPECT_EQ(hdf5_shape(path, "f32").type, ElementType::f32);
  EXPECT_TRUE(says(error_of([&] { read_hdf5(path, "x"); }), "it holds: f32, f64, i16, link, u8"));
}

TEST(Hdf5, ReadsBooleansAsH5pyWritesThem) {
  const std::vector<std::int8_t> values = {1, 0, 1};
  const auto path = [&] {
    Writer file("a.h5");
    const hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
    const std::int8_t no = 0;
    const std::int8_t yes = 1;
    H5Tenum_insert(type, "FALSE", &no);
    H5Tenum_insert(type, "TRUE", &yes);
    file.add("b", type, type, {3}, values.data());
    H5Tclose(type);
    return file.path();
  }();
  EXPECT_EQ(read_hdf5(path, "b").type, ElementType::boolean);
  EXPECT_EQ(numbers(read_hdf5(path, "b")), (std::vector<double>{1, 0, 1}));
}

TEST(Hdf5, ReadsStringsOfFixedAndVariableLength) {
  const auto path = [&] {
    Writer file("a.h5");
    const hid_t padded = string_type(4, H5T_STR_NULLPAD);
    file.add("fixed", padded, padded, {2}, "catsdog\0");
    const hid_t blank = string_type(4, H5T_STR_SPACEPAD);
    file.add("blank", blank, blank, {2}, "catsdog ");
    const hid_t variable = string_type(H5T_VARIABLE, H5T_STR_NULLTERM);
    const std::vector<const char*> texts = {"a", "longer", "", "b"};
    file.add("variable", variable, variable, {4}, texts.data());
    for (const hid_t type : {padded, blank, variable}) H5Tclose(type);
    return file.path();
  }();
  for (const char* name : {"fixed", "blank"}) {
    const Array array = read_hdf5(path, name);
    EXPECT_EQ(text_at(array, 0), "cats") << name;
    EXPECT_EQ(text_at(array, 1), "dog") << name;
  }
  const Array array = read_hdf5(path, "variable");
  EXPECT_EQ(array.type, ElementType::bytes);
  EXPECT_EQ(array.item_size, 6);
  EXPECT_EQ(text_at(array, 0), "a");
  EXPECT_EQ(text_at(array, 1), "longer");
  EXPECT_EQ(text_at(array, 2), "");
}

// 50 x 3, value 3 i + j, compressed in chunks that divide neither side.
template <typename T>
std::filesystem::path write_features(const std::string& name, hid_t type) {
  std::vector<T> values(150);
  for (int i = 0; i < 150; ++i) {
    if constexpr (std::is_same_v<T, std::uint16_t>) {
      values[static_cast<std::size_t>(i)] = float_to_half(static_cast<float>(i));
    } else {
      values[static_cast<std::size_t>(i)] = static_cast<T>(i);
    }
  }
  Writer file(name);
  file.add("features", type, type, {50, 3}, values.data(), {8, 2});
  return file.path();
}

TEST(Hdf5Dataset, ReadsRangesOfRowsOfEveryFloatType) {
  const hid_t half = half_type();
  const std::vector<std::pair<std::filesystem::path, ElementType>> files = {
      {write_features<std::uint16_t>("f16.h5", half), ElementType::f16},
      {write_features<float>("f32.h5", H5T_NATIVE_FLOAT), ElementType::f32},
      {write_features<double>("f64.h5", H5T_NATIVE_DOUBLE), ElementType::f64}};
  H5Tclose(half);
  std::vector<float> expected(30);
  std::iota(expected.begin(), expected.end(), 21.0F);
  for (const auto& [path, type] : files) {
    const Hdf5Dataset data(path, "features");
    EXPECT_EQ(data.type(), type);
    EXPECT_EQ(data.rows(), 50);
    EXPECT_EQ(data.cols(), 3);
    std::vector<float> floats(30);
    std::vector<double> doubles(30);
    data.read(7, 17, floats.data());
    data.read(7, 17, doubles.data());
    data.read(7, 7, floats.data());
    EXPECT_EQ(floats, expected);
    EXPECT_EQ(doubles, std::vector<double>(expected.begin(), expected.end()));
  }
}

TEST(Hdf5Dataset, MayBeReadFromSeveralThreads) {
  const auto path = write_features<float>("a.h5", H5T_NATIVE_FLOAT);
  const Hdf5Dataset data(path, "features");
  std::vector<float> values(150);
  {
    std::vector<std::jthread> team;
    for (Index i = 0; i < 5; ++i) {
      team.emplace_back([&, i] { data.read(10 * i, 10 * (i + 1), values.data() + 30 * i); });
    }
  }
  for (int i = 0; i < 150; ++i)
    EXPECT_EQ(values[static_cast<std::size_t>(i)], static_cast<float>(i));
}

TEST(Hdf5Dataset, RefusesWhatIsNoMatrixOfFloats) {
  const std::vector<double> values = {1, 2, 3, 4};
  Writer file("a.h5");
  file.add("vector", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {4}, values.data());
  file.add("integers", H5T_STD_I32LE, H5T_NATIVE_DOUBLE, {2, 2}, values.data());
  file.add("none", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {0, 2}, nullptr);
  const auto error = [&](const std::string& name) {
    return error_of([&] { Hdf5Dataset(file.path(), name); });
  };
  H5Fflush(file.id(), H5F_SCOPE_GLOBAL);
  EXPECT_TRUE(says(error("vector"), "2-D array (samples x dimensions), got shape (4,)"));
  EXPECT_TRUE(says(error("integers"), "got int32; save them as float32"));
  EXPECT_TRUE(says(error("none"), "got shape (0, 2)"));
}

TEST(Hdf5, RefusesWhatIsNotHdf5) {
  const auto error = [](const std::string& bytes) {
    return error_of([&] { hdf5_names(test::write_file("x.h5", bytes)); });
  };
  EXPECT_TRUE(says(error(""), "the file is empty"));
  EXPECT_TRUE(says(error("plain text"), "not an HDF5 file"));
  EXPECT_NE(error("\x89HDF\r\n\x1A\n"), "");
  EXPECT_TRUE(says(error_of([] { hdf5_names("/nowhere.h5"); }), "/nowhere.h5: cannot open"));
}

TEST(Hdf5, RefusesEveryTruncation) {
  const auto path = write_features<float>("a.h5", H5T_NATIVE_FLOAT);
  const std::string whole = test::read_file(path);
  for (std::size_t size = 0; size < whole.size(); size += 61) {
    const auto cut = test::write_file("cut.h5", whole.substr(0, size));
    EXPECT_NE(error_of([&] { read_hdf5(cut, "features"); }), "") << size << " bytes";
  }
}

TEST(Hdf5, RefusesDataThatWasDeclaredButNeverWritten) {
  Writer file("a.h5");
  file.add("labels", H5T_STD_I32LE, H5T_STD_I32LE, {hsize_t{1} << 40}, nullptr, {1000});
  H5Fflush(file.id(), H5F_SCOPE_GLOBAL);
  EXPECT_TRUE(says(error_of([&] { read_hdf5(file.path(), "labels"); }), "never written"));
}

TEST(Hdf5, RefusesTypesAnArrayCannotHave) {
  const auto path = [] {
    Writer file("a.h5");
    const hid_t pair = H5Tcreate(H5T_COMPOUND, 8);
    H5Tinsert(pair, "a", 0, H5T_NATIVE_INT);
    H5Tinsert(pair, "b", 4, H5T_NATIVE_INT);
    const std::vector<int> values = {1, 2};
    file.add("pair", pair, pair, {1}, values.data());
    H5Tclose(pair);
    const hid_t null_space = H5Screate(H5S_NULL);
    H5Dclose(H5Dcreate2(file.id(), "null", H5T_NATIVE_INT, null_space, H5P_DEFAULT, H5P_DEFAULT,
                        H5P_DEFAULT));
    H5Sclose(null_space);
    return file.path();
  }();
  EXPECT_TRUE(says(error_of([&] { read_hdf5(path, "pair"); }), "type is not supported"));
  EXPECT_TRUE(says(error_of([&] { read_hdf5(path, "null"); }), "has no shape"));
}

}  // namespace
}  // namespace assay
