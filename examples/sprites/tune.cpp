#include "tune.h"

#include <ATen/Parallel.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/std.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cmath>
#include <sstream>

#include "adam.h"
#include "batches.h"
#include "draw.h"
#include "network.h"

namespace sprites {
namespace {

using assay::Index;
using assay::LabelledImages;
using assay::TargetKind;

at::Tensor input_of(const LabelledImages& part) {
  std::vector<std::uint8_t> images;
  for (Index i = 0; i < part.images->count(); ++i) {
    const std::vector<std::uint8_t> pixels = part.images->read(i).pixels;
    images.insert(images.end(), pixels.begin(), pixels.end());
  }
  return network_input(images);
}

at::Tensor targets_of(const assay::Targets& targets) {
  if (targets.kind == TargetKind::classes)
    return at::tensor(std::vector<int64_t>(targets.labels.begin(), targets.labels.end()),
                      at::kLong);
  std::vector<float> values;
  for (Index i = 0; i < targets.rows(); ++i) {
    for (Index j = 0; j < targets.columns(); ++j)
      values.push_back(static_cast<float>(targets.values(i, j)));
  }
  return at::tensor(values, at::kFloat).view({targets.rows(), targets.columns()});
}

// The network with a new head.
class Tuned {
 public:
  Tuned(const std::string& torchscript, const at::Tensor& example, Index outputs,
        assay::Random& random) {
    std::istringstream file(torchscript);
    network_ = torch::jit::load(file);
    network_.eval();
    const at::Tensor features = network_.forward({example}).toTensor();
    const double deviation = 1.0 / std::sqrt(static_cast<double>(features.size(1)));
    weight_ = random_weights(random, {outputs, features.size(1)}, deviation);
    bias_ = at::zeros({outputs}).set_requires_grad(true);
    network_.train();
  }

  std::vector<at::Tensor> parameters() const {
    std::vector<at::Tensor> all = {weight_, bias_};
    for (const at::Tensor& parameter : network_.parameters()) all.push_back(parameter);
    return all;
  }

  at::Tensor operator()(const at::Tensor& images) {
    return at::linear(network_.forward({images}).toTensor(), weight_, bias_);
  }

  void eval() { network_.eval(); }

 private:
  torch::jit::Module network_;
  at::Tensor weight_, bias_;
};

double explained(const at::Tensor& answers, const at::Tensor& truth) {
  const at::Tensor missed = (answers - truth).square().sum();
  const at::Tensor spread = (truth - truth.mean(0, true)).square().sum();
  return 1.0 - (missed / spread).item<double>();
}

}  // namespace

double fine_tuned(const std::string& torchscript, const assay::ImageData& data, Index epochs,
                  std::uint64_t seed) {
  at::set_num_threads(1);
  const torch::jit::GraphOptimizerEnabledGuard as_written(false);
  const bool classes = data.train.targets.kind == TargetKind::classes;
  const at::Tensor images = input_of(data.train);
  const at::Tensor targets = targets_of(data.train.targets);
  const at::Tensor centre = classes ? at::Tensor() : targets.mean(0, true);
  const at::Tensor unit = classes ? at::Tensor() : at::std(targets, {0}, true, true);
  assay::Random random(seed);
  Tuned network(torchscript, images.slice(0, 0, 1), data.train.targets.columns(), random);
  Adam adam(network.parameters());
  in_batches(images.size(0), epochs, random, [&](const at::Tensor& rows, double rate) {
    const at::Tensor answers = network(images.index_select(0, rows));
    const at::Tensor wanted = targets.index_select(0, rows);
    const at::Tensor loss = classes ? at::cross_entropy_loss(answers, wanted)
                                    : at::mse_loss(answers, (wanted - centre) / unit);
    loss.backward();
    adam.step(rate);
  });
  network.eval();
  const c10::NoGradGuard no_gradients;
  const at::Tensor answers = network(input_of(*data.test));
  const at::Tensor truth = targets_of(data.test->targets);
  if (classes) return at::argmax(answers, 1).eq(truth).to(at::kDouble).mean().item<double>();
  return explained(answers * unit + centre, truth);
}

}  // namespace sprites
