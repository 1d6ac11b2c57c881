#pragma once

#include "assay/extract.h"

namespace assay {

// extract_network without measuring how long one image takes alone (cost.latency_ms is 0): that
// costs up to a second of every entry, and a search makes several small ones of each network.
ExtractedModel extract_untimed(ThreadPool& pool, const NetworkSource& source,
                               const ImageInput& input, const ExtractOptions& options,
                               const ProgressCallback& progress);

}  // namespace assay
