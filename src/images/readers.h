#pragma once

#include <filesystem>

#include "assay/images.h"

// One function per form of data set.
namespace assay {

ImageData read_array_folder(const std::filesystem::path& folder);
ImageData read_npz_images(const std::filesystem::path& file);
ImageData read_class_folders(const std::filesystem::path& folder);
ImageData read_manifest(const std::filesystem::path& file);

// Throws Error unless there is one target per image.
LabelledImages labelled(Images images, Targets targets);

}  // namespace assay
