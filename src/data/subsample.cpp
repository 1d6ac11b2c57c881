#include "data/subsample.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "assay/error.h"
#include "core/random.h"

namespace assay {
namespace {

bool read_count(std::string_view text, Index& out) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), out);
  return status == std::errc{} && end == text.data() + text.size() && out > 0;
}

// How many rows of each class a draw takes.
std::vector<Index> quota(const Subsample& subsample, const std::vector<Index>& counts, Index n) {
  const auto classes = static_cast<Index>(counts.size());
  std::vector<Index> out;
  if (subsample.per_class) {
    const Index least = (kFewestRows + classes - 1) / classes;
    for (const Index count : counts)
      out.push_back(std::min(std::max(subsample.rows, least), count));
    return out;
  }
  const Index wanted = std::min(std::max(subsample.rows, kFewestRows), n);
  // In proportion, what is lost by rounding down going to the classes that lost most.
  std::vector<std::pair<double, std::size_t>> rest;
  Index given = 0;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    const double share =
        static_cast<double>(wanted) * static_cast<double>(counts[c]) / static_cast<double>(n);
    out.push_back(static_cast<Index>(std::floor(share)));
    given += out.back();
    rest.emplace_back(static_cast<double>(out.back()) - share, c);
  }
  std::sort(rest.begin(), rest.end());
  for (std::size_t k = 0; given < wanted; k = (k + 1) % rest.size()) {
    if (out[rest[k].second] == counts[rest[k].second]) continue;
    ++out[rest[k].second];
    ++given;
  }
  return out;
}

}  // namespace

Subsample parse_subsample(std::string_view text) {
  const std::size_t colon = text.find(':');
  std::string_view rows = text.substr(0, colon);
  Subsample out;
  constexpr std::string_view per_class = "/class";
  if (rows.ends_with(per_class)) {
    out.per_class = true;
    rows.remove_suffix(per_class.size());
  }
  const bool good = read_count(rows, out.rows) && (colon == std::string_view::npos ||
                                                   read_count(text.substr(colon + 1), out.draws));
  if (good && out.draws <= 10000) return out;
  fail_input(fmt::format(
      "`subsample` '{}' is not understood; write 5/class:10 (rows per class : draws) or 200:10 "
      "(rows : draws)",
      text));
}

std::vector<std::vector<Index>> draw_rows(const Subsample& subsample, const Targets& targets,
                                          std::uint64_t seed) {
  const bool classes = targets.kind == TargetKind::classes;
  if (subsample.per_class && !classes) {
    fail_input(fmt::format("{}: `subsample` N/class needs classes; use `subsample` N:draws",
                           targets.where));
  }
  const Index n = targets.rows();
  std::vector<Index> counts(classes ? targets.names.size() : 1, 0);
  const auto stratum = [&](Index row) {
    return classes ? static_cast<std::size_t>(targets.labels[static_cast<std::size_t>(row)]) : 0;
  };
  for (Index row = 0; row < n; ++row) ++counts[stratum(row)];
  const std::vector<Index> wanted = quota(subsample, counts, n);
  std::vector<std::vector<Index>> draws;
  for (Index draw = 0; draw < subsample.draws; ++draw) {
    Random random(seed * 1000003 + static_cast<std::uint64_t>(draw) + 17);
    std::vector<Index> left = wanted;
    std::vector<Index> rows;
    for (const Index row : random.permutation(n)) {
      if (left[stratum(row)]-- > 0) rows.push_back(row);
    }
    std::sort(rows.begin(), rows.end());
    draws.push_back(std::move(rows));
  }
  return draws;
}

}  // namespace assay
