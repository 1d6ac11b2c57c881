#include "images/resize.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/dispatch.h"

namespace assay {
namespace {

// Which inputs an output is made of along one axis: `count` from `first` on, weights summing to 1.
struct Taps {
  Index first = 0;
  Index count = 0;
  const float* weights = nullptr;
};

class Axis {
 public:
  Axis(Index from, Index to) : most_(reach(from, to)) {
    const double step = static_cast<double>(from) / static_cast<double>(to);
    const double radius = std::max(step, 1.0);
    weights_.resize(static_cast<std::size_t>(to * most_));
    for (Index i = 0; i < to; ++i) {
      const double centre = step * (static_cast<double>(i) + 0.5);
      const Index first = std::max<Index>(0, static_cast<Index>(std::floor(centre - radius + 0.5)));
      const Index last =
          std::min<Index>(from, static_cast<Index>(std::floor(centre + radius + 0.5)));
      spans_.push_back({first, last - first});
      fill(i, centre, radius);
    }
  }

  Taps operator[](Index i) const {
    const Span& span = spans_[static_cast<std::size_t>(i)];
    return {span.first, span.count, weights_.data() + i * most_};
  }
  Index size() const { return static_cast<Index>(spans_.size()); }

 private:
  struct Span {
    Index first, count;
  };

  static Index reach(Index from, Index to) {
    const double step = static_cast<double>(from) / static_cast<double>(to);
    return static_cast<Index>(std::ceil(2.0 * std::max(step, 1.0))) + 2;
  }

  void fill(Index i, double centre, double radius) {
    const Span& span = spans_[static_cast<std::size_t>(i)];
    float* weights = weights_.data() + i * most_;
    const auto height = [&](Index k) {
      const double offset = static_cast<double>(span.first + k) + 0.5 - centre;
      return std::max(0.0, 1.0 - std::abs(offset) / radius);
    };
    double sum = 0.0;
    for (Index k = 0; k < span.count; ++k) sum += height(k);
    for (Index k = 0; k < span.count; ++k) weights[k] = static_cast<float>(height(k) / sum);
  }

  Index most_;
  std::vector<Span> spans_;
  std::vector<float> weights_;
};

// Rows first: whole rows are added up with one weight each, which the compiler turns into vectors.
void blend_rows(const std::uint8_t* rows, Index stride, Taps taps, Index length, float* out) {
  const std::uint8_t* row = rows + taps.first * stride;
  for (Index x = 0; x < length; ++x) out[x] = taps.weights[0] * static_cast<float>(row[x]);
  for (Index k = 1; k < taps.count; ++k) {
    row += stride;
    const float weight = taps.weights[k];
    for (Index x = 0; x < length; ++x) out[x] += weight * static_cast<float>(row[x]);
  }
}

// Then along each row, from interleaved channels to planes.
template <int Channels>
void blend_pixels(const float* row, const Axis& axis, float* out, Index plane) {
  for (Index x = 0; x < axis.size(); ++x) {
    const Taps taps = axis[x];
    const float* pixel = row + taps.first * Channels;
    float sums[Channels] = {};
    for (Index k = 0; k < taps.count; ++k, pixel += Channels) {
      for (int c = 0; c < Channels; ++c) sums[c] += taps.weights[k] * pixel[c];
    }
    for (int c = 0; c < Channels; ++c) out[c * plane + x] = sums[c];
  }
}

}  // namespace

void resize_bilinear(const ImageView& image, Index height, Index width, std::span<float> out) {
  assert(image.channels == 1 || image.channels == 3);
  assert(static_cast<Index>(out.size()) == image.channels * height * width);
  const Axis vertical(image.height, height);
  const Axis horizontal(image.width, width);
  const Index length = image.width * image.channels;
  std::vector<float> row(static_cast<std::size_t>(length));
  for (Index y = 0; y < height; ++y) {
    for_this_processor<blend_rows>(image.pixels, image.stride, vertical[y], length, row.data());
    float* to = out.data() + y * width;
    if (image.channels == 1) {
      blend_pixels<1>(row.data(), horizontal, to, height * width);
    } else {
      blend_pixels<3>(row.data(), horizontal, to, height * width);
    }
  }
}

}  // namespace assay
