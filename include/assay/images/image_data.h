#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/data/targets.h"
#include "assay/images/image_source.h"

namespace assay {

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

}  // namespace assay
