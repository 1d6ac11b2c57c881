// Files of scores ask the table of metrics for one thing, which way is up. With an empty table in
// its place the fuzz targets need no metric, nor what metrics are made of.
#include "assay/metric.h"

namespace assay {

std::span<const Metric> all_metrics() { return {}; }

}  // namespace assay
