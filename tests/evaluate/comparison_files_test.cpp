// Tests: report/csv_cell.
#include "evaluate/comparison_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/error.h"
#include "support.h"

namespace assay {
namespace {

using test::write_text;
using testing::HasSubstr;
using Strings = std::vector<std::string>;
using Values = std::map<std::string, double>;
using Paths = std::vector<std::filesystem::path>;

class CompareFiles : public testing::Test {
 protected:
  std::filesystem::path written(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    write_text(folder_ / name, text);
    return folder_ / name;
  }
  ComparedFiles compare(const std::string& scores, const std::string& truth,
                        const TruthOptions& options = {}) const {
    return read_comparison({.scores = {written("scores.csv", scores)},
                            .truth = {written("truth.csv", truth)},
                            .options = options});
  }
  std::string refusal(const Paths& scores, const Paths& truth,
                      const TruthOptions& options = {}) const {
    try {
      read_comparison({.scores = scores, .truth = truth, .options = options});
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  std::string refusal(const std::string& scores, const std::string& truth,
                      const TruthOptions& options = {}) const {
    return refusal(Paths{written("scores.csv", scores)}, Paths{written("truth.csv", truth)},
                   options);
  }

  test::TemporaryDirectory folder_;
};

Strings names_of(const ComparedFiles& comparison) {
  Strings names;
  for (const ComparedDataset& dataset : comparison.datasets) names.push_back(dataset.name);
  return names;
}

TEST_F(CompareFiles, MatchesRowsByDataSetAndName) {
  const ComparedFiles result = compare("name,dataset,m\na,cars,1\na,pets,2\nb,pets,3\na,boats,4\n",
                                       "dataset,name,accuracy\npets,a,90\ncars,a,70\nplanes,a,1\n");
  EXPECT_EQ(names_of(result), (Strings{"pets", "cars"}));
  EXPECT_EQ(result.datasets[0].scores.at(0).values, (Values{{"a", 2}, {"b", 3}}));
  EXPECT_EQ(result.datasets[0].truth.values, (Values{{"a", 90}}));
  EXPECT_EQ(result.datasets[1].scores.at(0).values, (Values{{"a", 1}}));
  EXPECT_EQ(result.only_in_scores, Strings{"boats"});
  EXPECT_EQ(result.only_in_truth, Strings{"planes"});
}

TEST_F(CompareFiles, PairsOfFilesAreDataSetsNamedAfterTheTruth) {
  const std::string scores = "name,m\na,1\nb,2\n";
  const std::string truth = "name,accuracy\na,1\nb,2\n";
  const Paths both = {written("x.csv", scores), written("y.csv", scores)};
  EXPECT_EQ(names_of(read_comparison(
                {.scores = both,
                 .truth = {written("pets_truth.csv", truth), written("cars.csv", truth)}})),
            (Strings{"pets", "cars"}));
  EXPECT_EQ(names_of(read_comparison(
                {.scores = both,
                 .truth = {written("pets/truth.csv", truth), written("cars/truth.csv", truth)}})),
            (Strings{"pets/truth", "cars/truth"}));
  EXPECT_EQ(names_of(compare(scores, truth)), Strings{"truth"});
}

TEST_F(CompareFiles, OneTruthMayServeSeveralScoreFiles) {
  const std::string json =
      R"({"models": [{"name": "a", "dim": 8, "scores": {"m": {"value": 1}}}]})";
  const ComparedFiles result = read_comparison(
      {.scores = {written("pets.json", json), written("cars_rank.json", json)},
       .truth = {written("truth.csv", "name,dataset,accuracy\na,pets,90\na,cars,70\n")}});
  EXPECT_EQ(names_of(result), (Strings{"pets", "cars"}));
}

TEST_F(CompareFiles, ADataSetOnOneSideNamesTheOtherFileOfThePair) {
  const std::string plain = "name,m\na,1\n";
  EXPECT_EQ(names_of(compare(plain, "name,dataset,accuracy\na,pets,1\n")), Strings{"pets"});
  EXPECT_EQ(names_of(compare("name,dataset,m\na,pets,1\n", "name,accuracy\na,1\n")),
            Strings{"pets"});
  EXPECT_THAT(refusal(plain, "name,dataset,accuracy\na,pets,1\na,cars,1\n"),
              HasSubstr("its truth has pets, cars; add a column 'dataset'"));
}

TEST_F(CompareFiles, RefusesWhatDoesNotMatch) {
  EXPECT_THAT(refusal("name,dataset,m\na,pets,1\n", "name,dataset,accuracy\na,cars,1\n"),
              HasSubstr("no data set is in both the scores and the truth: scores have pets; the "
                        "truth has cars"));
  EXPECT_THAT(refusal("name,dataset,m\na,pets,1\nx,cars,1\n",
                      "name,dataset,accuracy\nb,pets,1\ny,cars,2\n"),
              HasSubstr("no model is in both"));
  EXPECT_THAT(refusal("name,dataset,m\na,pets,1\na,pets,2\n", "name,accuracy\na,1\n"),
              HasSubstr("line 3: model 'a' is already on line 2; keep one row per model and data"));
  EXPECT_THAT(refusal("name,dataset,m\na,,1\n", "name,accuracy\na,1\n"),
              HasSubstr("line 2, column 'dataset' is blank"));
  const auto scores = written("s.csv", "name,m\na,1\n");
  const auto truth = written("t.csv", "name,accuracy\na,1\n");
  EXPECT_THAT(refusal(Paths{scores, scores}, Paths{truth, truth}), HasSubstr("keep one"));
}

TEST_F(CompareFiles, OneDataSetMayHaveNoModelInCommon) {
  const ComparedFiles result = compare("name,dataset,m\na,pets,1\nx,cars,1\n",
                                       "name,dataset,accuracy\na,pets,1\ny,cars,2\n");
  EXPECT_EQ(names_of(result), (Strings{"pets", "cars"}));
}

TEST_F(CompareFiles, TheDimensionIsABaseline) {
  const std::string json =
      R"({"models": [{"name": "a", "dim": 512, "scores": {"m": {"value": 1}}},
                     {"name": "b", "dim": null, "scores": {"m": {"value": 2}}}]})";
  const ComparedFiles ranked =
      read_comparison({.scores = {written("rank.json", json)},
                       .truth = {written("truth.csv", "name,accuracy,params\na,1,7\nb,2,8\n")}});
  const auto& baselines = ranked.datasets.at(0).truth.baselines;
  ASSERT_EQ(baselines.size(), 2U);
  EXPECT_EQ(baselines[1].name, "dim");
  EXPECT_EQ(baselines[1].values, (Values{{"a", 512}}));
  EXPECT_TRUE(baselines[1].higher_is_better);

