#include "train.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "adam.h"
#include "batches.h"
#include "core/clock.h"
#include "network.h"
#include "pretext.h"

namespace sprites {
namespace {

using assay::Index;
using assay::Random;
using torch::jit::Module;

template <typename Kind>
Index place_of(const std::vector<Kind>& kinds, Kind kind) {
  return std::find(kinds.begin(), kinds.end(), kind) - kinds.begin();
}

at::Tensor classes_of(const Scene& scene, Pretext pretext) {
  const Part part = source_part();
  std::vector<Index> classes;
  for (const Sprite& sprite : scene.sprites) {
    const Index shape = place_of(part.shapes, sprite.shape);
    const Index texture = place_of(part.textures, sprite.texture);
    const auto textures = static_cast<Index>(part.textures.size());
    classes.push_back(pretext == Pretext::shapes     ? shape
                      : pretext == Pretext::textures ? texture
                                                     : shape * textures + texture);
  }
  return at::tensor(classes, at::kLong);
}

// Scale, orientation and position, each within -1 and 1.
at::Tensor poses_of(const Scene& scene) {
  const Part part = source_part();
  std::vector<float> poses;
  for (const Sprite& sprite : scene.sprites) {
    for (const double value : {(sprite.scale - kSmallest) * 2.0 / (kLargest - kSmallest) - 1.0,
                               sprite.orientation / part.most_turned, sprite.x * 2.0 / kSide - 1.0,
                               sprite.y * 2.0 / kSide - 1.0})
      poses.push_back(static_cast<float>(value));
  }
  return at::tensor(poses, at::kFloat).view({-1, 4});
}

struct Batch {
  at::Tensor images, classes, poses;
};

// A network with what it needs for its pretext only, and is not saved with it.
class Learner {
 public:
  Learner(const Plan& plan, std::uint64_t seed)
      : pretext_(plan.pretext),
        random_(seed),
        generator_(at::detail::createCPUGenerator(seed)),
        network_(make_network(plan, random_)) {
    const Index dim = plan.feature_dim();
    if (pretext_ == Pretext::denoising) {
      add_layer(dim, kImageBytes / 4);
    } else if (pretext_ == Pretext::contrast) {
      add_layer(dim, 64);
      add_layer(64, 32);
    } else if (pretext_ == Pretext::pose) {
      add_layer(dim, 4);
    }
  }

  at::Tensor loss(const Batch& batch) {
    switch (pretext_) {
      case Pretext::none:
        return features(batch.images).sum();  // of no use but to run the network
      case Pretext::shapes:
      case Pretext::textures:
      case Pretext::both:
        return at::cross_entropy_loss(logits(batch.images), batch.classes);
      case Pretext::rotation: {
        const Turned turned = quarter_turns(batch.images);
        return at::cross_entropy_loss(logits(turned.images), turned.turns);
      }
      case Pretext::denoising: {
        const at::Tensor noisy = with_noise(batch.images, 0.5, generator_);
        const at::Tensor half_size = at::avg_pool2d(batch.images, {2, 2});
        return at::mse_loss(through_layers(features(noisy)), half_size.flatten(1));
      }
      case Pretext::contrast:
        return contrastive_loss(through_layers(features(other_view(batch.images, generator_))),
                                through_layers(features(other_view(batch.images, generator_))));
      case Pretext::pose:
        return at::mse_loss(through_layers(features(batch.images)), batch.poses);
    }
    return {};
  }

  std::vector<at::Tensor> parameters() const {
    std::vector<at::Tensor> all = layers_;
    for (const at::Tensor& parameter : network_.parameters()) all.push_back(parameter);
    return all;
  }

  Module& network() { return network_; }
  Random& random() { return random_; }

  double accuracy(const at::Tensor& images, const at::Tensor& classes) {
    const c10::NoGradGuard no_gradients;
    const bool turn = pretext_ == Pretext::rotation;
    const Turned turned = turn ? quarter_turns(images) : Turned{images, classes};
    const at::Tensor right = at::argmax(logits(turned.images), 1).eq(turned.turns);
    return right.to(at::kDouble).mean().item<double>();
  }

 private:
  at::Tensor features(const at::Tensor& images) { return network_.forward({images}).toTensor(); }
  at::Tensor logits(const at::Tensor& images) {
    return network_.get_method("logits")({images}).toTensor();
  }

  void add_layer(Index from, Index to) {
    layers_.push_back(
        random_weights(random_, {to, from}, std::sqrt(1.0 / static_cast<double>(from))));
    layers_.push_back(at::zeros({to}).set_requires_grad(true));
  }

  at::Tensor through_layers(at::Tensor values) const {
    for (std::size_t i = 0; i < layers_.size(); i += 2) {
      if (i > 0) values = at::relu(values);
      values = at::linear(values, layers_[i], layers_[i + 1]);
    }
    return values;
  }

  Pretext pretext_;
  Random random_;
  at::Generator generator_;
  Module network_;
  std::vector<at::Tensor> layers_;  // weights and biases in turn
};

void train(Learner& learner, const Plan& plan, const Scene& scene) {
  const Batch all = {network_input(scene.images), classes_of(scene, plan.pretext), poses_of(scene)};
  const Index images = plan.images > 0 ? plan.images : all.images.size(0);
  const bool learns = plan.pretext != Pretext::none;
  const c10::AutoGradMode gradients(learns);
  Adam adam(learner.parameters());
  in_batches(images, plan.epochs, learner.random(), [&](const at::Tensor& rows, double rate) {
    const at::Tensor loss =
        learner.loss({all.images.index_select(0, rows), all.classes.index_select(0, rows),
                      all.poses.index_select(0, rows)});
    if (!learns) return;
    loss.backward();
    adam.step(rate);
  });
}

std::string saved(const Module& network) {
  std::ostringstream out;
  network.save(out);
  return out.str();
}

}  // namespace

TrainedNetwork train_network(const Plan& plan, const Source& source, std::uint64_t seed) {
  const double started = assay::monotonic_seconds();
  at::set_num_threads(1);
  // Fusing kernels takes longer than these few hundred steps would gain.
  const torch::jit::GraphOptimizerEnabledGuard as_written(false);
  Learner learner(plan, seed);
  train(learner, plan, source.training);
  learner.network().eval();
  TrainedNetwork out;
  if (source_classes(plan.pretext) > 0) {
    out.accuracy =
        learner.accuracy(network_input(source.test.images), classes_of(source.test, plan.pretext));
  }
  for (const at::Tensor& parameter : learner.network().parameters())
    out.params += parameter.numel();
  out.torchscript = saved(learner.network());
  out.seconds = assay::monotonic_seconds() - started;
  return out;
}

}  // namespace sprites
