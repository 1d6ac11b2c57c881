#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "assay/error.h"
#include "assay/images.h"
#include "core/random.h"
#include "data/subset.h"
#include "io/csv.h"

namespace assay {
namespace {

// Rows by class; all in one group where there are no classes.
std::vector<std::vector<Index>> groups_of(const Targets& targets) {
  if (targets.kind != TargetKind::classes) {
    std::vector<Index> all(static_cast<std::size_t>(targets.rows()));
    std::iota(all.begin(), all.end(), 0);
    return {all};
  }
  std::vector<std::vector<Index>> groups(targets.names.size());
  for (Index i = 0; i < targets.rows(); ++i)
    groups[static_cast<std::size_t>(targets.labels[static_cast<std::size_t>(i)])].push_back(i);
  return groups;
}

LabelledImages part_of(const LabelledImages& all, std::vector<Index> rows) {
  std::sort(rows.begin(), rows.end());
  Targets targets = targets_of_rows(all.targets, rows);
  return {images_of_subset(all.images, std::move(rows)), std::move(targets)};
}

}  // namespace

ImageData split_image_data(ImageData data, double share, std::uint64_t seed) {
  if (data.test) {
    fail_input(
        fmt::format("{}: has a test part of its own; leave out the share of the split", data.name));
  }
  Random random(seed);
  std::vector<Index> train;
  std::vector<Index> test;
  for (std::vector<Index>& group : groups_of(data.train.targets)) {
    random.shuffle(group);
    // A class of two or more images is in both parts.
    const auto size = static_cast<Index>(group.size());
    const Index wanted = std::lround(share * static_cast<double>(size));
    const Index kept = size < 2 ? size : std::clamp<Index>(wanted, 1, size - 1);
    train.insert(train.end(), group.begin(), group.begin() + kept);
    test.insert(test.end(), group.begin() + kept, group.end());
  }
  if (train.empty() || test.empty())
    fail_input(fmt::format("{}: too few images to split", data.name));
  const LabelledImages all = std::move(data.train);
  return {std::move(data.name), part_of(all, std::move(train)), part_of(all, std::move(test))};
}

SplitChoice parse_split(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string first = text.substr(0, colon);
  const std::string second = colon == std::string::npos ? "train" : text.substr(colon + 1);
  if (colon == std::string::npos && (first == "train" || first == "test"))
    return {first == "test", {}};
  const std::optional<double> share = number_in(first);
  if (!share || !(*share > 0.0 && *share < 1.0) || (second != "train" && second != "test")) {
    fail_input(
        fmt::format("'{}' is no split; expected train, test, a share such as 0.8, or "
                    "0.8:test",
                    text));
  }
  return {second == "test", share};
}

LabelledImages choose_part(ImageData data, const SplitChoice& choice, std::uint64_t seed) {
  if (choice.share) data = split_image_data(std::move(data), *choice.share, seed);
  if (!choice.test) return std::move(data.train);
  if (!data.test)
    fail_input(
        fmt::format("{}: has no test part; split it, e.g. with `split` 0.8:test", data.name));
  return std::move(*data.test);
}

}  // namespace assay
