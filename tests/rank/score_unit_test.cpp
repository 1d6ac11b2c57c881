#include "rank/score_unit.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(ScoreUnit, OfClassesIsThatOfTheMetric) {
  for (const Metric& metric : all_metrics())
    EXPECT_EQ(score_unit(metric, TargetKind::classes), metric.unit);
}

TEST(ScoreUnit, OfNumbersIsNoAccuracy) {
  for (const TargetKind kind :
       {TargetKind::regression, TargetKind::multi_label, TargetKind::soft_classes}) {
    EXPECT_EQ(score_unit(find_metric("ridge_loo"), kind), "R2");
    EXPECT_EQ(score_unit(find_metric("knn"), kind), "R2");
    EXPECT_EQ(score_unit(find_metric("linear_valid"), kind), "of the variance left");
    EXPECT_EQ(score_unit(find_metric("logme"), kind), find_metric("logme").unit);
  }
  EXPECT_EQ(score_unit(find_metric("accuracy"), TargetKind::regression), "R2");
  EXPECT_EQ(score_unit(find_metric("accuracy"), TargetKind::multi_label), "average precision");
}

}  // namespace
}  // namespace assay
