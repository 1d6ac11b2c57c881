#pragma once

#include <memory>

#include "data/moments.h"
#include "data/moments_pass.h"
#include "learn/standardize.h"
#include "metrics/samples.h"

namespace assay {

// Moments of streamed samples about their classes: those that came with them where they are good
// enough, else by one pass. `least`: double_products asks for no rounding of products.
std::shared_ptr<const Moments> moments_of(const Samples& samples, Precision least);

// What the samples behind these moments are standardised by: learn/standardize.h without another
// pass. Sums are about a shift near the mean, in double.
Standardizer standardizer_of(const Moments& moments);

// D x C: sums of the standardised samples of each class.
Matrix standardized_class_sums(const Moments& moments, const Standardizer& standard);

}  // namespace assay
