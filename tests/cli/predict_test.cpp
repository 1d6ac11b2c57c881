// Tests: predict/predict_report, predict/prediction_quality.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "io/npy.h"
#include "run_command.h"
#include "support.h"

namespace assay {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::json_of;
using test::read_text;
using test::run_assay;
using test::write_text;
using testing::HasSubstr;
using testing::IsEmpty;

using Words = std::vector<std::string>;

class PredictCommand : public testing::Test {
 protected:
  PredictCommand() {
    write_npy(folder_ / "fit.npy", Matrix{{1, 0}, {0, 1}, {1, 1}, {2, 1}, {1, -1}, {-1, 2}});
    write_text(folder_ / "y.txt", "2.1\n-0.9\n1.2\n2.9\n3.1\n-4.2\n");
    write_npy(folder_ / "new.npy", Matrix{{0, 0}, {1, 2}, {10, 20}});
  }

  CommandResult predict(const std::string& features, const std::string& fit,
                        const std::string& labels, const Words& options) const {
    Words words = {"predict",  (folder_ / features).string(), "--fit", (folder_ / fit).string(),
                   "--labels", (folder_ / labels).string()};
    words.insert(words.end(), options.begin(), options.end());
    return run_assay(words);
  }

  test::TemporaryDirectory folder_;
};

TEST_F(PredictCommand, GivesThePosteriorMeanAndVariance) {
  // NumPy: evidence maximised by SciPy at t = 0.0084149, beta = 45.0704;
  // mean f'(G + tI)^-1 F'y, variance (f'(G + tI)^-1 f + 1) / beta.
  const CommandResult result =
      predict("new.npy", "fit.npy", "y.txt", {"--json", "-", "--center", "no"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, IsEmpty());
  const json all = json_of(result);
  const json& rows = all.at("predictions");
  ASSERT_EQ(rows.size(), 3U);
  const std::vector<double> mean = {0.0, -0.02497373095143507, -0.24973730951434803};
  const std::vector<double> variance = {0.02218749838147005, 0.03604011375807573,
                                        1.4074490360420384};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(rows[i].at("row"), i);
    EXPECT_NEAR(rows[i].at("mean").at(0).get<double>(), mean[i], 1e-6);
    EXPECT_NEAR(rows[i].at("variance").at(0).get<double>(), variance[i], 1e-6);
  }
  EXPECT_TRUE(all.contains("provenance"));
}

TEST_F(PredictCommand, GivesTheSameFromFewerSamplesThanDimensions) {
  // The same by NumPy, n = D = 4, where the kernel takes the place of F'F.
  write_npy(folder_ / "wide.npy",
            Matrix{{1, 0, 2, 0}, {1.2, 0.1, 1.9, 0.1}, {0.8, -0.1, 2.1, 0.1}, {1, 0.1, 2, -0.2}});
  write_text(folder_ / "wide.txt", "1.0\n1.2\n0.7\n1.05\n");
  write_npy(folder_ / "wide_new.npy", Matrix{{0, 0, 0, 0}, {1, 1, 1, 1}});
  const json rows =
      json_of(predict("wide_new.npy", "wide.npy", "wide.txt", {"--json", "-", "--center", "no"}))
          .at("predictions");
  EXPECT_NEAR(rows.at(0).at("mean").at(0).get<double>(), 0.0, 1e-12);
  EXPECT_NEAR(rows.at(0).at("variance").at(0).get<double>(), 0.0005172310193395369, 1e-7);
  EXPECT_NEAR(rows.at(1).at("mean").at(0).get<double>(), 0.9125721382663681, 1e-6);
  EXPECT_NEAR(rows.at(1).at("variance").at(0).get<double>(), 0.27177361483246326, 1e-6);
}

TEST_F(PredictCommand, FindsTheClassesOfNewSamples) {
  // The second half of separate blobs, predicted from the first.
  const test::Sample all = test::blobs(3, 40, 8, 0.1);
  write_npy(folder_ / "known.npy", Matrix(all.features.topRows(60)));
  write_npy(folder_ / "unknown.npy", Matrix(all.features.bottomRows(60)));
  const Words names = {"ant", "bee", "cow"};
  std::string lines;
  for (std::size_t i = 0; i < 60; ++i) lines += names[i % 3] + "\n";
  write_text(folder_ / "names.txt", lines);
  const json result = json_of(predict("unknown.npy", "known.npy", "names.txt", {"--json", "-"}));
  EXPECT_EQ(result.at("columns"), json(names));
  for (std::size_t i = 0; i < 60; ++i) {
    const json& row = result.at("predictions").at(i);
    EXPECT_EQ(row.at("class"), names[i % 3]);
    ASSERT_EQ(row.at("mean").size(), 3U);
    ASSERT_EQ(row.at("variance").size(), 3U);
    EXPECT_NEAR(row.at("mean").at(i % 3).get<double>(), 1.0, 0.3);
    for (const json& variance : row.at("variance")) EXPECT_GT(variance, 0.0);
  }
}

TEST_F(PredictCommand, PrintsATableAndWritesCsv) {
  const std::string csv = (folder_ / "out.csv").string();
  const CommandResult result =
      predict("new.npy", "fit.npy", "y.txt", {"--out", csv, "--center", "no"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("mean"));
  std::istringstream lines(read_text(csv));
  Words rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(line);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0], "row,column,mean,sd");
  EXPECT_THAT(rows[1], testing::MatchesRegex("0,[^,]*,0,0\\.1489.*"));  // sqrt(0.0221875)
}

