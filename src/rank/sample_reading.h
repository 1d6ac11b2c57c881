#pragma once

#include <map>
#include <optional>

#include "assay/metric.h"
#include "assay/rows.h"
#include "assay/targets.h"
#include "assay/types.h"

namespace assay {

// How metrics on samples get at them. All models of a hub must be read alike by a metric that
// draws: the smallest draw that any of them allows is that of all.
enum class Reading {
  whole,     // all in memory
  streamed,  // block by block, the same score
  drawn,     // fitted to draws of the rows: another score, flagged
};

// Rows of each draw, of the metrics that draw.
using DrawSizes = std::map<const Metric*, Index>;

inline constexpr Index kSampleDraws = 2;   // disjoint, so that they show the spread
inline constexpr Index kLeastDrawn = 256;  // rows; fewer say little

// Whether a metric that streams needs moments, which are for more samples than dimensions.
bool needs_moments(const Metric& metric);

// What scoring these rows by a metric on samples comes to within `memory_limit` bytes.
struct SampleMemory {
  Reading reading = Reading::whole;
  Index drawn = 0;  // rows of a draw
  Index least = 0;  // bytes that would do, where `memory_limit` does not: reading is meaningless
  bool fits = true;
};
SampleMemory sample_memory(const Metric& metric, const RowSource& rows, const Targets& targets,
                           Index threads, Index memory_limit);

}  // namespace assay
