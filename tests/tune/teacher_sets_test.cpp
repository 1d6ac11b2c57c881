#include "tune/teacher_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.h"

namespace assay {
namespace {

using test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kRanked = {"a", "b", "c", "d"};

std::vector<std::string> labels(const std::string& text) {
  std::vector<std::string> out;
  for (const TeacherSet& set : choose_teachers(text, kRanked)) out.push_back(set.label);
  return out;
}

TEST(ChooseTeachers, TakesTheBestOnes) {
  const std::vector<TeacherSet> sets = choose_teachers("top:2", kRanked);
  ASSERT_EQ(sets.size(), 1U);
  EXPECT_THAT(sets[0].names, ElementsAre("a", "b"));
  EXPECT_EQ(sets[0].label, "top-2");
  EXPECT_THAT(choose_teachers("top:9", kRanked).at(0).names, ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(choose_teachers("all", kRanked).at(0).names, ElementsAre("a", "b", "c", "d"));
}

TEST(ChooseTeachers, TakesThoseNamed) {
  const TeacherSet set = choose_teachers("c, a", kRanked).at(0);
  EXPECT_THAT(set.names, ElementsAre("c", "a"));
  EXPECT_EQ(set.label, "c+a");
}

TEST(ChooseTeachers, SweepsAndCombinesAsInTheFiguresOfThePaper) {
  EXPECT_THAT(labels("sweep:1..3"), ElementsAre("top-1", "top-2", "top-3"));
  EXPECT_THAT(labels("sweep:3..9"), ElementsAre("top-3", "top-4"));
  EXPECT_THAT(labels("combinations:2"), ElementsAre("a+b", "a+c", "a+d", "b+c", "b+d", "c+d"));
  EXPECT_THAT(labels("combinations:4"), ElementsAre("a+b+c+d"));
}

TEST(ChooseTeachers, TakesSeveralSets) {
  EXPECT_THAT(labels("top:2;all;d"), ElementsAre("top-2", "all", "d"));
  EXPECT_THAT(labels("all;top:4"), ElementsAre("all"));
}

TEST(ChooseTeachers, RefusesWhatNamesNone) {
  for (const std::string text : {"top:0", "top:x", "best:3", "sweep:2", "sweep:3..1", "top:", ":"})
    EXPECT_THAT(error_of([&] { choose_teachers(text, kRanked); }), HasSubstr("expected top:K"))
        << text;
  EXPECT_THAT(error_of([] { choose_teachers("a,e", kRanked); }), HasSubstr("no network 'e'"));
  EXPECT_THAT(error_of([] { choose_teachers("a,a", kRanked); }), HasSubstr("named twice"));
  EXPECT_THAT(error_of([] { choose_teachers("top:1", {}); }), HasSubstr("could teach"));
  std::vector<std::string> many;
  for (int i = 0; i < 30; ++i) many.push_back(std::to_string(i));
  EXPECT_THAT(error_of([&] { choose_teachers("combinations:10", many); }),
              HasSubstr("more than 1000 sets"));
}

}  // namespace
}  // namespace assay
