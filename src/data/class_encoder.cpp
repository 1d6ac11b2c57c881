#include "data/class_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/error.h"

namespace assay {

void ClassEncoder::add(std::string_view name) {
  auto found = codes_.find(name);
  if (found == codes_.end())
    found = codes_.emplace(std::string(name), static_cast<Label>(codes_.size())).first;
  labels_.push_back(found->second);
}

Targets ClassEncoder::targets(std::string where) && {
  if (labels_.empty()) fail_input(fmt::format("{}: holds no labels", where));
  Targets out;
  for (const auto& [name, code] : codes_) out.names.push_back(name);
  std::sort(out.names.begin(), out.names.end());
  std::vector<Label> place(codes_.size());
  for (std::size_t i = 0; i < out.names.size(); ++i)
    place[static_cast<std::size_t>(codes_.find(out.names[i])->second)] = static_cast<Label>(i);
  for (Label& label : labels_) label = place[static_cast<std::size_t>(label)];
  out.labels = std::move(labels_);
  out.where = std::move(where);
  return out;
}

}  // namespace assay
