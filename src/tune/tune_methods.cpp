#include "tune/tune_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "assay/error.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::array kMethods = {TuneMethod::finetune, TuneMethod::distill, TuneMethod::b_tuning,
                                 TuneMethod::zoo, TuneMethod::prior};

}  // namespace

bool has_teachers(TuneMethod method) { return method != TuneMethod::finetune; }

std::string method_name(TuneMethod method) {
  switch (method) {
    case TuneMethod::finetune:
      return "finetune";
    case TuneMethod::b_tuning:
      return "b-tuning";
    case TuneMethod::distill:
      return "distill";
    case TuneMethod::zoo:
      return "zoo";
    case TuneMethod::prior:
      break;
  }
  return "prior";
}

std::vector<TuneMethod> parse_methods(const std::string& text) {
  if (text == "all") return {kMethods.begin(), kMethods.end()};
  std::vector<TuneMethod> out;
  for (const std::string& name : split_list(text)) {
    const auto found = std::find_if(kMethods.begin(), kMethods.end(),
                                    [&](TuneMethod one) { return method_name(one) == name; });
    if (found == kMethods.end())
      fail_input(
          fmt::format("'{}' is no method; expected b-tuning, distill, zoo, finetune, prior "
                      "or all",
                      name));
    if (std::find(out.begin(), out.end(), *found) == out.end()) out.push_back(*found);
  }
  return out;
}

}  // namespace assay
