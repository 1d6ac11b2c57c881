#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "images/decode.h"
#include "images/readers.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

bool hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    std::error_code unreadable;  // a link that leads to itself is no class
    if (entry.is_directory(unreadable) && !hidden(entry.path())) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<fs::path> images_below(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    std::error_code unreadable;  // an image all the same: reading it says why not
    if (!hidden(entry.path()) && is_image_file(entry.path()) &&
        (entry.is_regular_file(unreadable) || unreadable))
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

LabelledImages read_classes(const fs::path& folder) {
  std::vector<fs::path> files;
  std::vector<std::string> classes;
  for (const fs::path& one : folders_in(folder)) {
    const std::vector<fs::path> images = images_below(one);
    if (images.empty()) {
      fail_input(
          fmt::format("{}: this class folder holds no image (.jpg, .jpeg, .png, .webp); "
                      "fill it or remove it",
                      one.string()));
    }
    files.insert(files.end(), images.begin(), images.end());
    classes.insert(classes.end(), images.size(), one.filename().string());
  }
  if (files.empty()) {
    fail_input(
        fmt::format("{}: no images found; expected one folder of images per class, "
                    "train_images.npy and train_labels.npy, an .npz or a .csv manifest",
                    folder.string()));
  }
  return labelled(images_of_files(std::move(files)), targets_of_classes(classes, folder.string()));
}

// The folder of the held-out part, by any of its usual names; empty without one.
fs::path test_folder(const fs::path& folder) {
  for (const char* name : {"test", "val", "valid", "validation"}) {
    if (fs::is_directory(folder / name)) return folder / name;
  }
  return {};
}

}  // namespace

ImageData read_class_folders(const fs::path& folder) {
  if (!fs::is_directory(folder / "train")) return {{}, read_classes(folder), {}};
  ImageData data{{}, read_classes(folder / "train"), {}};
  if (const fs::path test = test_folder(folder); !test.empty()) data.test = read_classes(test);
  return data;
}

}  // namespace assay