TEST_F(PredictCommand, QuotesClassNamesInCsv) {
  write_text(folder_ / "names.txt", "a,\"b\"\nc\na,\"b\"\na,\"b\"\na,\"b\"\nc\n");
  const std::string csv = (folder_ / "out.csv").string();
  EXPECT_EQ(predict("fit.npy", "fit.npy", "names.txt", {"--out", csv}).exit_code, 0);
  EXPECT_THAT(read_text(csv), HasSubstr("\n2,\"a,\"\"b\"\"\","));
}

TEST_F(PredictCommand, DoesNotDependOnTheNumberOfThreads) {
  const auto rows = [&](const char* threads) {
    const Words options = {"--json", "-", "--threads", threads};
    return json_of(predict("new.npy", "fit.npy", "y.txt", options)).at("predictions").dump();
  };
  EXPECT_EQ(rows("1"), rows("3"));
}

// y = 3 + f1 + 2 f2 without noise, the origin far from the data: with an intercept the answer is
// right, through the origin it is not. Numbers have one unless somebody says no.
TEST_F(PredictCommand, NumbersHaveAnIntercept) {
  write_text(folder_ / "line.txt", "4.0\n5.0\n6.0\n7.0\n2.0\n6.0\n");
  const json all = json_of(predict("new.npy", "fit.npy", "line.txt", {"--json", "-"}));
  EXPECT_EQ(all.at("centered"), true);
  EXPECT_NEAR(all.at("predictions").at(0).at("mean").at(0).get<double>(), 3.0, 1e-4);
  EXPECT_NEAR(all.at("predictions").at(1).at("mean").at(0).get<double>(), 8.0, 1e-4);
  const json through =
      json_of(predict("new.npy", "fit.npy", "line.txt", {"--json", "-", "--center", "no"}));
  EXPECT_EQ(through.at("centered"), false);
  EXPECT_NEAR(through.at("predictions").at(0).at("mean").at(0).get<double>(), 0.0, 1e-9);
}

// A label that nobody has is predicted as that, with no spread that anybody could know.
TEST_F(PredictCommand, SaysWhatItCannotKnow) {
  write_text(folder_ / "two.csv", "a,b\n2.1,7\n-0.9,7\n1.2,7\n2.9,7\n3.1,7\n-4.2,7\n");
  const CommandResult result = predict("new.npy", "fit.npy", "two.csv", {"--json", "-"});
  const json all = json_of(result);
  EXPECT_TRUE(all.at("flags").at(0).is_null());
  EXPECT_EQ(all.at("flags").at(1), "constant");
  for (const json& row : all.at("predictions")) {
    EXPECT_EQ(row.at("mean").at(1), 7.0);
    EXPECT_TRUE(row.at("variance").at(1).is_null());
    EXPECT_GT(row.at("variance").at(0), 0.0);
  }
  EXPECT_THAT(result.err, HasSubstr("b: constant"));
  const CommandResult table = predict("new.npy", "fit.npy", "two.csv", {});
  EXPECT_THAT(table.out, testing::ContainsRegex("b +7\\.0000 +-"));
}

