#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "assay/error.h"
#include "assay/tune.h"

namespace assay {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(TeacherWeights, AreTheSoftmaxOfLogme) {
  const double scores[] = {0.1, 0.1 + 0.1 * std::log(3.0)};
  EXPECT_THAT(teacher_weights(scores, 0.1),
              ElementsAre(DoubleNear(0.25, 1e-15), DoubleNear(0.75, 1e-15)));
}

TEST(TeacherWeights, DoNotOverflow) {
  const double scores[] = {-1e6, 1e6, 1e6};
  EXPECT_THAT(teacher_weights(scores, 1e-3), ElementsAre(0.0, 0.5, 0.5));
}

TEST(TeacherWeights, RefuseATemperatureThatIsNone) {
  const double scores[] = {1.0};
  for (const double temperature :
       {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(teacher_weights(scores, temperature), Error) << temperature;
  EXPECT_THROW(teacher_weights({}, 1.0), Error);
}

}  // namespace
}  // namespace assay
