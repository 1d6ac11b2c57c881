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

// How far each filter reaches, in steps, and its height at a distance.
struct Triangle {
  static constexpr double reach = 1.0;
  static double at(double x) { return std::max(0.0, 1.0 - std::abs(x)); }
};

struct Cubic {
  static constexpr double reach = 2.0;
  static double at(double x) {
    constexpr double a = -0.5;
    x = std::abs(x);
    if (x < 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
    return x < 2.0 ? a * (((x - 5.0) * x + 8.0) * x - 4.0) : 0.0;
  }
};

// The outputs first ... first + count - 1 of an axis that goes from `from` to `to` pixels.
class Axis {
 public:
  Axis(Index from, Index to, Index first_output, Index count, Interpolation interpolation) {
    const bool cubic = interpolation == Interpolation::bicubic;
    const double step = static_cast<double>(from) / static_cast<double>(to);
    scale_ = std::max(step, 1.0);
    height_ = cubic ? Cubic::at : Triangle::at;
    const double radius = (cubic ? Cubic::reach : Triangle::reach) * scale_;
    most_ = static_cast<Index>(std::ceil(2.0 * radius)) + 2;
    weights_.resize(static_cast<std::size_t>(count * most_));
    for (Index i = 0; i < count; ++i) {
      const double centre = step * (static_cast<double>(first_output + i) + 0.5);
      const Index first = std::max<Index>(0, static_cast<Index>(std::floor(centre - radius + 0.5)));
      const Index last =
          std::min<Index>(from, static_cast<Index>(std::floor(centre + radius + 0.5)));
      spans_.push_back({first, last - first});
      fill(i, centre);
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

  void fill(Index i, double centre) {
    const Span& span = spans_[static_cast<std::size_t>(i)];
    float* weights = weights_.data() + i * most_;
    const auto height = [&](Index k) {
      const double offset = static_cast<double>(span.first + k) + 0.5 - centre;
      return height_(offset / scale_);
    };
    double sum = 0.0;
    for (Index k = 0; k < span.count; ++k) sum += height(k);
    for (Index k = 0; k < span.count; ++k) weights[k] = static_cast<float>(height(k) / sum);
  }

  double scale_ = 1.0;
  double (*height_)(double) = nullptr;
  Index most_ = 0;
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

void resize(const ImageView& image, const ResizeTo& to, Interpolation interpolation,
            std::span<float> out) {
  assert(image.channels == 1 || image.channels == 3);
  assert(static_cast<Index>(out.size()) == image.channels * to.rows * to.cols);
  assert(to.top >= 0 && to.left >= 0);
  assert(to.top + to.rows <= to.height && to.left + to.cols <= to.width);
  const Axis vertical(image.height, to.height, to.top, to.rows, interpolation);
  const Axis horizontal(image.width, to.width, to.left, to.cols, interpolation);
  const Index length = image.width * image.channels;
  std::vector<float> row(static_cast<std::size_t>(length));
  for (Index y = 0; y < to.rows; ++y) {
    for_this_processor<blend_rows>(image.pixels, image.stride, vertical[y], length, row.data());
    float* values = out.data() + y * to.cols;
    if (image.channels == 1) {
      blend_pixels<1>(row.data(), horizontal, values, to.rows * to.cols);
    } else {
      blend_pixels<3>(row.data(), horizontal, values, to.rows * to.cols);
    }
  }
  if (interpolation == Interpolation::bilinear) return;  // weights of one sign stay within
  for (float& value : out) value = std::clamp(value, 0.0F, 255.0F);
}

}  // namespace assay
