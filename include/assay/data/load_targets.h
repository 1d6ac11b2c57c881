#pragma once

#include <filesystem>
#include <string>
#include <vector>

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

// Targets from text, row after row, with the same rules as for .csv; one name per column.
Targets targets_of_cells(const std::vector<std::string>& cells,
                         const std::vector<std::string>& names, const std::string& where);

}  // namespace assay
