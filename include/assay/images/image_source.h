#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "assay/core/types.h"
#include "assay/images/image.h"
#include "assay/io/array.h"

namespace assay {

// Images by number, read or decoded when asked for. Safe to call from several threads.
class ImageSource {
 public:
  virtual ~ImageSource() = default;

  virtual Index count() const = 0;

  // Throws Error naming the image when it cannot be read.
  virtual Image read(Index i) const = 0;

  virtual std::string name(Index i) const = 0;  // "flowers/rose/17.jpg", "images.npy: image 17"

  // Digest of what the image is made of (a file's bytes, an array's row and its shape): equal
  // digests, equal pictures.
  virtual std::string digest(Index i) const = 0;
};

using Images = std::shared_ptr<const ImageSource>;

// Images of an array of bytes: (n, height, width), (n, height, width, 1) or (n, height, width, 3),
// C order. Throws Error for other types and shapes, with what to do about it.
Images images_of_array(Array array);

// One image per file.
Images images_of_files(std::vector<std::filesystem::path> files);

// Some of the images of another source.
Images images_of_subset(Images all, std::vector<Index> chosen);

}  // namespace assay
