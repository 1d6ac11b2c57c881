#pragma once

#include "assay/logme.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// How often each class would come out on top if every column of a prediction were drawn from its
// own normal distribution, independently: k x C, rows sum to 1. With two classes this is
// Phi((m1 - m2) / sqrt(v1 + v2)); columns without any spread share a row among the largest.
Matrix class_probabilities(ThreadPool& pool, const Prediction& prediction);

}  // namespace assay