  const ComparedFiles in_scores =
      compare("name,dim,m\na,64,1\n", "name,accuracy\na,1\n", {.lower_is_better = {"dim"}});
  ASSERT_EQ(in_scores.datasets[0].scores.size(), 1U);
  EXPECT_EQ(in_scores.datasets[0].truth.baselines.at(0).values, (Values{{"a", 64}}));
  EXPECT_FALSE(in_scores.datasets[0].truth.baselines.at(0).higher_is_better);

  const ComparedFiles in_truth = compare("name,dim,m\na,64,1\n", "name,accuracy,dim\na,1,32\n");
  ASSERT_EQ(in_truth.datasets[0].truth.baselines.size(), 1U);
  EXPECT_EQ(in_truth.datasets[0].truth.baselines[0].values, (Values{{"a", 32}}));
}

TEST_F(CompareFiles, RefusesAMetricOfTwoDirections) {
  const auto json = [](const std::string& direction) {
    return R"({"metrics": {"mine": {"direction": ")" + direction +
           R"("}}, "models": [{"name": "a", "scores": {"mine": {"value": 1}}}]})";
  };
  const Paths scores = {written("x.json", json("lower")), written("y.json", json("higher"))};
  const Paths truth = {written("pets.csv", "name,accuracy\na,1\n"),
                       written("cars.csv", "name,accuracy\na,1\n")};
  EXPECT_THAT(refusal(scores, truth),
              HasSubstr("metric 'mine' is better when lower on data set 'pets' and when higher on "
                        "'cars'; say `lower_is_better` mine"));
  EXPECT_EQ(refusal(scores, truth, {.lower_is_better = {"mine"}}), "no error");
}

