#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "assay/error.h"
#include "assay/tune.h"
#include "core/text.h"

namespace assay {
namespace {

LambdaChoice one_choice(const std::string& text) {
  LambdaChoice out;
  std::string rest = text;
  if (const std::size_t colon = text.find(':'); colon != std::string::npos) {
    out.method = parse_methods(text.substr(0, colon)).front();
    rest = text.substr(colon + 1);
  }
  if (rest == "auto") return out;
  double value = 0.0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc() || end != rest.data() + rest.size() || !std::isfinite(value) ||
      value < 0.0) {
    fail_input(
        fmt::format("`lambda` '{}': expected auto or a number that is 0 or more, perhaps for one "
                    "method, as in b-tuning:10",
                    text));
  }
  out.value = value;
  return out;
}

}  // namespace

std::vector<LambdaChoice> parse_lambdas(const std::string& text) {
  std::vector<LambdaChoice> out;
  for (const std::string& part : split_list(text)) out.push_back(one_choice(part));
  return out;
}

}  // namespace assay
