#include "curve/curve_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "curve/epsilons.h"
#include "support.h"

namespace assay {
namespace {

using test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<LossCurve> parse(const std::string& text, LossKind kind = LossKind::nll) {
  return parse_curves(text, "dir/mine.csv", kind);
}

std::string problem(const std::string& rows, LossKind kind = LossKind::nll) {
  return error_of([&] { parse("name,seed,samples,val_loss,val_accuracy\n" + rows, kind); });
}

TEST(CurveFiles, KeepTheOrderOfNamesAndIgnoreOtherColumns) {
  const auto curves = parse(
      "val_loss,epoch,samples,seed,name\n"
      "0.5,9,20,1,b\n0.7,9,10,1,a\n0.25,9,40,1,b\n");
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(curves[0].name, "b");
  ASSERT_EQ(curves[0].runs.size(), 2U);
  EXPECT_EQ(curves[0].runs[1].n, 40);
  EXPECT_EQ(curves[0].runs[1].loss, 0.25);
  EXPECT_FALSE(curves[0].runs[1].accuracy.has_value());
  EXPECT_EQ(curves[1].runs[0].seed, 1);
}

TEST(CurveFiles, NameAnUnnamedCurveAfterItsFile) {
  const auto curves = parse("samples,val_loss\n10,0.5\n");
  EXPECT_EQ(curves[0].name, "mine");
  EXPECT_EQ(curves[0].runs[0].seed, 0);
}

TEST(CurveFiles, ReadAccuraciesWhereTheyAre) {
  const auto curves =
      parse("name,seed,samples,val_loss,val_accuracy\na,0,10,1.5,0.25\na,1,10,1.5,\n");
  EXPECT_EQ(curves[0].runs[0].accuracy, 0.25);
  EXPECT_FALSE(curves[0].runs[1].accuracy.has_value());
}

TEST(CurveFiles, NameTheRowThatIsWrong) {
  EXPECT_THAT(problem("a,0,10,nan,\n"), HasSubstr("row 1: val_loss is 'nan'"));
  EXPECT_THAT(problem("a,0,10,1,\na,0,20,-1,\n"), HasSubstr("row 2: val_loss is -1"));
  EXPECT_THAT(problem("a,0,0,1,\n"), HasSubstr("samples is 0"));
  EXPECT_THAT(problem("a,0,10.5,1,\n"), HasSubstr("expected an integer"));
  EXPECT_THAT(problem("a,x,10,1,\n"), HasSubstr("seed is 'x'"));
  EXPECT_THAT(problem("a,0,10,1,\na,0,10,2,\n"), HasSubstr("second probe of seed 0"));
  EXPECT_THAT(problem("a,0,10,1.2,\n", LossKind::zero_one), HasSubstr("at most 1"));
  EXPECT_THAT(problem("a,0,10,1,80\n"), HasSubstr("between 0 and 1"));
  EXPECT_THAT(problem(",0,10,1,\n"), HasSubstr("name is empty"));
  EXPECT_THAT(problem(""), HasSubstr("no probes"));
  EXPECT_THAT(error_of([] { parse("10,0.5\n"); }), HasSubstr("'samples' is missing"));
  EXPECT_THAT(error_of([] { parse("samples,loss\n10,0.5\n"); }),
              HasSubstr("'val_loss' is missing"));
}

TEST(Epsilons, AreNumbersInTheOrderGivenEachOnce) {
  EXPECT_THAT(parse_epsilons("0.5, 0.1,0.5,0"), ElementsAre(0.5, 0.1, 0.0));
}

TEST(Epsilons, ComeFromAnotherResult) {
  const test::TemporaryDirectory folder;
  const std::string path = (folder / "big.json").string();
  test::write_text(path, R"({"models": [{"name": "a", "va": 0.75}, {"name": "b", "va": 0.25}]})");
  EXPECT_THAT(parse_epsilons("1,from:" + path), ElementsAre(1.0, 0.25));
  EXPECT_THAT(parse_epsilons("from:" + path + ":a"), ElementsAre(0.75));
  EXPECT_THAT(error_of([&] { parse_epsilons("from:" + path + ":c"); }), HasSubstr("no model 'c'"));
  test::write_text(path, "[1, 2");
  EXPECT_THAT(error_of([&] { parse_epsilons("from:" + path); }), HasSubstr("not valid JSON"));
  test::write_text(path, "[1, 2]");
  EXPECT_THAT(error_of([&] { parse_epsilons("from:" + path); }), HasSubstr("no array 'models'"));
  test::write_text(path, R"({"models": [{"name": "a"}]})");
  EXPECT_THAT(error_of([&] { parse_epsilons("from:" + path); }), HasSubstr("without 'name' or"));
  EXPECT_THAT(error_of([&] { parse_epsilons("from:nowhere.json"); }), HasSubstr("nowhere.json"));
}

TEST(Epsilons, MustBeLosses) {
  for (const char* bad : {"", "-1", "nan", "inf", "0.1,,0.2", "small"})
    EXPECT_THAT(error_of([&] { parse_epsilons(bad); }), HasSubstr("is no tolerance")) << bad;
}

}  // namespace
}  // namespace assay
