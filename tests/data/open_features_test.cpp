#include <gtest/gtest.h>
#include <hdf5.h>
#include <zip.h>

#include "../io/files.h"
#include "assay/features.h"

namespace assay {
namespace {

using test::error_of;
using test::says;

using Names = std::vector<std::string>;

const std::string kMatrix = test::npy("'<f4'", "(2, 3)", test::bytes_of<float>({1, 2, 3, 4, 5, 6}));
const std::string kOther = test::npy("'<f4'", "(1, 1)", test::bytes_of<float>({9}));
const std::string kIdArray = test::npy("'<i8'", "(2,)", test::bytes_of<std::int64_t>({4, -2}));
const std::string kObjects = test::npy("'|O'", "(2,)", "whatever");

struct Entry {
  std::string name;
  std::string image;
};

std::filesystem::path write_npz(const std::vector<Entry>& entries) {
  const auto path = test::scratch("a.npz");
  zip_t* zip = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  for (const Entry& entry : entries) {
    zip_file_add(zip, (entry.name + ".npy").c_str(),
                 zip_source_buffer(zip, entry.image.data(), entry.image.size(), 0),
                 ZIP_FL_ENC_UTF_8);
  }
  EXPECT_EQ(zip_close(zip), 0);
  return path;
}

void expect_one_to_six(const std::filesystem::path& path) {
  const Rows rows = open_features(path);
  ASSERT_EQ(rows->rows(), 2) << path;
  ASSERT_EQ(rows->cols(), 3) << path;
  std::vector<double> values(6);
  rows->read(std::vector<Index>{0, 1}, values.data());
  EXPECT_EQ(values, (std::vector<double>{1, 2, 3, 4, 5, 6})) << path;
  EXPECT_EQ(rows->files(), std::vector<std::filesystem::path>{path});
}

TEST(OpenFeatures, ReadsNpyAndCsv) {
  expect_one_to_six(test::write_file("a.npy", kMatrix));
  expect_one_to_six(test::write_file("a.csv", "x,y,z\n1,2,3\n4,5,6\n"));
}

TEST(OpenFeatures, ReadsTheMemberFeatures) {
  expect_one_to_six(write_npz({{"other", kOther}, {"features", kMatrix}}));
}

TEST(OpenFeatures, ElseTheOnlyMatrixOfFloats) {
  expect_one_to_six(write_npz({{"X", kMatrix}}));
  expect_one_to_six(write_npz({{"y", kIdArray}, {"X", kMatrix}, {"notes", kObjects}}));
  expect_one_to_six(write_npz({{"probs", kOther}, {"labels", kOther}, {"X", kMatrix}}));
}

TEST(OpenFeatures, ListsWhatThereIsWhenItCannotTell) {
  const auto path = write_npz({{"a", kMatrix}, {"b", kOther}, {"c", kIdArray}, {"d", kObjects}});
  EXPECT_TRUE(says(error_of([&] { open_features(path); }),
                   "it holds: a float32 (2, 3), b float32 (1, 1), c int64 (2,), d (not readable)"));
  EXPECT_TRUE(says(error_of([] {
                     open_features(write_npz({{"a", kIdArray}, {"b", kIdArray}}));
                   }),
                   "it holds: a int64 (2,), b int64 (2,)"));
}

TEST(OpenFeatures, SaysWhatIsWrongWithTheOnlyArray) {
  EXPECT_TRUE(says(error_of([] {
                     open_features(write_npz({{"a", kIdArray}}));
                   }),
                   "got shape (2,)"));
  EXPECT_TRUE(says(error_of([] {
                     open_features(write_npz({{"a", kObjects}}));
                   }),
                   "Python objects"));
}

TEST(OpenFeatures, ReadsSafetensorsWithTheirLabels) {
  const std::string header = R"({"features":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
                             R"("labels":{"dtype":"I64","shape":[2],"data_offsets":[24,40]}})";
  const auto path =
      test::write_file("a.safetensors", test::bytes_of<std::uint64_t>({header.size()}) + header +
                                            test::bytes_of<float>({1, 2, 3, 4, 5, 6}) +
                                            test::bytes_of<std::int64_t>({4, -2}));
  expect_one_to_six(path);
  EXPECT_EQ(embedded_labels(path)->names, (Names{"-2", "4"}));
}

TEST(OpenFeatures, ReadsHdf5WithItsLabels) {
  for (const char* name : {"a.h5", "a.hdf5"}) {
    const auto path = test::scratch(name);
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const auto add = [&](const char* set, hid_t type, const std::vector<hsize_t>& shape) {
      const std::vector<float> values = {1, 2, 3, 4, 5, 6};
      const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
      const hid_t data = H5Dcreate2(file, set, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      H5Dwrite(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
      H5Dclose(data);
      H5Sclose(space);
    };
    add("X", H5T_IEEE_F32LE, {2, 3});
    add("labels", H5T_STD_I32LE, {2});
    H5Fclose(file);
    expect_one_to_six(path);
    EXPECT_EQ(embedded_labels(path)->names, (Names{"1", "2"}));
  }
}

TEST(OpenFeatures, LabelsInsideAreOptional) {
  EXPECT_EQ(embedded_labels(write_npz({{"features", kMatrix}, {"labels", kIdArray}}))->names,
            (Names{"-2", "4"}));
  EXPECT_FALSE(embedded_labels(write_npz({{"features", kMatrix}})));
  EXPECT_FALSE(embedded_labels(test::write_file("a.npy", kMatrix)));
}

TEST(OpenFeatures, KnowsFeatureFilesByTheirExtension) {
  for (const char* name : {"a.npy", "a.npz", "a.h5", "a.hdf5", "a.safetensors", "a.csv"}) {
    EXPECT_TRUE(is_feature_file(name)) << name;
  }
  for (const char* name : {"a.txt", "a.pt", "npy", ".npy", "a.npy.bak"}) {
    EXPECT_FALSE(is_feature_file(name)) << name;
  }
  EXPECT_TRUE(says(error_of([] { open_features("a.pt"); }),
                   "unknown kind of feature file '.pt'; expected .npy, .npz"));
}

}  // namespace
}  // namespace assay
