#pragma once

#include <span>

#include "assay/types.h"

namespace assay {

// A loss over a batch and its gradient with respect to what it was computed from, one sample per
// column.
struct LossGradient {
  double loss = 0.0;
  Matrix gradient;
};

// Mean over the batch of -log softmax(logits)[label], in nats. logits: classes x batch.
LossGradient cross_entropy(const Matrix& logits, std::span<const Label> labels);

// Mean over the batch and the outputs of -log sigmoid(+-logit), + where the target (0 or 1) is 1,
// in nats: PyTorch's BCEWithLogitsLoss.
LossGradient binary_cross_entropy(const Matrix& logits, const Matrix& targets);

// Mean over the batch and the outputs of (output - target)^2, PyTorch's MSELoss.
LossGradient mean_squared_error(const Matrix& outputs, const Matrix& targets);

}  // namespace assay
