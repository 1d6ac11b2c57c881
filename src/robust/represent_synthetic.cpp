#include "robust/represent_synthetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "assay/error.h"

namespace assay {
namespace {

constexpr Index kChannels = 3;
constexpr Index kBatch = 8;    // images a thread gives to the network at a time
constexpr Index kBlock = 128;  // samples whose noise is drawn together
const std::string kFeatures = "features";

// x in [0, 1] is the pixel 255 x. The data know no colours, so the channels' order does not matter
// to them; mean and deviation are the network's own channel by channel.
void normalize(const Preprocessing& preprocessing, FloatMatrix& images) {
  const Index pixels = images.rows() / kChannels;
  for (Index c = 0; c < kChannels; ++c) {
    const auto channel = static_cast<std::size_t>(c);
    const auto factor =
        static_cast<float>(255.0 / (preprocessing.input_scale * preprocessing.std[channel]));
    const auto shift = static_cast<float>(preprocessing.mean[channel] / preprocessing.std[channel]);
    auto part = images.middleRows(c * pixels, pixels).array();
    part = part * factor - shift;
  }
}

}  // namespace

SyntheticRepresentations::SyntheticRepresentations(ThreadPool& pool, Network& network,
                                                   const Preprocessing& preprocessing,
                                                   SyntheticData data)
    : pool_(pool), network_(network), preprocessing_(preprocessing), data_(data) {
  const Index size = preprocessing.input_size;
  data_.dim = kChannels * size * size;
  if (data_.world != nullptr && data_.world->dim() != data_.dim) {
    fail_input(fmt::format(
        "`mean` and `covariance` are of {} inputs, it takes 3 x {} x {} = {}; make them of that "
        "size, or set `input_size`",
        data_.world->dim(), size, size, data_.dim));
  }
  const FloatMatrix blank = FloatMatrix::Zero(data_.dim, 1);
  const auto outputs =
      network_.forward({blank.data(), 1, kChannels, size, size}, std::span(&kFeatures, 1));
  dim_ = static_cast<Index>(outputs.front().size());
}

void SyntheticRepresentations::run(const InputBlock& block, FloatMatrix& features) const {
  const Index size = preprocessing_.input_size;
  const Index count = block.inputs->cols();
  pool_.run((count + kBatch - 1) / kBatch, [&](Index task) {
    const Index first = task * kBatch;
    FloatMatrix images = block.inputs->middleCols(first, std::min(kBatch, count - first));
    normalize(preprocessing_, images);
    const auto outputs = network_.forward({images.data(), images.cols(), kChannels, size, size},
                                          std::span(&kFeatures, 1));
    if (static_cast<Index>(outputs.front().size()) != dim_ * images.cols()) {
      fail_input(fmt::format("it gives {} numbers for {} images, and {} for one",
                             outputs.front().size(), images.cols(), dim_));
    }
    features.middleCols(block.first + first, images.cols()) =
        Eigen::Map<const FloatMatrix>(outputs.front().data(), dim_, images.cols());
  });
}

std::vector<LabelledRepresentation> SyntheticRepresentations::at(
    std::span<const double> scales, const std::function<void(Index images)>& ran) const {
  std::vector<FloatMatrix> features(scales.size(), FloatMatrix(dim_, data_.samples));
  stream_inputs(pool_, data_, scales, kBlock, [&](const InputBlock& block) {
    run(block, features[block.scale]);
    ran(block.inputs->cols());
  });
  std::vector<LabelledRepresentation> out;
  for (FloatMatrix& one : features) {
    if (!one.allFinite()) {
      fail_input(
          "its features of the synthetic inputs are not all finite; check mean, std and "
          "input_scale "
          "in hub.json");
    }
    out.push_back({one.cast<double>(), data_.labels()});
    one.resize(0, 0);
  }
  return out;
}

}  // namespace assay
