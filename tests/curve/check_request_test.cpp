#include "curve/check_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support.h"

namespace assay {
namespace {

using testing::HasSubstr;

std::string says(const std::function<void(CurveRequest&)>& change) {
  CurveRequest request;
  change(request);
  return test::error_of([&] { check_request(request); });
}

TEST(CheckRequest, NamesTheFieldThatMakesNoSense) {
  check_request({});
  EXPECT_THAT(says([](auto& r) { r.target_loss = -1.0; }), HasSubstr("`target_loss`"));
  EXPECT_THAT(says([](auto& r) { r.target_accuracy = 1.0; }), HasSubstr("`target_accuracy`"));
  EXPECT_THAT(says([](auto& r) { r.certify = std::nan(""); }), HasSubstr("`certify`"));
  EXPECT_THAT(says([](auto& r) { r.epsilons = {-0.5}; }), HasSubstr("`epsilon` -0.5"));
  EXPECT_THAT(says([](auto& r) { r.validation_share = std::nan(""); }),
              HasSubstr("`validation_share`"));
  EXPECT_THAT(says([](auto& r) { r.l2 = 0.0; }), HasSubstr("`l2`"));
  EXPECT_THAT(says([](auto& r) { r.mlp.stop_loss = INFINITY; }), HasSubstr("`stop_loss`"));
  EXPECT_THAT(says([](auto& r) { r.seeds = 0; }), HasSubstr("`seeds`"));
}

TEST(CheckRequest, RefusesCertificatesWithoutATolerance) {
  EXPECT_THAT(says([](auto& r) {
                r.certify = 0.1;
                r.epsilons = {0.5, 0.0};
              }),
              HasSubstr("`certify` needs tolerances above 0"));
  EXPECT_THAT(says([](auto& r) {
                r.certify = 0.1;
                r.learners["mine"] = [](const LearnerTask&) { return ProbeOutcome{}; };
              }),
              HasSubstr("leave it out where learners take part"));
}

}  // namespace
}  // namespace assay
