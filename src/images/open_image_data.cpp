#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/error.h"
#include "assay/images.h"
#include "images/readers.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

ImageData read_any(const fs::path& path) {
  if (fs::is_directory(path)) {
    const bool arrays =
        fs::exists(path / "train_images.npy") || fs::exists(path / "train_labels.npy");
    return arrays ? read_array_folder(path) : read_class_folders(path);
  }
  if (!fs::exists(path))
    throw Error(ErrorCode::io, fmt::format("{}: no such file or directory", path.string()));
  if (path.extension() == ".npz") return read_npz_images(path);
  if (path.extension() == ".csv") return read_manifest(path);
  fail_input(
      fmt::format("{}: not a data set; expected a folder, an .npz with images and labels, "
                  "or a .csv manifest",
                  path.string()));
}

// What was never trained on cannot be tested.
void check_parts(const ImageData& data) {
  const Targets& train = data.train.targets;
  const Targets& test = data.test->targets;
  if (train.kind != test.kind) {
    fail_input(
        fmt::format("{} and {} hold targets of different kinds; classes and numbers do not "
                    "go together",
                    train.where, test.where));
  }
  if (train.kind != TargetKind::classes && train.columns() != test.columns()) {
    fail_input(fmt::format("{} has {} targets, {} has {}", train.where, train.columns(), test.where,
                           test.columns()));
  }
  if (train.kind != TargetKind::classes) return;
  for (const std::string& name : test.names) {
    if (std::find(train.names.begin(), train.names.end(), name) != train.names.end()) continue;
    fail_input(fmt::format("{}: class '{}' does not occur in the training part, {}", test.where,
                           name, train.where));
  }
}

std::string name_of(const fs::path& path) {
  const fs::path whole = fs::weakly_canonical(path);
  return fs::is_directory(path) ? whole.filename().string() : whole.stem().string();
}

}  // namespace

LabelledImages labelled(Images images, Targets targets) {
  if (images->count() == targets.rows()) return {std::move(images), std::move(targets)};
  fail_input(
      fmt::format("{}: {} labels for {} images; one each is expected ({} is the first "
                  "image)",
                  targets.where, targets.rows(), images->count(), images->name(0)));
}

ImageData open_image_data(const fs::path& path) {
  ImageData data = read_any(path);
  if (data.test) check_parts(data);
  data.name = name_of(path);
  return data;
}

}  // namespace assay
