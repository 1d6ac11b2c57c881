#include "evaluate/group_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "assay/error.h"
#include "io/csv.h"

namespace assay {
namespace {

struct Band {
  double first;
  const char* text;
};

constexpr std::array<Band, 5> kClassBands = {
    {{2, "2"}, {3, "3-10"}, {11, "11-50"}, {51, "51-200"}, {201, ">200"}}};

bool is_number(const std::string& cell) {
  const std::optional<double> number = number_in(cell);
  return number && std::isfinite(*number);
}

bool all_numbers(const std::vector<Cells>& datasets) {
  return std::ranges::all_of(datasets, [](const Cells& cells) {
    return std::ranges::all_of(cells, [](const auto& cell) { return is_number(cell.second); });
  });
}

GroupLabel class_band(double classes, const std::string& model) {
  if (classes < kClassBands.front().first || classes != std::floor(classes)) {
    fail_input(fmt::format(
        "column 'classes', model '{}': expected a whole number of at least 2 classes, got {}",
        model, classes));
  }
  const Band* band = &kClassBands.front();
  for (const Band& next : kClassBands) {
    if (classes >= next.first) band = &next;
  }
  return {.order = band->first, .text = band->text};
}

GroupLabel number_label(const std::string& column, const std::string& model,
                        const std::string& cell) {
  const double number = *number_in(cell);
  if (column == "classes") return class_band(number, model);
  return {.order = number, .text = fmt::format("{}", number)};
}

const GroupBand* band_of(double number, const std::vector<GroupBand>& bands) {
  for (const GroupBand& band : bands)
    if (number >= band.first && number <= band.last) return &band;
  return nullptr;
}

}  // namespace

std::vector<std::map<std::string, GroupLabel>> group_labels(const std::string& column,
                                                            const std::vector<Cells>& datasets,
                                                            const std::vector<GroupBand>& bands) {
  const bool numbers = all_numbers(datasets);
  if (!numbers && !bands.empty())
    fail_input(fmt::format("`bands`: column '{}' has cells that are no numbers", column));
  std::vector<std::map<std::string, GroupLabel>> labels;
  for (const Cells& cells : datasets) {
    auto& of_dataset = labels.emplace_back();
    for (const auto& [model, cell] : cells) {
      if (!bands.empty()) {
        if (const GroupBand* band = band_of(*number_in(cell), bands))
          of_dataset[model] = {.order = band->first, .text = band->text};
      } else {
        of_dataset[model] = numbers ? number_label(column, model, cell) : GroupLabel{.text = cell};
      }
    }
  }
  return labels;
}

}  // namespace assay
