#include "rank/score_unit.h"

namespace assay {

std::string_view score_unit(const Metric& metric, TargetKind kind) {
  if (kind == TargetKind::classes) return metric.unit;
  if (metric.unit == "error") return "of the variance left";
  if (metric.unit != "accuracy") return metric.unit;
  const bool precision = metric.name == "accuracy" && kind == TargetKind::multi_label;
  return precision ? "average precision" : "R2";
}

}  // namespace assay
