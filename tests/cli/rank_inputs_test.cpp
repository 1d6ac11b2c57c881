#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/half.h"
#include "io/npy.h"
#include "run_command.h"
#include "support.h"

namespace assay {
namespace {

using nlohmann::json;
using test::json_of;
using test::kClasses;
using test::kDim;
using test::kSamples;
using test::label_lines;
using test::run_assay;
using test::value_of;
using test::write_text;
using testing::IsEmpty;

using Words = std::vector<std::string>;

class RankInputs : public test::HubTest {};

TEST_F(RankInputs, TheLabelsInsideAHubAreNoModel) {
  std::vector<Index> ids;
  for (Index i = 0; i < kSamples; ++i) ids.push_back(i % kClasses);
  write_npy(hub_ / "labels.npy", ids);
  const json result = rank_json(hub_, hub_ / "labels.npy", {"--ci", "0"});
  EXPECT_EQ(result.at("models").size(), 3U);
  EXPECT_THAT(result.at("failed"), IsEmpty());
}

TEST_F(RankInputs, TakesFilesAndModelFoldersToo) {
  EXPECT_EQ(rank_json(hub_ / "fair.npy", labels_, {}).at("models").at(0).at("name"), "fair");
  std::filesystem::create_directory(hub_ / "folder");
  std::filesystem::rename(hub_ / "poor.npy", hub_ / "folder" / "features.npy");
  EXPECT_EQ(rank_json({"--ci", "0"}).at("models").at(2).at("name"), "folder");
  const Words list = {"rank",
                      (hub_ / "fair.npy").string(),
                      (hub_ / "good.npy").string(),
                      "--labels",
                      labels_.string(),
                      "--json",
                      "-"};
  const json models = json_of(run_assay(list)).at("models");
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[0].at("name"), "good");
}

TEST_F(RankInputs, ShardsScoreLikeOneFile) {
  const Matrix whole = test::hub_features(2.0);
  std::filesystem::create_directory(file("shards"));
  write_npy(file("shards") / "fair.00000.npy", Matrix(whole.topRows(50)));
  write_npy(file("shards") / "fair.00001.npy", Matrix(whole.bottomRows(kSamples - 50)));
  const json sharded = rank_json(file("shards"), labels_, {}).at("models");
  ASSERT_EQ(sharded.size(), 1U);
  EXPECT_EQ(sharded[0].at("name"), "fair");
  EXPECT_EQ(sharded[0].at("n"), kSamples);
  const json whole_scores = rank_json(hub_ / "fair.npy", labels_, {}).at("models").at(0);
  for (const char* field : {"value", "low", "high"}) {
    EXPECT_NEAR(sharded[0].at("scores").at("logme").at(field).get<double>(),
                whole_scores.at("scores").at("logme").at(field).get<double>(), 1e-12);
  }
}

TEST_F(RankInputs, TheTypeAndOrderOfTheFileDoNotMatter) {
  const Matrix values = test::hub_features(2.0);
  std::vector<std::uint16_t> halves;
  std::vector<float> floats;
  for (Index i = 0; i < kSamples; ++i) {
    for (Index j = 0; j < kDim; ++j) {
      floats.push_back(static_cast<float>(values(i, j)));
      halves.push_back(float_to_half(floats.back()));
    }
  }
  const std::vector<Index> shape = {kSamples, kDim};
  write_npy(file("f16.npy"), ElementType::f16, shape, std::as_bytes(std::span(halves)));
  write_npy(file("f32.npy"), ElementType::f32, shape, std::as_bytes(std::span(floats)));
  std::string header =
      fmt::format("{{'descr': '<f8', 'fortran_order': True, 'shape': ({}, {}), }}", kSamples, kDim);
  header.resize(117, ' ');  // so that the data begin at byte 128, as NumPy has it
  const std::string bytes(reinterpret_cast<const char*>(values.data()),
                          static_cast<std::size_t>(values.size()) * sizeof(double));
  write_text(file("fortran.npy"),
             std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + bytes);
  const double exact = score(hub_ / "fair.npy", labels_);
  EXPECT_NEAR(score(file("f16.npy"), labels_), exact, 1e-3);
  EXPECT_NEAR(score(file("f32.npy"), labels_), exact, 1e-6);
  EXPECT_NEAR(score(file("fortran.npy"), labels_), exact, 1e-12);
}

TEST_F(RankInputs, ClassesMayBeCalledAnything) {
  write_text(file("words.txt"), label_lines({"ant", "bee", "cow, brown"}));
  write_text(file("gaps.txt"), label_lines({"-7", "40", "1000000"}));
  write_text(file("column.csv"), "label\n" + label_lines({"ant", "bee", "cow"}));
  write_text(file("bare.csv"), label_lines({"3", "5", "9"}));
  write_text(file("turned.txt"), label_lines({"z", "y", "x"}));
  const double exact = score(hub_ / "fair.npy", labels_);
  for (const char* name : {"words.txt", "gaps.txt", "column.csv", "bare.csv"}) {
    EXPECT_EQ(score(hub_ / "fair.npy", file(name)), exact) << name;
  }
  EXPECT_NEAR(score(hub_ / "fair.npy", file("turned.txt")), exact, 1e-12);
}

TEST_F(RankInputs, ScoresClassesAsTheFormulaSays) {
  Matrix one_hot = Matrix::Zero(kSamples, kClasses);
  for (Index i = 0; i < kSamples; ++i) one_hot(i, i % kClasses) = 1.0;
  const json result = rank_json(hub_ / "fair.npy", labels_, {});
  EXPECT_EQ(result.at("targets").at("kind"), "classes");
  EXPECT_NEAR(value_of(result.at("models")[0]),
              test::brute_force_logme(test::hub_features(2.0), one_hot), 1e-7);
}

TEST_F(RankInputs, TakesFloatsForRegression) {
  const Matrix f = test::hub_features(2.0);
  const Matrix y = f * test::gaussian(kDim, 1, 3) + 0.5 * test::gaussian(kSamples, 1, 4);
  write_npy(file("y.npy"), ElementType::f64, std::vector<Index>{kSamples},
            std::as_bytes(std::span(y.data(), static_cast<std::size_t>(kSamples))));
  const json result = rank_json(hub_ / "fair.npy", file("y.npy"), {"--center", "no"});
  EXPECT_EQ(result.at("targets").at("kind"), "regression");
  EXPECT_EQ(result.at("metrics").at("ridge_loo").at("unit"), "R2");
  EXPECT_EQ(result.at("targets").at("centered"), false);
  EXPECT_NEAR(value_of(result.at("models")[0]), test::brute_force_logme(f, y), 1e-7);
}

TEST_F(RankInputs, TakesColumnsOfZerosAndOnesForMultiLabel) {
  const Matrix f = test::hub_features(2.0);
  const Matrix noise = test::gaussian(kSamples, 2, 6);
  const Matrix tags = ((noise + f.leftCols(2)).array() > 0.0).cast<double>();
  std::vector<std::int32_t> rows;
  for (Index i = 0; i < kSamples; ++i) {
    for (Index c = 0; c < 2; ++c) rows.push_back(static_cast<std::int32_t>(tags(i, c)));
  }
  write_npy(file("tags.npy"), ElementType::i32, std::vector<Index>{kSamples, 2},
            std::as_bytes(std::span(rows)));
  const json result = rank_json(hub_ / "fair.npy", file("tags.npy"), {"--center", "no"});
  EXPECT_EQ(result.at("targets").at("kind"), "multi_label");
  EXPECT_EQ(result.at("targets").at("columns"), 2);
  EXPECT_NEAR(value_of(result.at("models")[0]), test::brute_force_logme(f, tags), 1e-7);
  const json centered = rank_json(hub_ / "fair.npy", file("tags.npy"), {});
  EXPECT_EQ(centered.at("targets").at("centered"), true);
}

// Numbers near 1000: without an intercept, features that imitate a constant win over those that the
// numbers were made of.
TEST_F(RankInputs, CentresNumbersUnlessToldNotTo) {
  const Matrix useful = test::gaussian(kSamples, kDim, 8);
  Matrix constant = test::gaussian(kSamples, kDim, 9);
  constant.col(0) =
      Vector::Constant(kSamples, 10.0) + 0.01 * test::gaussian(kSamples, 1, 10).col(0);
  Matrix y = useful * test::gaussian(kDim, 1, 11) + 0.1 * test::gaussian(kSamples, 1, 12);
  y.array() += 1000.0;
  std::filesystem::create_directory(file("numbers"));
  write_npy(file("numbers/useful.npy"), useful);
  write_npy(file("numbers/constant.npy"), constant);
  write_npy(file("y.npy"), y);
  const auto winner = [&](const std::vector<std::string>& options) {
    return rank_json(file("numbers"), file("y.npy"), options).at("models")[0].at("name");
  };
  EXPECT_EQ(winner({}), "useful");
  EXPECT_EQ(winner({"--center", "auto"}), "useful");
  EXPECT_EQ(winner({"--center"}), "useful");
  EXPECT_EQ(winner({"--center", "no"}), "constant");
  const json classes = rank_json(hub_ / "fair.npy", labels_, {});
  EXPECT_EQ(classes.at("targets").at("centered"), false);
}

}  // namespace
}  // namespace assay