TEST_F(PredictCommand, SaysHowRightItIsWhereLabelsAreKnown) {
  write_text(folder_ / "names.txt", "a\nb\na\na\na\nb\n");
  const json all =
      json_of(predict("fit.npy", "fit.npy", "names.txt",
                      {"--json", "-", "--test-labels", (folder_ / "names.txt").string()}));
  double right = 0.0;
  const Words names = {"a", "b", "a", "a", "a", "b"};
  for (std::size_t i = 0; i < 6; ++i)
    right += all.at("predictions").at(i).at("class") == names[i] ? 1.0 : 0.0;
  EXPECT_EQ(all.at("quality").at("quantity"), "accuracy");
  EXPECT_NEAR(all.at("quality").at("value").get<double>(), right / 6.0, 1e-12);
  EXPECT_NEAR(all.at("quality").at("chance").get<double>(), 4.0 / 6.0, 1e-12);
  const std::string y = (folder_ / "y.txt").string();
  const json numbers =
      json_of(predict("fit.npy", "fit.npy", "y.txt", {"--json", "-", "--test-labels", y}));
  EXPECT_EQ(numbers.at("quality").at("quantity"), "r2");
  EXPECT_GT(numbers.at("quality").at("value"), 0.9);
  const CommandResult short_of = predict("new.npy", "fit.npy", "y.txt", {"--test-labels", y});
  EXPECT_EQ(short_of.exit_code, 2);
  EXPECT_THAT(short_of.err, HasSubstr("one label per row"));
}

TEST_F(PredictCommand, NamesAnchorsByTheirWords) {
  write_text(folder_ / "names.txt", "a\nb\na\na\na\nb\n");
  write_npy(folder_ / "words.npy", Matrix{{1, 0}, {0, 1}, {-1, -1}});
  write_text(folder_ / "words.txt", "right\nup\nback\n");
  const Words options = {"--anchors", (folder_ / "words.npy").string(),
                         "--words",   (folder_ / "words.txt").string(),
                         "--nearest", "1"};
  Words with_json = options;
  with_json.insert(with_json.end(), {"--json", "-"});
  const json all = json_of(predict("new.npy", "fit.npy", "names.txt", with_json));
  EXPECT_EQ(all.at("anchors").at(0).at("nearest").at(0).at("word"), "right");
  EXPECT_THAT(predict("new.npy", "fit.npy", "names.txt", options).out, HasSubstr("right ("));
  write_text(folder_ / "words.txt", "right\nup\n");
  const CommandResult result = predict("new.npy", "fit.npy", "names.txt", options);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("2 words, but --anchors has 3 rows"));
}

TEST_F(PredictCommand, RefusesTargetsThatDoNotVary) {
  write_text(folder_ / "class.txt", "a\na\na\na\na\na\n");
  write_text(folder_ / "value.txt", "2.5\n2.5\n2.5\n2.5\n2.5\n2.5\n");
  for (const char* labels : {"class.txt", "value.txt"}) {
    const CommandResult result = predict("new.npy", "fit.npy", labels, {"--json", "-"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(labels));
  }
}

TEST_F(PredictCommand, RefusesWhatItCannotPredict) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  write_npy(folder_ / "three.npy", Matrix{{1, 2, 3}});
  write_npy(folder_ / "holed.npy", Matrix{{1, 2}, {3, nan}});
  write_text(folder_ / "short.txt", "1.5\n2.5\n");
  const std::vector<std::pair<Words, std::string>> cases = {
      {{"three.npy", "fit.npy", "y.txt"}, "three.npy: 3 columns"},
      {{"holed.npy", "fit.npy", "y.txt"}, "holed.npy: row 1, column 1 is NaN"},
      {{"new.npy", "holed.npy", "short.txt"}, "holed.npy: row 1, column 1 is NaN"},
      {{"new.npy", "fit.npy", "short.txt"}, "one label per row"},
      {{"gone.npy", "fit.npy", "y.txt"}, "gone.npy"},
      {{"new.npy", "gone.npy", "y.txt"}, "gone.npy"},
      {{"new.npy", "fit.npy", "gone.txt"}, "gone.txt"},
  };
  for (const auto& [files, message] : cases) {
    const CommandResult result = predict(files[0], files[1], files[2], {"--json", "-"});
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_THAT(result.out, IsEmpty()) << message;
    EXPECT_THAT(result.err, HasSubstr(message));
  }
  EXPECT_EQ(run_assay({"predict", (folder_ / "new.npy").string()}).exit_code, 2);
}

