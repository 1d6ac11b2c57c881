#include "network.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <cmath>

namespace sprites {
namespace {

using assay::Index;
using assay::Random;
using torch::jit::Module;

at::Tensor learning(at::Tensor values) { return values.set_requires_grad(true); }

// Adds convolution, batch normalisation and ReLU to the network; returns their lines of script.
std::string add_layer(Module& network, Random& random, Index number, Index from, Index to,
                      Index kernel, Index stride) {
  const auto name = [&](const char* what) { return fmt::format("{}{}", what, number); };
  const double fan_in = static_cast<double>(from * kernel * kernel);
  network.register_parameter(
      name("weight"), random_weights(random, {to, from, kernel, kernel}, std::sqrt(2.0 / fan_in)),
      /*is_buffer=*/false);
  network.register_parameter(name("gain"), learning(at::ones({to})), /*is_buffer=*/false);
  network.register_parameter(name("offset"), learning(at::zeros({to})), /*is_buffer=*/false);
  network.register_buffer(name("mean"), at::zeros({to}));
  network.register_buffer(name("variance"), at::ones({to}));
  return fmt::format(
      "    x = torch.conv2d(x, self.weight{0}, None, [{1}, {1}], [{2}, {2}], [1, 1], 1)\n"
      "    x = torch.batch_norm(x, self.gain{0}, self.offset{0}, self.mean{0}, self.variance{0}, "
      "self.training, 0.1, 1e-5, False)\n"
      "    x = torch.relu(x)\n",
      number, stride, kernel / 2);
}

std::string add_layers(Module& network, Random& random, const Plan& plan) {
  Index number = 0;
  Index channels = plan.width;
  std::string script = add_layer(network, random, number++, kChannels, channels, 5, 2);
  for (int resolution = 0; resolution < 2; ++resolution) {
    for (Index block = 0; block < plan.blocks; ++block) {
      const Index before = channels;
      if (block == 0) channels *= 2;
      script += add_layer(network, random, number++, before, channels, 3, block == 0 ? 2 : 1);
    }
  }
  return script;
}

void add_head(Module& network, Random& random, Index dim, Index classes) {
  network.register_parameter("head_weight", random_weights(random, {classes, dim}, 0.01),
                             /*is_buffer=*/false);
  network.register_parameter("head_bias", learning(at::zeros({classes})), /*is_buffer=*/false);
  network.define(
      "def head(self, f):\n"
      "    return torch.linear(f, self.head_weight, self.head_bias)\n"
      "def logits(self, x):\n"
      "    return self.head(self.forward(x))\n");
}

}  // namespace

at::Tensor random_weights(Random& random, at::IntArrayRef shape, double deviation) {
  at::Tensor values = at::empty(shape);
  auto* const numbers = values.data_ptr<float>();
  for (Index i = 0; i < values.numel(); ++i)
    numbers[i] = static_cast<float>(deviation * random.normal());
  return learning(values);
}

Module make_network(const Plan& plan, Random& random) {
  Module network("__torch__.Sprites");
  network.register_attribute("training", c10::BoolType::get(), true);
  const std::string layers = add_layers(network, random, plan);
  network.define(
      fmt::format("def forward(self, x):\n{0}"
                  "    x = torch.adaptive_avg_pool2d(x, [{1}, {1}])\n"
                  "    return torch.flatten(x, 1)\n",
                  layers, plan.pooled));
  if (const Index classes = source_classes(plan.pretext); classes > 0)
    add_head(network, random, plan.feature_dim(), classes);
  return network;
}

}  // namespace sprites
