// Tests: data/array_rows, data/memory_rows, data/hdf5_rows, data/check_finite.
#include "assay/rows.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include "../io/files.h"
#include "io/half.h"
#include "io/npy.h"

namespace assay {
namespace {

using test::error_of;
using test::npy;
using test::says;

// 5 x 4 with 10 i + j in row i, column j: every value names its place.
Matrix places() {
  Matrix values(5, 4);
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 4; ++j) values(i, j) = static_cast<double>(10 * i + j);
  }
  return values;
}

// The same matrix as bytes in storage order.
template <typename T>
std::string stored(bool fortran) {
  const Matrix values = places();
  const Matrix transposed = values.transpose();
  const Matrix& source = fortran ? values : transposed;
  std::vector<T> bytes;
  for (Index k = 0; k < source.size(); ++k) {
    if constexpr (std::is_same_v<T, std::uint16_t>) {
      bytes.push_back(float_to_half(static_cast<float>(source.data()[k])));
    } else {
      bytes.push_back(static_cast<T>(source.data()[k]));
    }
  }
  return test::bytes_of(bytes);
}

template <typename T>
std::vector<T> read(const Rows& rows, const std::vector<Index>& wanted) {
  std::vector<T> values(wanted.size() * static_cast<std::size_t>(rows->cols()));
  rows->read(wanted, values.data());
  return values;
}

// Any subset of rows, in both precisions.
void expect_places(const Rows& rows) {
  ASSERT_EQ(rows->rows(), 5);
  ASSERT_EQ(rows->cols(), 4);
  EXPECT_EQ(read<double>(rows, {1, 4}), (std::vector<double>{10, 11, 12, 13, 40, 41, 42, 43}));
  EXPECT_EQ(read<float>(rows, {0, 1, 3}),
            (std::vector<float>{0, 1, 2, 3, 10, 11, 12, 13, 30, 31, 32, 33}));
  EXPECT_EQ(read<float>(rows, {2, 3}), (std::vector<float>{20, 21, 22, 23, 30, 31, 32, 33}));
  EXPECT_EQ(read<float>(rows, {}), std::vector<float>{});
}

Rows open(const std::string& name, const std::string& image) {
  const auto path = test::write_file(name, image);
  return rows_of_array(open_npy(path), {path});
}

TEST(Rows, AreTheSameInEveryTypeAndOrder) {
  for (const bool fortran : {false, true}) {
    const std::string order = fortran ? "True" : "False";
    const Rows half =
        open("a.npy", npy("'<f2'", "(5, 4)", stored<std::uint16_t>(fortran), 1, order));
    const Rows single = open("b.npy", npy("'<f4'", "(5, 4)", stored<float>(fortran), 1, order));
    const Rows doubled = open("c.npy", npy("'<f8'", "(5, 4)", stored<double>(fortran), 1, order));
    for (const Rows& rows : {half, single, doubled}) expect_places(rows);
    EXPECT_FALSE(half->is_double());
    EXPECT_FALSE(single->is_double());
    EXPECT_TRUE(doubled->is_double());
  }
}

// A header's length decides whether the floats behind it are aligned.
TEST(Rows, GiveFloatsInPlaceWhereTheyCanBeReadSo) {
  int in_place = 0;
  for (std::size_t pad = 0; pad < sizeof(float); ++pad) {
    const Rows rows =
        open("a.npy", npy("'<f4'", "(5, 4)" + std::string(pad, ' '), stored<float>(false)));
    rows->release(0, 5);
    const float* values = rows->floats_in_place();
    if (values == nullptr) continue;
    ++in_place;
    EXPECT_EQ(std::vector<float>(values, values + 20), read<float>(rows, {0, 1, 2, 3, 4}));
  }
  EXPECT_EQ(in_place, 1);
}

TEST(Rows, GiveNothingInPlaceThatIsNotFloatsRowByRow) {
  for (std::size_t pad = 0; pad < sizeof(float); ++pad) {
    const std::string shape = "(5, 4)" + std::string(pad, ' ');
    for (const Rows& rows : {open("a.npy", npy("'<f4'", shape, stored<float>(true), 1, "True")),
                             open("b.npy", npy("'<f2'", shape, stored<std::uint16_t>(false))),
                             open("c.npy", npy("'<f8'", shape, stored<double>(false)))})
      EXPECT_EQ(rows->floats_in_place(), nullptr);
  }
  EXPECT_EQ(rows_of_matrix(places(), "here")->floats_in_place(), nullptr);
}

