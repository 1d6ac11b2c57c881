#include "curve/compare_needs.h"

#include <algorithm>
#include <utility>

namespace assay {
namespace {

// How often the first is smaller, ties counted half.
double share_smaller(const std::vector<double>& first, const std::vector<double>& second) {
  double count = 0.0;
  for (std::size_t b = 0; b < first.size(); ++b)
    count += first[b] < second[b] ? 1.0 : first[b] == second[b] ? 0.5 : 0.0;
  return count / static_cast<double>(first.size());
}

}  // namespace

void add_comparisons(const std::vector<std::optional<ResampledCurve>>& curves,
                     std::optional<LabelsNeeded> CurveModel::*needed, double target,
                     bool for_accuracy, CurveResult& result) {
  const std::vector<CurveModel>& models = result.models;
  const auto best = static_cast<std::size_t>(
      std::ranges::min_element(models, {},
                               [&](const CurveModel& model) {
                                 const LabelsNeeded& own = *(model.*needed);
                                 return std::pair(own.lower_bound, own.rows);
                               }) -
      models.begin());
  if (!curves[best]) return;
  const std::vector<double> least = crossings(*curves[best], target);
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (i == best || !curves[i]) continue;
    result.needs_fewer.push_back({.first = models[best].name,
                                  .second = models[i].name,
                                  .share = share_smaller(least, crossings(*curves[i], target)),
                                  .for_accuracy = for_accuracy});
  }
}

}  // namespace assay
