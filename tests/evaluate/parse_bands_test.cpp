#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "assay/evaluate.h"
#include "evaluate/group_labels.h"
#include "support.h"

namespace assay {
namespace {

using testing::HasSubstr;

TEST(ParseBands, ReadsRangesNumbersAndAnOpenEnd) {
  const std::vector<GroupBand> bands = parse_bands("1, 2-9,10-99,100+");
  ASSERT_EQ(bands.size(), 4U);
  EXPECT_EQ(bands[0].first, 1.0);
  EXPECT_EQ(bands[0].last, 1.0);
  EXPECT_EQ(bands[1].last, 9.0);
  EXPECT_EQ(bands[3].first, 100.0);
  EXPECT_TRUE(std::isinf(bands[3].last));
  EXPECT_EQ(bands[3].text, "100+");
}

TEST(ParseBands, RefusesWhatIsNoneOrOverlaps) {
  for (const char* list : {"", "a-b", "9-2", "2-", "+", "2,,3", "2-9-12"})
    EXPECT_THAT(test::error_of([&] { parse_bands(list); }), HasSubstr("`bands`: expected ranges"))
        << list;
  EXPECT_THAT(test::error_of([] { parse_bands("2-9,9-20"); }), HasSubstr("overlap"));
  EXPECT_THAT(test::error_of([] { parse_bands("100+,2-9"); }), HasSubstr("ascending"));
}

TEST(ParseBands, PutNumbersIntoGroupsAndLeaveOthersOut) {
  const auto labels = group_labels("classes", {{{"a", "6"}, {"b", "10"}, {"c", "101"}, {"d", "1"}}},
                                   parse_bands("2-9,10-99,100+"));
  ASSERT_EQ(labels.size(), 1U);
  EXPECT_EQ(labels[0].at("a").text, "2-9");
  EXPECT_EQ(labels[0].at("b").text, "10-99");
  EXPECT_EQ(labels[0].at("c").text, "100+");
  EXPECT_FALSE(labels[0].contains("d"));
}

TEST(ParseBands, AreOfNumbersOnly) {
  EXPECT_THAT(test::error_of([] {
                group_labels("family", {{{"a", "resnet"}}}, parse_bands("2-9"));
              }),
              HasSubstr("no numbers"));
}

}  // namespace
}  // namespace assay
