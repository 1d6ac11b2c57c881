#include "metrics/leave_out_evidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "metrics/evidence_leaver.h"
#include "metrics/row_interactions.h"

namespace assay {
namespace {

constexpr Index kRotatedRows = 512;           // rows that one task rotates
constexpr Index kStripe = 16 * kRotatedRows;  // rows after which pages may go back
constexpr Index kLargestGroup = 512;          // rows of a block I - H_gg
constexpr double kManyProducts = 5e8;         // float pays from here on, as for moments

std::vector<std::vector<Index>> rows_of_groups(std::span<const Label> groups) {
  std::vector<std::vector<Index>> out(
      static_cast<std::size_t>(*std::max_element(groups.begin(), groups.end())) + 1);
  for (std::size_t i = 0; i < groups.size(); ++i)
    out[static_cast<std::size_t>(groups[i])].push_back(static_cast<Index>(i));
  return out;
}

template <typename T>
void leave_out_rows(ThreadPool& pool, const RowSource& rows, const EvidenceLeaver<T>& leaver,
                    LeftOutEvidence& out) {
  out.units.resize(static_cast<std::size_t>(rows.rows()));
  for (Index begin = 0; begin < rows.rows(); begin += kStripe) {
    const Index end = std::min(begin + kStripe, rows.rows());
    pool.run((end - begin + kRotatedRows - 1) / kRotatedRows, [&](Index task) {
      const Index first = begin + task * kRotatedRows;
      std::vector<Index> tile(static_cast<std::size_t>(std::min(kRotatedRows, end - first)));
      std::iota(tile.begin(), tile.end(), first);
      const Vector values = leaver.without_each(tile);
      std::copy(values.begin(), values.end(), out.units.begin() + first);
    });
    rows.release(begin, end);
  }
  const std::vector<RowPair> pairs = sampled_pairs(rows.rows());
  std::vector<Index> chosen;
  std::vector<RowPair> within;  // positions in `chosen`
  for (const RowPair& pair : pairs) {
    chosen.push_back(pair.first);
    chosen.push_back(pair.second);
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  const auto position = [&](Index row) {
    return std::lower_bound(chosen.begin(), chosen.end(), row) - chosen.begin();
  };
  for (const RowPair& pair : pairs) within.push_back({position(pair.first), position(pair.second)});
  if (pairs.empty()) return;
  RowInteractions found = leaver.interactions(chosen, within, sampled_triples(rows.rows()));
  out.pairs = std::move(found.pairs);
  out.triples = std::move(found.triples);
}

template <typename T>
std::optional<LeftOutEvidence> leave_out(ThreadPool& pool, const RowSource& rows,
                                         const Targets& targets, const Reduced& reduced,
                                         const std::vector<EvidenceColumn>& columns,
                                         std::span<const Label> groups) {
  const EvidenceLeaver<T> leaver(rows, targets, reduced, columns);
  LeftOutEvidence out;
  if (groups.empty()) {
    leave_out_rows(pool, rows, leaver, out);
  } else {
    const std::vector<std::vector<Index>> members = rows_of_groups(groups);
    out.units.resize(members.size());
    pool.run(std::ssize(members), [&](Index g) {
      const auto at = static_cast<std::size_t>(g);
      if (!members[at].empty()) out.units[at] = leaver.without_group(members[at]);
    });
  }
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(out.units.begin(), out.units.end(), finite) ||
      !std::all_of(out.pairs.begin(), out.pairs.end(), finite) ||
      !std::all_of(out.triples.begin(), out.triples.end(), finite))
    return std::nullopt;
  return out;
}

bool float_suffices(const RowSource& rows, const Reduced& reduced) {
  const auto n = static_cast<double>(rows.rows());
  const auto dim = static_cast<double>(rows.cols());
  const double unit = reduced.unit;  // its inverse must be a float
  return !rows.is_double() && !reduced.dual && !reduced.mean_apart && !reduced.ill_scaled &&
         unit > 1e-30 && unit < 1e30 && n * dim * dim > kManyProducts;
}

}  // namespace

std::optional<LeftOutEvidence> leave_out_evidence(ThreadPool& pool, const RowSource& rows,
                                                  const Targets& targets, const Reduced& reduced,
                                                  const std::vector<EvidenceColumn>& columns,
                                                  std::span<const Label> groups) {
  const bool proper = std::none_of(columns.begin(), columns.end(), [](const EvidenceColumn& one) {
    return one.kind == EvidenceCase::exact_fit;
  });
  if (!proper || !groups_are_small(groups)) return std::nullopt;
  return float_suffices(rows, reduced)
             ? leave_out<float>(pool, rows, targets, reduced, columns, groups)
             : leave_out<double>(pool, rows, targets, reduced, columns, groups);
}

bool groups_are_small(std::span<const Label> groups) {
  std::vector<Index> sizes;
  for (const Label group : groups) {
    if (group >= std::ssize(sizes)) sizes.resize(static_cast<std::size_t>(group) + 1, 0);
    if (++sizes[static_cast<std::size_t>(group)] > kLargestGroup) return false;
  }
  return true;
}

}  // namespace assay
