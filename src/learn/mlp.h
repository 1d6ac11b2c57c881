#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "assay/learning.h"
#include "assay/types.h"
#include "learn/adam.h"

namespace assay {

// A classifier of fully connected layers with ReLU between them, its parameters in one array:
// W0, b0, W1, b1, ... with W_l outputs x inputs, column-major. T is float to train, double to test.
template <typename T>
class Mlp {
 public:
  using Block = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  // widths: inputs, hidden layers ..., classes; two or more. All parameters are zero.
  explicit Mlp(std::vector<Index> widths);

  // Weights and intercepts uniform in +-1 / sqrt(inputs of the layer), as PyTorch begins.
  void randomize(std::uint64_t seed);

  Index inputs() const { return widths_.front(); }
  Index classes() const { return widths_.back(); }
  Index layers() const { return static_cast<Index>(widths_.size()) - 1; }
  std::span<T> parameters() { return parameters_; }
  std::span<const T> parameters() const { return parameters_; }
  Eigen::Map<Block> weights(Index layer);
  Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>> intercepts(Index layer);

  // What the passes below keep from layer to layer; reused from call to call.
  struct Workspace {
    std::vector<Block> values;  // after each layer: outputs x samples
    std::vector<Block> errors;
    std::vector<T> gradient;  // in the order of the parameters
  };

  // Outputs of the last layer before softmax, classes x samples; `samples` is inputs x samples.
  const Block& logits(const Block& samples, Workspace& work) const;

  // Mean negative log-likelihood in nats; leaves its gradient in the workspace.
  double loss_and_gradient(const Block& samples, std::span<const Label> labels,
                           Workspace& work) const;

 private:
  const T* weights_at(Index layer) const { return parameters_.data() + offset(layer); }
  const T* intercepts_at(Index layer) const;
  std::size_t offset(Index layer) const { return offsets_[static_cast<std::size_t>(layer)]; }
  Index width(Index layer) const { return widths_[static_cast<std::size_t>(layer)]; }

  std::vector<Index> widths_;
  std::vector<std::size_t> offsets_;  // where the weights of each layer begin
  std::vector<T> parameters_;
};

struct MlpFit {
  Mlp<float> network;
  Index updates = 0;        // done
  double train_loss = 0.0;  // mean over the last 100 updates, nats
};

// Trains on the given columns of `samples` (inputs x N). A batch is the next part of a seeded
// random order of the rows, drawn anew when it is used up, its last part as long as it may be; with
// no more rows than a batch, every update uses all of them, once. One thread, so many networks can
// be trained side by side; the result depends on nothing but the arguments.
// Cost: 6 batch P flops an update with P parameters, and 28 P bytes of memory traffic for Adam.
MlpFit train_mlp(const Eigen::MatrixXf& samples, std::span<const Label> labels,
                 std::span<const Index> rows, Index classes, const MlpOptions& options,
                 std::uint64_t seed);

}  // namespace assay
