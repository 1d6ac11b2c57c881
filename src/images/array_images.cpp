#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/images.h"

namespace assay {
namespace {

class ArrayImages final : public ImageSource {
 public:
  ArrayImages(Array array, Index channels)
      : array_(std::move(array)),
        height_(array_.shape[1]),
        width_(array_.shape[2]),
        channels_(channels) {}

  Index count() const override { return array_.shape[0]; }

  Image read(Index i) const override {
    Image image{height_, width_, std::vector<std::uint8_t>(pixel_count(3))};
    const std::span<const std::byte> from = row(i);
    if (channels_ == 3) {
      std::memcpy(image.pixels.data(), from.data(), from.size());
      return image;
    }
    for (std::size_t k = 0; k < from.size(); ++k) {
      for (std::size_t c = 0; c < 3; ++c)
        image.pixels[3 * k + c] = std::to_integer<std::uint8_t>(from[k]);
    }
    return image;
  }

  std::string name(Index i) const override { return fmt::format("{}: image {}", array_.where, i); }

  std::string digest(Index i) const override {
    Digest digest;
    const std::string shape = fmt::format("{}x{}x{}:", height_, width_, channels_);
    digest.update(std::as_bytes(std::span(shape)));
    digest.update(row(i));
    return digest.hex();
  }

 private:
  std::size_t pixel_count(Index channels) const {
    return static_cast<std::size_t>(height_ * width_ * channels);
  }

  std::span<const std::byte> row(Index i) const {
    const std::size_t size = pixel_count(channels_);
    return array_.bytes.subspan(static_cast<std::size_t>(i) * size, size);
  }

  Array array_;
  Index height_, width_, channels_;
};

// Which of the usual mistakes a shape looks like.
std::string advice(const std::vector<Index>& shape) {
  const bool planes = shape.size() == 4 && (shape[1] == 1 || shape[1] == 3);
  if (planes) return "; channels come last: use images.transpose(0, 2, 3, 1)";
  if (shape.size() == 4 && shape[3] == 4) return "; drop the alpha channel: images[..., :3]";
  return "";
}

}  // namespace

Images images_of_array(Array array) {
  if (array.type != ElementType::u8) {
    fail_input(
        fmt::format("{}: images must be uint8 (0 ... 255), got {}; save them with "
                    ".astype('uint8')",
                    array.where, element_name(array.type)));
  }
  const Index channels = array.rank() == 4 ? array.shape[3] : 1;
  if (array.rank() < 3 || array.rank() > 4 || (channels != 1 && channels != 3)) {
    fail_input(fmt::format("{}: images must have the shape (n, height, width, 1 or 3), got {}{}",
                           array.where, shape_text(array.shape), advice(array.shape)));
  }
  if (array.size() == 0) {
    fail_input(fmt::format("{}: holds no images, shape {}", array.where, shape_text(array.shape)));
  }
  if (array.fortran_order) {
    fail_input(
        fmt::format("{}: images are stored column by column; save np.ascontiguousarray of "
                    "them",
                    array.where));
  }
  return std::make_shared<ArrayImages>(std::move(array), channels);
}

}  // namespace assay