TEST_F(CompareFiles, LowerIsBetterMayNameAColumnOfAnyDataSet) {
  const Paths scores = {written("x.csv", "name,m\na,1\n"), written("y.csv", "name,k\na,1\n")};
  const Paths truth = {written("pets.csv", "name,accuracy\na,1\n"),
                       written("cars.csv", "name,accuracy,params\na,1,2\n")};
  EXPECT_EQ(refusal(scores, truth, {.lower_is_better = {"k", "params"}}), "no error");
  EXPECT_THAT(refusal(scores, truth, {.lower_is_better = {"zzzzzzzz"}}),
              HasSubstr("no column 'zzzzzzzz'; there are accuracy, m, k, params"));
}

class GroupColumn : public CompareFiles {
 protected:
  // The labels of models a, b, ... of one data set whose truth has these cells.
  Strings labels(const std::string& column, const Strings& cells) const {
    std::string scores = "name,m\n";
    std::string truth = "name,accuracy," + column + "\n";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string name(1, static_cast<char>('a' + i));
      scores += name + ",1\n";
      truth += name + ",1," + cells[i] + "\n";
    }
    const auto compared = compare(scores, truth, {.group_column = column});
    Strings texts;
    for (const auto& [model, label] : compared.datasets.at(0).groups) texts.push_back(label.text);
    return texts;
  }
};

TEST_F(GroupColumn, BandsClassCounts) {
  EXPECT_EQ(labels("classes", {"2", "3", "10", "11", "50", "51", "200", "201", "1000"}),
            (Strings{"2", "3-10", "3-10", "11-50", "11-50", "51-200", "51-200", ">200", ">200"}));
  EXPECT_EQ(labels("classes", {"few", "10"}), (Strings{"few", "10"}));
  for (const std::string bad : {"1", "0", "-3", "2.5"}) {
    EXPECT_THAT(refusal("name,m\na,1\n", "name,accuracy,classes\na,1," + bad + "\n",
                        {.group_column = "classes"}),
                HasSubstr("expected a whole number of at least 2 classes, got " + bad));
  }
}

TEST_F(GroupColumn, TakesEqualNumbersForOneGroupAndSortsThemBySize) {
  EXPECT_EQ(labels("dim", {"512", "512.0", "64"}), (Strings{"512", "512", "64"}));
  const auto groups =
      compare("name,m\na,1\nb,1\n", "name,accuracy,dim\na,1,512\nb,1,64\n", {.group_column = "dim"})
          .datasets.at(0)
          .groups;
  EXPECT_LT(groups.at("b"), groups.at("a"));
}

TEST_F(GroupColumn, LeavesBlankCellsOut) {
  EXPECT_EQ(labels("family", {"cnn", "", "vit"}), (Strings{"cnn", "vit"}));
}

TEST_F(GroupColumn, MayComeFromTheScoresAndIsNoMetricThen) {
  const ComparedFiles result =
      compare("name,family,m\na,cnn,1\n", "name,accuracy\na,1\n", {.group_column = "family"});
  EXPECT_EQ(result.datasets[0].groups.at("a").text, "cnn");
  EXPECT_EQ(result.datasets[0].scores.size(), 1U);
  const std::string json =
      R"({"models": [{"name": "a", "dim": 8, "scores": {"m": {"value": 1}}}]})";
  const ComparedFiles ranked =
      read_comparison({.scores = {written("rank.json", json)},
                       .truth = {written("truth.csv", "name,accuracy\na,1\n")},
                       .options = {.group_column = "dim"}});
  EXPECT_EQ(ranked.datasets[0].groups.at("a").text, "8");
}

TEST_F(GroupColumn, MustBeThere) {
  EXPECT_THAT(
      refusal("name,m\na,1\n", "name,accuracy,family\na,1,x\n", {.group_column = "famly"}),
      HasSubstr("`group`: no column 'famly' in the truth of data set 'truth'; there are name, "
                "accuracy, family"));
}

}  // namespace
}  // namespace assay
