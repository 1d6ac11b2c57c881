#pragma once

#include <algorithm>

#include "assay/metric.h"

namespace assay {

// Of a mapped file, what reading so many samples from all over it brings into memory: systems fetch
// 64 KiB at a time.
inline Index scattered_bytes(const SampleSize& size, Index samples) {
  constexpr Index fetched = Index{1} << 16;
  const Index row = Index{sizeof(double)} * size.dim;
  return std::min(size.rows * row, samples * (fetched + row));
}

}  // namespace assay
