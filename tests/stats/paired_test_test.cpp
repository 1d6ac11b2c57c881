#include "stats/paired_test.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay {
namespace {

TEST(PairedTTest, AgreesWithSciPy) {
  const std::vector<double> a = {0.81, 0.79, 0.84, 0.80};
  const std::vector<double> b = {0.78, 0.79, 0.80, 0.77};
  const PairedTest found = paired_t_test(a, b);  // scipy.stats.ttest_rel
  EXPECT_EQ(found.pairs, 4);
  EXPECT_NEAR(found.difference, 0.025, 1e-15);
  EXPECT_NEAR(found.sd.value(), 0.017320508075688756, 1e-12);
  EXPECT_NEAR(found.p.value(), 0.06318007496544593, 1e-10);
  // 0.025 -+ t.ppf(0.975, 3) * sd / 2
  EXPECT_NEAR(found.low.value(), 0.025 - 3.182446305284263 * 0.008660254037844378, 1e-10);
  EXPECT_NEAR(found.high.value(), 0.025 + 3.182446305284263 * 0.008660254037844378, 1e-10);
}

TEST(PairedTTest, HasNoPWithoutSpread) {
  const std::vector<double> one = {0.5};
  const std::vector<double> other = {0.25};
  EXPECT_EQ(paired_t_test(one, other).difference, 0.25);
  EXPECT_FALSE(paired_t_test(one, other).sd);
  EXPECT_FALSE(paired_t_test(one, other).p);
  const std::vector<double> same = {0.25, 0.5, 0.75};
  EXPECT_EQ(paired_t_test(same, same).sd, 0.0);
  EXPECT_FALSE(paired_t_test(same, same).p);
  EXPECT_EQ(paired_t_test({}, {}).pairs, 0);
}

}  // namespace
}  // namespace assay
