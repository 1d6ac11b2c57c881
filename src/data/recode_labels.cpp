#include "data/recode_labels.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"

namespace assay {

std::vector<Label> recode_labels(const Targets& test, const Targets& train) {
  std::vector<Label> code;
  for (const std::string& name : test.names) {
    const auto found = std::find(train.names.begin(), train.names.end(), name);
    if (found == train.names.end()) {
      fail_input(fmt::format("{}: class '{}' does not occur in {}", test.where, name, train.where));
    }
    code.push_back(static_cast<Label>(found - train.names.begin()));
  }
  std::vector<Label> out;
  for (const Label label : test.labels) out.push_back(code[static_cast<std::size_t>(label)]);
  return out;
}

}  // namespace assay
