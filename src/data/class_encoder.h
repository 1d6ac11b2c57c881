#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "assay/targets.h"

namespace assay {

// Classes by name, one sample after another: only the distinct names are kept, however many samples
// there are. The classes of the result are in alphabetical order, as targets_of_classes() has them.
class ClassEncoder {
 public:
  void add(std::string_view name);
  Targets targets(std::string where) &&;  // throws Error when nothing was added

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::unordered_map<std::string, Label, Hash, std::equal_to<>> codes_;  // by first appearance
  std::vector<Label> labels_;
};

}  // namespace assay
