#pragma once

#include <filesystem>

#include "assay/data/targets.h"

namespace assay {

// Targets from a file, by its extension:
//
//   .npy                              the array
//   .npz, .h5, .hdf5, .safetensors    the member `labels`, else the only array
//   .csv                              the column `label` or `labels`, else all columns
//   .txt                              one value per line
//
// Arrays follow targets_of_array. Text is read as it looks: one column of
// integers or of words = classes, numbers with a decimal point = regression,
// several columns of 0 and 1 = multi-label. A CSV's header gives the names.
// Throws Error naming the file and what is wrong with it. One class alone is
// no error here: whoever computes decides what it needs.
Targets load_targets(const std::filesystem::path& path);

}  // namespace assay
