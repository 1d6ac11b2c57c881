#include "learn/hits.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace assay {
namespace {

TEST(Hits, AreColumnsWhoseLargestEntryIsTheirLabel) {
  Matrix scores(3, 4);
  scores << 0.1, 2.0, -1.0, 0.5,  //
      0.7, 1.0, -2.0, 0.5,        //
      0.2, 3.0, -3.0, 0.1;
  const std::vector<Label> labels = {1, 1, 0, 1};
  const Vector expected{{1.0, 0.0, 1.0, 0.0}};  // of two equals the first is named
  EXPECT_EQ(hits(scores, labels), expected);
  EXPECT_EQ(hits(scores.array().exp().matrix(), labels), expected);
}

TEST(Hits, OfNoSamplesAreNone) { EXPECT_EQ(hits(Matrix(3, 0), std::vector<Label>{}).size(), 0); }

TEST(Hits, KnowInfiniteScores) {
  Matrix scores(2, 2);
  const double infinite = std::numeric_limits<double>::infinity();
  scores << -infinite, 1e308,  //
      -1e308, infinite;
  const std::vector<Label> labels = {1, 1};
  EXPECT_EQ(hits(scores, labels).sum(), 2.0);
}

}  // namespace
}  // namespace assay
