#include "search/first_tried.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "assay/error.h"
#include "io/csv.h"

namespace assay {

std::map<std::string, double> read_prior_ranking(const std::filesystem::path& file) {
  const CsvTable table = read_csv_table(file);
  std::map<std::string, double> prior;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::vector<std::string>& row = table.rows[i];
    const std::optional<double> value = row.size() < 2 ? std::nullopt : number_in(row[1]);
    if (!value || !std::isfinite(*value))
      fail_input(fmt::format("{}: row {} of models: expected a name and a number, higher is better",
                             file.string(), i + 1));
    if (!prior.emplace(row[0], *value).second)
      fail_input(fmt::format("{}: '{}' stands there twice", file.string(), row[0]));
  }
  return prior;
}

std::vector<std::size_t> tried_first(const std::vector<std::string>& names,
                                     const std::vector<double>& costs,
                                     const std::map<std::string, double>& prior) {
  const auto standing = [&](std::size_t i) {
    const auto found = prior.find(names[i]);
    return found != prior.end() ? found->second : -std::numeric_limits<double>::infinity();
  };
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    if (standing(a) != standing(b)) return standing(a) > standing(b);
    if (costs[a] != costs[b]) return costs[a] < costs[b];
    return names[a] < names[b];
  });
  return order;
}

}  // namespace assay