TEST(Rows, CanBeReadAgainAfterTheirRelease) {
  const Rows rows = open("a.npy", npy("'<f4'", "(5, 4)", stored<float>(false)));
  rows->release(0, 5);
  expect_places(rows);
}

TEST(Rows, OfAMatrixInMemory) {
  const Rows rows = rows_of_matrix(places(), "here");
  expect_places(rows);
  EXPECT_EQ(rows->where(), "here");
  EXPECT_TRUE(rows->is_double());
  EXPECT_TRUE(rows->files().empty());
}

TEST(Rows, OfShardsLieOneBelowTheOther) {
  const Matrix values = places();
  expect_places(rows_of_shards({rows_of_matrix(values.topRows(1), "a"),
                                rows_of_matrix(values.middleRows(1, 2), "b"),
                                rows_of_matrix(values.bottomRows(2), "c")}));
  EXPECT_TRUE(
      says(error_of([&] {
             rows_of_shards({rows_of_matrix(values, "a"), rows_of_matrix(values.leftCols(3), "b")});
           }),
           "b: this shard has 3 columns, a has 4"));
}

TEST(Rows, OfHdf5) {
  const auto path = test::scratch("a.h5");
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const std::vector<hsize_t> shape = {5, 4};
  const hid_t space = H5Screate_simple(2, shape.data(), nullptr);
  const hid_t data =
      H5Dcreate2(file, "x", H5T_IEEE_F32BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const Matrix transposed = places().transpose();
  H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, transposed.data());
  H5Dclose(data);
  H5Sclose(space);
  H5Fclose(file);
  const Rows rows = rows_of_hdf5(path, "x");
  expect_places(rows);
  EXPECT_FALSE(rows->is_double());
  EXPECT_EQ(rows->where(), path.string() + ":x");
  EXPECT_EQ(rows->files(), std::vector<std::filesystem::path>{path});
}

TEST(Rows, OfHdf5AreRightAcrossSeveralStretches) {
  // 4 MiB are read at a time: 2048 float columns take 512 rows.
  constexpr Index rows_count = 1500;
  constexpr Index columns = 2048;
  const auto path = test::scratch("wide.h5");
  std::vector<float> values(rows_count * columns);
  for (Index i = 0; i < rows_count * columns; ++i) {
    values[static_cast<std::size_t>(i)] = static_cast<float>(i / columns * 4096 + i % columns);
  }
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const std::vector<hsize_t> shape = {rows_count, columns};
  const hid_t space = H5Screate_simple(2, shape.data(), nullptr);
  const hid_t data =
      H5Dcreate2(file, "x", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Dclose(data);
  H5Sclose(space);
  H5Fclose(file);
  const Rows rows = rows_of_hdf5(path, "x");
  const std::vector<Index> wanted = {0, 3, 511, 512, 513, 514, 1024, 1499};
  const std::vector<float> got = read<float>(rows, wanted);
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    for (const Index j : {Index{0}, columns - 1}) {
      EXPECT_EQ(got[k * columns + static_cast<std::size_t>(j)],
                static_cast<float>(wanted[k] * 4096 + j));
    }
  }
}

TEST(Rows, RefuseArraysThatAreNoFeatures) {
  const std::string data = test::bytes_of<double>({1, 2, 3, 4});
  const auto error = [&](const std::string& descr, const std::string& shape) {
    return error_of([&] { open("a.npy", npy(descr, shape, data)); });
  };
  EXPECT_TRUE(
      says(error("'<f8'", "(4,)"), "must be a 2-D array (samples x dimensions), got shape (4,)"));
  EXPECT_TRUE(says(error("'<i8'", "(2, 2)"), "got int64; save them as float32"));
  EXPECT_TRUE(says(error("'<f8'", "(0, 4)"), "the array is empty, shape (0, 4)"));
  EXPECT_TRUE(says(error("'<f8'", "(4, 0)"), "the array is empty, shape (4, 0)"));
}

}  // namespace
}  // namespace assay
