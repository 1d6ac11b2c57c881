#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/array.h"
#include "assay/targets.h"
#include "assay/types.h"

namespace assay {

// Pixels that somebody else keeps: `channels` (1 or 3) bytes per pixel, row after row, rows
// `stride` bytes apart. A crop is a view with other numbers.
struct ImageView {
  const std::uint8_t* pixels = nullptr;
  Index height = 0;
  Index width = 0;
  Index channels = 3;
  Index stride = 0;

  ImageView crop(Index top, Index left, Index crop_height, Index crop_width) const {
    return {pixels + top * stride + left * channels, crop_height, crop_width, channels, stride};
  }
};

// A decoded picture: red, green and blue bytes, row after row.
struct Image {
  Index height = 0;
  Index width = 0;
  std::vector<std::uint8_t> pixels;  // height * width * 3

  ImageView view() const { return {pixels.data(), height, width, 3, 3 * width}; }
};

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

// Images with what is to be learnt about them, one entry each.
struct LabelledImages {
  Images images;
  Targets targets;
};

struct ImageData {
  std::string name;  // of the folder or file, for people
  LabelledImages train;
  std::optional<LabelledImages> test;
};

// Opens a data set; images stay where they are until they are asked for. `path` is
//
//   a folder with train_images.npy and train_labels.npy, perhaps test_images.npy, test_labels.npy
//   a folder with train/ and perhaps test/ or val/, each with one folder of images per class
//   a folder with one folder of images per class
//   an .npz with the members images and labels, or train_images, train_labels, test_...
//   a .csv with a header: path (relative to the file), label or columns of numbers, perhaps split
//     (train, or test, val, valid, validation)
//
// Classes are folder names, in byte order; images of a class are in byte order of their paths
// (sub-folders included). Hidden files and files that are no images by name are passed over. No
// image is decoded here. Throws Error naming the file, folder or row at fault: a class without
// images, other numbers of labels than images, types and shapes that are no images, a path that
// does not exist, a class that only the test part has.
ImageData open_image_data(const std::filesystem::path& path);

// A test part drawn from the training part, `share` (between 0 and 1) of which stays: seeded, by
// class where there are classes, rows in their old order. Throws Error when the data have a test
// part of their own, or a part would be empty.
ImageData split_image_data(ImageData data, double share, std::uint64_t seed);

// Which images a command is about.
struct SplitChoice {
  bool test = false;
  std::optional<double> share;  // of a seeded split; none: the parts the data set has
};

// "train", "test", "0.8" or "0.8:train" (the 80 % to train on), "0.8:test" (the other 20 %). Throws
// Error for anything else.
SplitChoice parse_split(const std::string& text);

// The part of the data set that was chosen. Throws Error when there is none.
LabelledImages choose_part(ImageData data, const SplitChoice& choice, std::uint64_t seed);

// The images that a command trains or tests networks on.
struct ImageRequest {
  std::filesystem::path data;  // see open_image_data
  std::string split = "train";
  Index input_size = 0;  // 0: each network's own
};

}  // namespace assay
