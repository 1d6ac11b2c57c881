// Tests: data/class_encoder.
#include <gtest/gtest.h>
#include <hdf5.h>
#include <zip.h>

#include "../io/files.h"
#include "assay/features.h"

namespace assay {
namespace {

using test::error_of;
using test::says;

using Labels = std::vector<Label>;
using Names = std::vector<std::string>;

Targets load(const std::string& name, const std::string& content) {
  return load_targets(test::write_file(name, content));
}
Targets csv(const std::string& content) { return load("y.csv", content); }
Targets txt(const std::string& content) { return load("y.txt", content); }

std::string csv_error(const std::string& content) {
  return error_of([&] { csv(content); });
}
std::string txt_error(const std::string& content) {
  return error_of([&] { txt(content); });
}

const std::string kIds = test::bytes_of<std::int64_t>({4, -2, 4});

TEST(LoadTargets, ReadsNpy) {
  const Targets targets = load("y.npy", test::npy("'<i8'", "(3,)", kIds));
  EXPECT_EQ(targets.labels, (Labels{1, 0, 1}));
  EXPECT_TRUE(says(targets.where, "y.npy"));
}

TEST(LoadTargets, ReadsTheMemberLabelsElseTheOnlyArray) {
  const auto archive = [](const Names& names) {
    const auto path = test::scratch("y.npz");
    const std::string image = test::npy("'<i8'", "(3,)", kIds);
    zip_t* zip = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
    for (const std::string& name : names) {
      zip_file_add(zip, (name + ".npy").c_str(),
                   zip_source_buffer(zip, image.data(), image.size(), 0), ZIP_FL_ENC_UTF_8);
    }
    EXPECT_EQ(zip_close(zip), 0);
    return path;
  };
  EXPECT_EQ(load_targets(archive({"x", "labels"})).labels, (Labels{1, 0, 1}));
  EXPECT_EQ(load_targets(archive({"x"})).labels, (Labels{1, 0, 1}));
  EXPECT_TRUE(says(error_of([&] { load_targets(archive({"x", "y"})); }), "it holds: x, y"));
}

TEST(LoadTargets, ReadsHdf5) {
  const auto path = test::scratch("y.h5");
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t count = 3;
  const hid_t space = H5Screate_simple(1, &count, nullptr);
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  const hid_t data = H5Dcreate2(file, "any", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const std::vector<const char*> texts = {"dog", "cat", "dog"};
  H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data());
  H5Dclose(data);
  H5Tclose(type);
  H5Sclose(space);
  H5Fclose(file);
  EXPECT_EQ(load_targets(path).names, (Names{"cat", "dog"}));
  EXPECT_EQ(load_targets(path).labels, (Labels{1, 0, 1}));
}

TEST(LoadTargets, ReadsSafetensors) {
  const std::string header = R"({"labels":{"dtype":"I64","shape":[3],"data_offsets":[0,24]}})";
  const std::string length = test::bytes_of<std::uint64_t>({header.size()});
  EXPECT_EQ(load("y.safetensors", length + header + kIds).labels, (Labels{1, 0, 1}));
}

TEST(LoadTargets, OneColumnOfCsvIsReadAsItLooks) {
  EXPECT_EQ(csv("3\n1\n3\n").labels, (Labels{1, 0, 1}));
  EXPECT_EQ(csv("id\n3\n1\n3\n").labels, (Labels{1, 0, 1}));
  const Targets text = csv("animal\ndog\n\"cat, grey\"\n");
  EXPECT_EQ(text.kind, TargetKind::classes);
  EXPECT_EQ(text.names, (Names{"cat, grey", "dog"}));
  const Targets numbers = csv("height\n1.5\n2\n");
  EXPECT_EQ(numbers.kind, TargetKind::regression);
  EXPECT_EQ(numbers.names, (Names{"height"}));
  EXPECT_EQ(numbers.values, Matrix({{1.5}, {2}}));
}

TEST(LoadTargets, IntegersAreOneClassHoweverTheyAreWritten) {
  EXPECT_EQ(csv("1\n01\n+1\n").names, (Names{"1"}));
  EXPECT_EQ(txt("1\n01\nx\n").names, (Names{"01", "1", "x"}));  // one word makes all of them text
}

TEST(LoadTargets, IdsBeyond64BitsAreTextNotMeasurements) {
  const Targets targets = txt("18446744073709551616\n7\n");
  EXPECT_EQ(targets.kind, TargetKind::classes);
  EXPECT_EQ(targets.names, (Names{"18446744073709551616", "7"}));
}

TEST(LoadTargets, SeveralColumnsOfCsv) {
  const Targets multi = csv("cat,dog,bird\n0,1,1\n1,0,0\n");
  EXPECT_EQ(multi.kind, TargetKind::multi_label);
  EXPECT_EQ(multi.names, (Names{"cat", "dog", "bird"}));
  EXPECT_EQ(multi.values, Matrix({{0, 1, 1}, {1, 0, 0}}));
  const Targets regression = csv("0,1.5\n1,2\n4,-8\n");
  EXPECT_EQ(regression.kind, TargetKind::regression);
  EXPECT_EQ(regression.values, Matrix({{0, 1.5}, {1, 2}, {4, -8}}));
  EXPECT_EQ(regression.names, (Names{"0", "1"}));
  EXPECT_TRUE(says(csv_error("0,1\n1,2\n"), "must be 0 or 1, but row 1, column 1 is 2"));
  EXPECT_TRUE(says(csv_error("a,b\n1,x\n"), "2 columns with text"));
}

TEST(LoadTargets, TheColumnNamedLabelIsTakenAlone) {
  const Targets targets = csv("file,label,weight\na.png,dog,1\nb.png,cat,2\n");
  EXPECT_EQ(targets.names, (Names{"cat", "dog"}));
  EXPECT_EQ(targets.labels, (Labels{1, 0}));
  EXPECT_EQ(csv("labels,x\n1,0\n2,1\n").labels, (Labels{0, 1}));
}

TEST(LoadTargets, CsvCellsMustBeFilledAndFinite) {
  EXPECT_TRUE(says(csv_error("label,x\n1,2\n,3\n"), "row 1, column 0 is empty"));
  EXPECT_TRUE(says(csv_error("y\n1.5\nnan\n"), "row 1, column 0 is NaN"));
  EXPECT_TRUE(says(csv_error("y\n"), "no labels follow the header"));
  EXPECT_TRUE(says(csv_error(""), "the file is empty"));
}

TEST(LoadTargets, TextFilesHoldOneValuePerLine) {
  EXPECT_EQ(txt("2\n10\n2").labels, (Labels{0, 1, 0}));
  EXPECT_EQ(txt("2\r\n10\r\n2\r\n").labels, (Labels{0, 1, 0}));
  EXPECT_EQ(txt("\xEF\xBB\xBFgreat white\n ray \n").names, (Names{"great white", "ray"}));
  const Targets numbers = txt("0.5\n-1e3\n");
  EXPECT_EQ(numbers.kind, TargetKind::regression);
  EXPECT_EQ(numbers.values, Matrix({{0.5}, {-1000}}));
}

TEST(LoadTargets, TextFilesHaveNoEmptyLineInTheMiddle) {
  EXPECT_TRUE(says(txt_error("1\n\n2\n"), "line 2 is empty"));
  EXPECT_TRUE(says(txt_error(""), "the file is empty"));
  EXPECT_TRUE(says(txt_error("\n\n"), "the file is empty"));
  EXPECT_EQ(txt("1\n2\n\n").rows(), 2);
}

TEST(LoadTargets, ManyKindsOfNumbersAreRefusedWithTheirRow) {
  EXPECT_TRUE(says(txt_error("1.5\n2e200\n"), "row 1, column 0 is 2e+200, beyond 1e100"));
  EXPECT_TRUE(says(txt_error("1.5\ninf\n"), "row 1, column 0 is infinite"));
}

TEST(LoadTargets, NamesTheKindsItKnows) {
  EXPECT_TRUE(says(error_of([] { load("y.json", "{}"); }), "unknown kind of label file '.json'"));
  EXPECT_TRUE(says(error_of([] { load_targets("/nowhere/y.txt"); }), "cannot open"));
}

}  // namespace
}  // namespace assay
