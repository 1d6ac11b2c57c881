#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "robust/corruption.h"
#include "robust/planes.h"

namespace assay {
namespace {

constexpr Index kBlock = 8;
using Block = std::array<std::array<double, kBlock>, kBlock>;

// The orthonormal cosine transform of eight numbers: row k, column n.
const Block& cosines() {
  static const Block table = [] {
    Block out;
    for (std::size_t k = 0; k < kBlock; ++k)
      for (std::size_t n = 0; n < kBlock; ++n)
        out[k][n] = (k == 0 ? std::sqrt(0.125) : 0.5) *
                    std::cos(std::numbers::pi * (static_cast<double>(n) + 0.5) *
                             static_cast<double>(k) / kBlock);
    return out;
  }();
  return table;
}

// C x C', or C'x C when inverse.
Block transformed(const Block& x, bool inverse) {
  const Block& c = cosines();
  const auto entry = [&](std::size_t k, std::size_t n) { return inverse ? c[n][k] : c[k][n]; };
  Block half{};
  Block out{};
  for (std::size_t i = 0; i < kBlock; ++i)
    for (std::size_t j = 0; j < kBlock; ++j)
      for (std::size_t n = 0; n < kBlock; ++n) half[i][j] += entry(i, n) * x[n][j];
  for (std::size_t i = 0; i < kBlock; ++i)
    for (std::size_t j = 0; j < kBlock; ++j)
      for (std::size_t n = 0; n < kBlock; ++n) out[i][j] += half[i][n] * entry(j, n);
  return out;
}

// Frequencies of every 8 x 8 block of a plane become multiples of a step that grows with them.
void round_frequencies(std::vector<double>& plane, Index size, double step) {
  for (Index top = 0; top < size; top += kBlock)
    for (Index left = 0; left < size; left += kBlock) {
      const auto at = [&](std::size_t i, std::size_t j) {
        const Index y = std::min(top + static_cast<Index>(i), size - 1);
        const Index x = std::min(left + static_cast<Index>(j), size - 1);
        return static_cast<std::size_t>(y * size + x);
      };
      Block block{};
      for (std::size_t i = 0; i < kBlock; ++i)
        for (std::size_t j = 0; j < kBlock; ++j) block[i][j] = plane[at(i, j)];
      block = transformed(block, false);
      for (std::size_t i = 0; i < kBlock; ++i)
        for (std::size_t j = 0; j < kBlock; ++j) {
          const double width = step * (1.0 + static_cast<double>(i + j));
          block[i][j] = width * std::round(block[i][j] / width);
        }
      block = transformed(block, true);
      const auto inside = [&](Index start) {
        return static_cast<std::size_t>(std::min(kBlock, size - start));
      };
      for (std::size_t i = 0; i < inside(top); ++i)
        for (std::size_t j = 0; j < inside(left); ++j) plane[at(i, j)] = block[i][j];
    }
}

}  // namespace

void lower_contrast(const Picture& picture, double strength) {
  constexpr double most = 0.85;
  const double mean = std::accumulate(picture.values.begin(), picture.values.end(), 0.0) /
                      static_cast<double>(picture.values.size());
  for (float& value : picture.values)
    value += static_cast<float>(most * strength * (mean - static_cast<double>(value)));
}

// Every pixel comes from a place nearby; the shifts are two clouds.
void deform(const Picture& picture, double strength, Random& random) {
  constexpr double farthest = 0.2;
  const double reach = farthest * strength * static_cast<double>(picture.size);
  const std::vector<float> down = cloud(picture.size, random);
  const std::vector<float> across = cloud(picture.size, random);
  for (Index c = 0; c < 3; ++c) {
    const std::span<float> plane = picture.plane(c);
    const std::vector<float> before(plane.begin(), plane.end());
    for (Index y = 0; y < picture.size; ++y)
      for (Index x = 0; x < picture.size; ++x) {
        const auto i = static_cast<std::size_t>(y * picture.size + x);
        plane[i] =
            value_at(before, picture.size,
                     static_cast<double>(y) + reach * (static_cast<double>(down[i]) - 0.5),
                     static_cast<double>(x) + reach * (static_cast<double>(across[i]) - 0.5));
      }
  }
}

// Means over blocks whose side need not be whole: the picture made small, and large again.
void pixelate(const Picture& picture, double strength) {
  constexpr double fewest = 0.25;  // cells along the side, as a share of the pixels
  const double share = 1.0 - (1.0 - fewest) * strength;
  const Index cells = std::max<Index>(1, std::lround(share * static_cast<double>(picture.size)));
  const auto cell_of = [&](Index i) { return i * cells / picture.size; };
  for (Index c = 0; c < 3; ++c) {
    const std::span<float> plane = picture.plane(c);
    std::vector<double> sums(static_cast<std::size_t>(cells * cells));
    std::vector<double> counts(sums.size());
    const auto cell = [&](std::size_t i) {
      const auto at = static_cast<Index>(i);
      return static_cast<std::size_t>(cell_of(at / picture.size) * cells +
                                      cell_of(at % picture.size));
    };
    for (std::size_t i = 0; i < plane.size(); ++i) {
      sums[cell(i)] += static_cast<double>(plane[i]);
      ++counts[cell(i)];
    }
    for (std::size_t i = 0; i < plane.size(); ++i)
      plane[i] = static_cast<float>(sums[cell(i)] / counts[cell(i)]);
  }
}

// What JPEG loses, without its file: brightness and two colour differences, their frequencies in
// blocks of eight rounded, colours three times as coarsely.
void compress(const Picture& picture, double strength) {
  constexpr double coarsest = 0.12;
  constexpr double colours = 3.0;
  const double step = coarsest * strength;
  const auto area = static_cast<std::size_t>(picture.size * picture.size);
  std::vector<double> light(area);
  std::vector<double> blue(area);
  std::vector<double> red(area);
  for (std::size_t i = 0; i < area; ++i) {
    const double r = picture.values[i];
    const double g = picture.values[area + i];
    const double b = picture.values[2 * area + i];
    light[i] = 0.299 * r + 0.587 * g + 0.114 * b;
    blue[i] = b - light[i];
    red[i] = r - light[i];
  }
  round_frequencies(light, picture.size, step);
  round_frequencies(blue, picture.size, colours * step);
  round_frequencies(red, picture.size, colours * step);
  for (std::size_t i = 0; i < area; ++i) {
    const double r = red[i] + light[i];
    const double b = blue[i] + light[i];
    picture.values[i] = static_cast<float>(r);
    picture.values[2 * area + i] = static_cast<float>(b);
    picture.values[area + i] = static_cast<float>((light[i] - 0.299 * r - 0.114 * b) / 0.587);
  }
}

}  // namespace assay
