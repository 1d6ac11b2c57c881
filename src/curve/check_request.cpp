#include "curve/check_request.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "assay/error.h"

namespace assay {
namespace {

void require_share(const char* field, const std::optional<double>& value) {
  if (value && !(*value > 0.0 && *value < 1.0))
    fail_input(fmt::format("{}: expected a number between 0 and 1", field));
}

void check_questions(const CurveRequest& request) {
  if (request.target_loss && !(*request.target_loss >= 0.0 && std::isfinite(*request.target_loss)))
    fail_input("`target_loss`: expected a loss of 0 or more");
  require_share("`target_accuracy`", request.target_accuracy);
  require_share("`certify`", request.certify);
  for (const double epsilon : request.epsilons) {
    if (!(epsilon >= 0.0 && std::isfinite(epsilon)))
      fail_input(fmt::format("`epsilon` {}: expected a tolerance of 0 or more", epsilon));
    if (request.certify && epsilon <= 0.0) fail_input("`certify` needs tolerances above 0");
  }
}

}  // namespace

void check_request(const CurveRequest& request) {
  check_questions(request);
  if (!(request.validation_share >= 0.01 && request.validation_share <= 0.99))
    fail_input("`validation_share`: expected a number between 0.01 and 0.99");
  if (request.l2 && !(*request.l2 > 0.0 && std::isfinite(*request.l2)))
    fail_input("`l2`: expected a penalty above 0");
  if (!(request.mlp.adam.rate > 0.0 && std::isfinite(request.mlp.adam.rate)))
    fail_input("`lr`: expected a learning rate above 0");
  if (request.mlp.batch < 1) fail_input("`batch`: expected a whole number of 1 or more");
  if (!std::isfinite(request.mlp.stop_loss)) fail_input("`stop_loss`: expected a number");
  if (request.seeds < 1 || request.size_count < 1 || request.mlp.updates < 1)
    fail_input("`seeds`, `sizes` and `updates`: expected whole numbers of 1 or more");
  if (request.certify && !request.learners.empty())
    fail_input("`certify` is for probes on features; leave it out where learners take part");
}

}  // namespace assay
