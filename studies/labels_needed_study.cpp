// Do the intervals of `assay curve` hold what they promise, inside the data and beyond?
//
// From a real data set many small pools are drawn. Each is given to the engine as if there were
// nothing else, and asked how many labels a target takes. The truth is where the many-seed curve of
// the whole data set, judged on all rows that do not train, falls to the target; targets are what
// that curve has at a share of a pool's training rows (inside) and at multiples (2, 4, 10 x).
//
//     labels_needed_study NAME FEATURES.npy LABELS.npy POOL POOLS JOURNAL [GROUPS.npy|- [PROBE
//     [METHOD_ONLY]]]
//
// PROBE: ridge (squared error on one-hot labels; the default), or linear. Prints a CSV, one line
// per pool and target. Resumable: finished probes are kept in JOURNAL.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string_view>

#include "assay/curve.h"
#include "assay/features.h"
#include "core/random.h"
#include "curve/crossing.h"
#include "curve/schedule.h"
#include "data/subset.h"

namespace assay::study {
namespace {

struct Whole {
  Matrix features;  // n x D
  Targets targets;
  std::vector<Label> groups;
};

struct Setting {
  std::string name;
  Index pool_rows = 0;
  std::filesystem::path journal;
  bool linear = false;
};

std::vector<Index> all_rows(Index count) {
  std::vector<Index> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

Targets targets_for(const Whole& whole, const std::vector<Index>& rows, bool linear) {
  if (linear) return targets_of_rows(whole.targets, rows);
  return targets_of_values(target_matrix(whole.targets, rows), whole.targets.names, "one-hot");
}

CurveRequest request_of(const Whole& whole, const Setting& setting,
                        const std::vector<Index>& rows) {
  CurveRequest request;
  request.hub.models = {{.name = setting.name,
                         .features = {},
                         .rows = rows_of_matrix(whole.features(rows, Eigen::all), setting.name)}};
  request.hub.targets = targets_for(whole, rows, setting.linear);
  request.journal = setting.journal;
  request.memory_limit = Index{2} << 30;
  if (!whole.groups.empty()) {
    std::vector<std::int64_t> ids;
    for (const Index row : rows) ids.push_back(whole.groups[static_cast<std::size_t>(row)]);
    request.group_ids = targets_of_classes(ids, "groups");
  }
  return request;
}

// About `count` rows at random, whole groups.
std::vector<Index> draw_pool(const Whole& whole, Index count, std::uint64_t seed) {
  std::vector<Index> rows = all_rows(whole.features.rows());
  const bool grouped = !whole.groups.empty();
  rows = grouped ? grouped_order(whole.groups, rows, seed)
                 : Random(seed).permutation(std::ssize(rows));
  auto end = static_cast<std::size_t>(count);
  while (grouped && end < rows.size() &&
         whole.groups[static_cast<std::size_t>(rows[end])] ==
             whole.groups[static_cast<std::size_t>(rows[end - 1])])
    ++end;
  rows.resize(end);
  std::ranges::sort(rows);
  return rows;
}

std::vector<CurvePoint> true_curve(ThreadPool& pool, const Whole& whole, const Setting& setting,
                                   Index seeds) {
  const Index rows = whole.features.rows();
  const auto largest = static_cast<Index>(0.85 * static_cast<double>(rows));
  CurveRequest request = request_of(whole, setting, all_rows(rows));
  request.seeds = seeds;
  request.sizes = log_sizes(10, largest, 14);
  request.validation_share = 0.12;
  request.seed = 99;
  return points_of(curve_hub(pool, request, {}).models.front().curve.runs);
}

double at(const std::vector<CurvePoint>& curve, double n) {
  std::vector<double> losses;
  for (const CurvePoint& point : curve) losses.push_back(point.loss);
  const std::vector<double> ones(losses.size(), 1.0);
  losses = non_increasing_fit(losses, ones);
  for (std::size_t k = 1; k < curve.size(); ++k) {
    if (static_cast<double>(curve[k].n) < n) continue;
    const double low = std::log(static_cast<double>(curve[k - 1].n));
    const double high = std::log(static_cast<double>(curve[k].n));
    const double share = (std::log(n) - low) / (high - low);
    return losses[k - 1] + share * (losses[k] - losses[k - 1]);
  }
  return losses.back();
}

void run(const Whole& whole, const Setting& setting, Index pools) {
  ThreadPool threads(1);
  const std::vector<CurvePoint> truth = true_curve(threads, whole, setting, 40);
  constexpr double kept = 0.8;  // of a pool trains
  const double train = kept * static_cast<double>(setting.pool_rows);
  const auto last = static_cast<double>(truth.back().n);
  for (Index p = 0; p < pools; ++p) {
    const auto seed = static_cast<std::uint64_t>(p) + 1;
    const std::vector<Index> rows = draw_pool(whole, setting.pool_rows, mixed_seed(7, seed));
    for (const double multiple : {0.35, 0.7, 2.0, 4.0, 10.0}) {
      if (multiple * train > last) continue;
      CurveRequest request = request_of(whole, setting, rows);
      request.sizes = log_sizes(
          10, static_cast<Index>(std::floor(train * (whole.groups.empty() ? 0.97 : 0.88))), 9);
      request.seeds = 4;
      request.seed = seed;
      const double target = at(truth, multiple * train);
      request.target_loss = target;
      const CurveResult result = curve_hub(threads, request, {});
      const LabelsNeeded& found = *result.models.front().for_loss;
      const double low = found.low.value_or(0.0);
      const double high = found.high_is_bound ? INFINITY : found.high.value_or(INFINITY);
      fmt::print("{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{}\n", setting.name,
                 setting.linear ? "linear" : "ridge", p, multiple, multiple * train,
                 found.lower_bound ? INFINITY : found.rows, low, high,
                 static_cast<int>(found.reach));
    }
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace assay::study

int main(int argc, char** argv) {
  using namespace assay;
  if (argc < 7) {
    fmt::print(stderr,
               "usage: labels_needed_study NAME FEATURES LABELS POOL POOLS JOURNAL [GROUPS|- "
               "[ridge|linear]]\n");
    return 2;
  }
  study::Whole whole;
  const Rows rows = open_features(argv[2]);
  Matrix by_rows(rows->cols(), rows->rows());
  const std::vector<Index> every = study::all_rows(rows->rows());
  rows->read(every, by_rows.data());
  whole.features = by_rows.transpose();
  whole.targets = load_targets(argv[3]);
  const std::string_view groups = argc > 7 ? argv[7] : "-";
  if (groups != "-") whole.groups = load_targets(argv[7]).labels;
  const bool linear = argc > 8 && std::string_view(argv[8]) == "linear";
  study::run(whole, {argv[1], std::atoll(argv[4]), argv[6], linear}, std::atoll(argv[5]));
  return 0;
}
