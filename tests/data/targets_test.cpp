// Tests: data/class_encoder.
#include "assay/targets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../io/files.h"
#include "io/npy.h"

namespace assay {
namespace {

using test::error_of;
using test::npy;
using test::says;

using Labels = std::vector<Label>;
using Names = std::vector<std::string>;

Targets of_npy(const std::string& image) {
  return targets_of_array(open_npy(test::write_file("y.npy", image)));
}

TEST(Targets, ClassesAreTheDistinctIdsInNumericOrder) {
  const std::vector<std::int64_t> ids = {10, -5, 10, 9, -5};
  const Targets targets = targets_of_classes(ids, "y");
  EXPECT_EQ(targets.kind, TargetKind::classes);
  EXPECT_EQ(targets.labels, (Labels{2, 0, 2, 1, 0}));
  EXPECT_EQ(targets.names, (Names{"-5", "9", "10"}));
  EXPECT_EQ(targets.rows(), 5);
  EXPECT_EQ(targets.columns(), 3);
  EXPECT_EQ(targets.where, "y");
}

TEST(Targets, TextClassesAreInByteOrder) {
  const Names ids = {"b", "10", "B", "9", "b"};
  const Targets targets = targets_of_classes(ids, "y");
  EXPECT_EQ(targets.labels, (Labels{3, 0, 2, 1, 3}));
  EXPECT_EQ(targets.names, (Names{"10", "9", "B", "b"}));
}

TEST(Targets, OneClassAloneIsAllowedAndNoneIsNot) {
  const std::vector<std::int64_t> same = {7, 7};
  EXPECT_EQ(targets_of_classes(same, "y").names, (Names{"7"}));
  EXPECT_TRUE(says(error_of([] { targets_of_classes(std::vector<std::int64_t>{}, "y"); }),
                   "y: holds no labels"));
}

TEST(Targets, RegressionKeepsNamesOrNumbersItsColumns) {
  const Matrix values{{1, 2}, {3, 4}};
  EXPECT_EQ(targets_of_values(values, {"a", "b"}, "y").names, (Names{"a", "b"}));
  const Targets numbered = targets_of_values(values, {}, "y");
  EXPECT_EQ(numbered.kind, TargetKind::regression);
  EXPECT_EQ(numbered.names, (Names{"0", "1"}));
  EXPECT_EQ(numbered.values, values);
  EXPECT_EQ(numbered.rows(), 2);
}

TEST(Targets, RegressionRefusesValuesThatCannotBeUsed) {
  const auto error = [](double value) {
    Matrix values = Matrix::Ones(20, 2);
    values(17, 1) = value;
    return error_of([&] { targets_of_values(values, {}, "y.npy"); });
  };
  EXPECT_TRUE(says(error(std::nan("")), "y.npy: row 17, column 1 is NaN"));
  EXPECT_TRUE(
      says(error(-std::numeric_limits<double>::infinity()), "row 17, column 1 is infinite"));
  EXPECT_TRUE(says(error(-2e100), "row 17, column 1 is -2e+100, beyond 1e100; rescale"));
  EXPECT_EQ(error(1e100), "");
  EXPECT_TRUE(says(error_of([] { targets_of_values(Matrix(0, 1), {}, "y"); }), "holds no targets"));
}

TEST(Targets, ArraysOfOneColumnAreClasses) {
  const std::string two = test::bytes_of<std::int32_t>({3, 1});
  for (const char* shape : {"(2,)", "(2, 1)"}) {
    const Targets targets = of_npy(npy("'<i4'", shape, two));
    EXPECT_EQ(targets.kind, TargetKind::classes);
    EXPECT_EQ(targets.labels, (Labels{1, 0}));
  }
  EXPECT_EQ(of_npy(npy("'|b1'", "(3,)", test::bytes_of<char>({1, 0, 1}))).labels,
            (Labels{1, 0, 1}));
  EXPECT_EQ(of_npy(npy("'|S2'", "(2, 1)", std::string("b\0aa", 4))).names, (Names{"aa", "b"}));
  const std::string wide = test::bytes_of<std::uint32_t>({0xE9, 'z'});
  EXPECT_EQ(of_npy(npy("'<U1'", "(2,)", wide)).names, (Names{"z", "\xC3\xA9"}));
}

TEST(Targets, UnsignedIdsBeyondTheSignedRangeKeepTheirValue) {
  const std::string ids =
      test::bytes_of<std::uint64_t>({18446744073709551615U, 5, 9223372036854775808U});
  const Targets targets = of_npy(npy("'<u8'", "(3,)", ids));
  EXPECT_EQ(targets.names, (Names{"5", "9223372036854775808", "18446744073709551615"}));
  EXPECT_EQ(targets.labels, (Labels{2, 0, 1}));
}

TEST(Targets, FloatArraysAreRegression) {
  const std::string data = test::bytes_of<float>({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(of_npy(npy("'<f4'", "(6,)", data)).values, Matrix({{1}, {2}, {3}, {4}, {5}, {6}}));
  EXPECT_EQ(of_npy(npy("'<f4'", "(2, 3)", data)).values, Matrix({{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(of_npy(npy("'<f4'", "(2, 3)", data, 1, "True")).values, Matrix({{1, 3, 5}, {2, 4, 6}}));
}

TEST(Targets, ZeroOneMatricesAreMultiLabel) {
  const std::string data = test::bytes_of<std::int64_t>({0, 1, 1, 0, 0, 1});
  const Targets targets = of_npy(npy("'<i8'", "(2, 3)", data));
  EXPECT_EQ(targets.kind, TargetKind::multi_label);
  EXPECT_EQ(targets.values, Matrix({{0, 1, 1}, {0, 0, 1}}));
  EXPECT_EQ(targets.names, (Names{"0", "1", "2"}));
  EXPECT_EQ(of_npy(npy("'<i8'", "(2, 3)", data, 1, "True")).values, Matrix({{0, 1, 0}, {1, 0, 1}}));
}

TEST(Targets, OtherIntegerMatricesAreRefused) {
  const std::string data = test::bytes_of<std::int64_t>({0, 1, 1, 2});
  EXPECT_TRUE(says(error_of([&] { of_npy(npy("'<i8'", "(2, 2)", data)); }),
                   "must be 0 or 1, but row 1, column 1 is 2"));
}

TEST(Targets, RefusesShapesThatAreNoLabels) {
  const std::string data = test::bytes_of<std::int64_t>({0, 1, 1, 2});
  const auto error = [&](const std::string& descr, const std::string& shape) {
    return error_of([&] { of_npy(npy(descr, shape, data)); });
  };
  EXPECT_TRUE(says(error("'<i8'", "()"), "got shape ()"));
  EXPECT_TRUE(says(error("'<i8'", "(2, 1, 2)"), "got shape (2, 1, 2)"));
  EXPECT_TRUE(says(error("'<i8'", "(0,)"), "holds no labels"));
  EXPECT_TRUE(says(error("'<f8'", "(1000000000000, 0)"), "holds no labels"));
  EXPECT_TRUE(says(error("'|S8'", "(2, 2)"), "text labels must be one per sample"));
}

TEST(SoftLabels, AreRowsThatSumToOne) {
  const Matrix rows{{0.2, 0.8}, {1.0, 0.0}, {0.5, 0.5005}};
  const Targets soft = soft_labels_of(targets_of_values(rows, {"no", "yes"}, "y"));
  EXPECT_EQ(soft.kind, TargetKind::soft_classes);
  EXPECT_EQ(soft.names, (Names{"no", "yes"}));
  EXPECT_DOUBLE_EQ(soft.values.row(2).sum(), 1.0);
  EXPECT_EQ(soft.values(0, 1), 0.8);
}

TEST(SoftLabels, RefuseWhatIsNone) {
  const auto error = [](const Matrix& values) {
    return error_of([&] { soft_labels_of(targets_of_values(values, {}, "y.npy")); });
  };
  EXPECT_TRUE(says(error(Matrix{{0.2, 0.8}, {0.2, 0.7}}), "y.npy: row 1"));
  EXPECT_TRUE(says(error(Matrix{{0.2, 0.8}, {0.2, 0.7}}), "0.9"));
  EXPECT_TRUE(says(error(Matrix{{1.5, -0.5}, {0.2, 0.8}}), "row 0"));
  EXPECT_TRUE(says(error(Matrix::Ones(3, 1)), "one column for each of two or more classes"));
  const Names ids = {"a", "b"};
  const auto of_classes = [&] { soft_labels_of(targets_of_classes(ids, "y")); };
  EXPECT_TRUE(says(error_of(of_classes), "rows of probabilities"));
}

}  // namespace
}  // namespace assay