TEST_F(PredictCommand, GivesEveryRowTheSameAnswerInAnyBlock) {
  Matrix many(600, 2);  // more than two blocks; row k repeats row k % 3
  for (Index row = 0; row < many.rows(); ++row) {
    many.row(row) << (row % 3 == 0   ? 0.0
                      : row % 3 == 1 ? 1.0
                                     : 10.0),
        (row % 3 == 0   ? 0.0
         : row % 3 == 1 ? 2.0
                        : 20.0);
  }
  write_npy(folder_ / "many.npy", many);
  const json few = json_of(predict("new.npy", "fit.npy", "y.txt", {"--json", "-"}));
  const json all = json_of(predict("many.npy", "fit.npy", "y.txt", {"--json", "-"}));
  ASSERT_EQ(all.at("predictions").size(), 600U);
  for (std::size_t row = 0; row < 600; ++row) {
    EXPECT_NEAR(all.at("predictions")[row].at("mean")[0].get<double>(),
                few.at("predictions")[row % 3].at("mean")[0].get<double>(), 1e-14);
    EXPECT_NEAR(all.at("predictions")[row].at("variance")[0].get<double>(),
                few.at("predictions")[row % 3].at("variance")[0].get<double>(), 1e-14);
  }
}

TEST_F(PredictCommand, ListsTheAnchorsNearestToTheWeights) {
  write_npy(folder_ / "words.npy", Matrix{{1, 2}, {4, -2}, {0, 0}, {-2, 1}, {1, 0}});
  write_npy(folder_ / "axes.npy", Matrix{{1, 0}, {0, 1}});
  const json all = json_of(predict("axes.npy", "fit.npy", "y.txt",
                                   {"--anchors", (folder_ / "words.npy").string(), "--nearest", "3",
                                    "--json", "-", "--center", "no"}));
  // Predictions for the axes are the weights themselves.
  const double a = all.at("predictions").at(0).at("mean").at(0);
  const double b = all.at("predictions").at(1).at("mean").at(0);
  const double length = std::sqrt(a * a + b * b);
  const json& nearest = all.at("anchors").at(0).at("nearest");
  ASSERT_EQ(nearest.size(), 3U);  // the word without length is nowhere near
  EXPECT_EQ(nearest.at(0).at("row"), 1);
  EXPECT_EQ(nearest.at(1).at("row"), 4);
  EXPECT_EQ(nearest.at(2).at("row"), 0);
  EXPECT_NEAR(nearest.at(0).at("cosine"), (4 * a - 2 * b) / (length * std::sqrt(20.0)), 1e-12);
  EXPECT_NEAR(nearest.at(1).at("cosine"), a / length, 1e-12);
  EXPECT_THAT(
      predict("axes.npy", "fit.npy", "y.txt", {"--anchors", (folder_ / "words.npy").string()}).out,
      HasSubstr("nearest rows of the vocabulary"));
  write_npy(folder_ / "wide.npy", Matrix{{1, 2, 3}});
  const CommandResult wrong =
      predict("axes.npy", "fit.npy", "y.txt", {"--anchors", (folder_ / "wide.npy").string()});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("anchors are embeddings in the space of the features"));
}

TEST_F(PredictCommand, NamesTheRowOfABadValueInALaterBlock) {
  Matrix many = Matrix::Ones(600, 2);
  many(555, 1) = std::numeric_limits<double>::quiet_NaN();
  write_npy(folder_ / "many.npy", many);
  const CommandResult result = predict("many.npy", "fit.npy", "y.txt", {});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("row 555, column 1"));
}

TEST_F(PredictCommand, RefusesWhatDoesNotFitTheMemoryLimit) {
  const CommandResult result = predict("new.npy", "fit.npy", "y.txt", {"--memory-limit", "1KiB"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--memory-limit"));
}

}  // namespace
}  // namespace assay
