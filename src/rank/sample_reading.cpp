#include "rank/sample_reading.h"

#include <algorithm>

#include "data/read_samples.h"
#include "metrics/knn.h"

namespace assay {
namespace {

// Bytes beside a draw: labels, orders and outcomes of all rows.
Index beside_a_draw(const RowSource& rows) { return Index{64} * rows.rows(); }

// The most rows that fit; what they take grows with them.
Index rows_that_fit(const RowSource& rows, Index columns, Index most, Index bytes) {
  Index fits = 0;
  for (Index low = 0, high = std::min(most, rows.rows() / kSampleDraws); low <= high;) {
    const Index middle = (low + high) / 2;
    if (samples_memory(middle, rows.cols(), columns) <= bytes) {
      fits = middle;
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return fits;
}

bool can_stream(const Metric& metric, const RowSource& rows, const Targets& targets) {
  return metric.streamed_memory != nullptr && targets.kind == TargetKind::classes &&
         (rows.rows() > rows.cols() || !needs_moments(metric));
}

}  // namespace

bool needs_moments(const Metric& metric) { return metric.from_samples != knn; }

SampleMemory sample_memory(const Metric& metric, const RowSource& rows, const Targets& targets,
                           Index threads, Index memory_limit) {
  const Index columns = targets.columns();
  const Index whole = samples_memory(rows, columns);
  if (whole <= memory_limit) return {};
  SampleMemory out;
  const Index beside = beside_a_draw(rows);
  const Index least_rows = std::min(kLeastDrawn, rows.rows() / kSampleDraws);
  // Three quarters for a draw: what it frees between its steps a program may keep.
  const Index least_drawn = (4 * samples_memory(least_rows, rows.cols(), columns) + 2) / 3 + beside;
  if (can_stream(metric, rows, targets)) {
    const Index streamed = metric.streamed_memory({rows.rows(), rows.cols(), columns, threads});
    out.reading = Reading::streamed;
    out.least = std::min(whole, streamed);
    out.fits = streamed <= memory_limit;
    return out;
  }
  out.reading = Reading::drawn;
  out.drawn = rows_that_fit(rows, columns, metric.most_rows, 3 * (memory_limit - beside) / 4);
  out.least = std::min(whole, least_drawn);
  out.fits = least_rows > 0 && out.drawn >= least_rows;
  return out;
}

}  // namespace assay
