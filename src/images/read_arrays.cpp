#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "assay/error.h"
#include "assay/features.h"
#include "images/readers.h"
#include "io/npy.h"
#include "io/npz.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

LabelledImages read_part(const fs::path& folder, const std::string& part) {
  const fs::path images = folder / (part + "_images.npy");
  const fs::path labels = folder / (part + "_labels.npy");
  if (!fs::exists(images) || !fs::exists(labels)) {
    fail_input(fmt::format("{}: {} is there, but {} is not", folder.string(),
                           (fs::exists(images) ? images : labels).filename().string(),
                           (fs::exists(images) ? labels : images).filename().string()));
  }
  return labelled(images_of_array(open_npy(images)), load_targets(labels));
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

LabelledImages read_members(const fs::path& file, const std::string& prefix) {
  return labelled(images_of_array(open_npz_member(file, prefix + "images")),
                  targets_of_array(open_npz_member(file, prefix + "labels")));
}

}  // namespace

ImageData read_array_folder(const fs::path& folder) {
  ImageData data{{}, read_part(folder, "train"), {}};
  if (fs::exists(folder / "test_images.npy") || fs::exists(folder / "test_labels.npy"))
    data.test = read_part(folder, "test");
  return data;
}

ImageData read_npz_images(const fs::path& file) {
  const std::vector<std::string> names = npz_members(file);
  const bool parts = holds(names, "train_images");
  if (!parts && !holds(names, "images")) {
    fail_input(
        fmt::format("{}: expected the arrays images and labels, or train_images, "
                    "train_labels and test_...; it holds: {}",
                    file.string(), fmt::join(names, ", ")));
  }
  ImageData data{{}, read_members(file, parts ? "train_" : ""), {}};
  if (holds(names, "test_images")) data.test = read_members(file, "test_");
  return data;
}

}  // namespace assay
