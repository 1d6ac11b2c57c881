#pragma once

#include "assay/metric.h"
#include "metrics/samples.h"

namespace assay {

// Leave-one-out accuracy of the nearest class mean, on features standardised with all samples
// (population deviation; constant features drop out). Leaving sample i out of the mean m_c of its
// own class of n_c samples moves it away by
//
//     |z_i - m_c without i|^2 = (n_c / (n_c - 1))^2 |z_i - m_c|^2,
//
// so nothing is fitted again; the only sample of a class is never its own mean. Equal distances go
// to the class that comes first. A share in [0, 1], higher is better; unchanged by shifts and by
// the scale of each feature. No parameters to fit, no seed. Weak below five samples per class.
// Cost: 2 n D C flops after two passes over the samples.
Score ncc_loo(const Samples& samples);

// Of samples that are not held: moments and class means. Bytes.
Index ncc_loo_memory(const SampleSize& size);

}  // namespace assay
