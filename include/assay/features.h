#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/rows.h"
#include "assay/targets.h"

namespace assay {

// The limited-data protocol of the PACTran paper: several draws of a few rows.
struct Subsample {
  Index rows = 0;          // of each class, or in all
  bool per_class = false;  // "5/class:10" against "200:10"
  Index draws = 1;
};

// Features from a file, by its extension: .npy and .csv hold one matrix; .npz,
// .h5, .hdf5 and .safetensors hold it as the member `features`, else as their
// only 2-D float array (`labels` and `probs` aside). .npy, .h5 and .safetensors
// stay on disk and are read by blocks; .npz and .csv are taken into memory.
// Throws Error; when the matrix cannot be told, with the list of what is there.
Rows open_features(const std::filesystem::path& path);

// From now on .h5 files are read by processes of their own, so that a damaged file that crashes
// libhdf5, or keeps it busy for ever, is an Error and not the end of this program. `command` is the
// `assay` command of the same version (which does this by itself). Once, before any other thread.
void read_hdf5_with(const std::filesystem::path& command);

// The member `labels` of an .npz, .h5, .hdf5 or .safetensors file, if there is one.
std::optional<Targets> embedded_labels(const std::filesystem::path& path);

// Rows of the member `probs` of such a file (source-class probabilities), if there is one.
std::optional<Rows> embedded_probabilities(const std::filesystem::path& path);

// Source-class probabilities as numbers, n x Z: finite, not negative, rows summing to 1 within
// 1e-3 (they are then made to sum to 1 exactly). Throws Error naming the row otherwise.
Matrix read_probabilities(const RowSource& rows);

// The same for weights of source classes, which need not sum to anything: finite, not negative, and
// something in every row. Throws Error naming the row otherwise.
Matrix read_source_weights(const RowSource& rows);

// True for the extensions that open_features knows; the file is not looked at.
bool is_feature_file(const std::filesystem::path& path);

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
