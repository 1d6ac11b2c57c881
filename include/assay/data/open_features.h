#pragma once

#include <filesystem>
#include <optional>

#include "assay/data/rows.h"
#include "assay/data/targets.h"

namespace assay {

// Features from a file, by its extension: .npy and .csv hold one matrix; .npz,
// .h5, .hdf5 and .safetensors hold it as the member `features`, else as their
// only 2-D float array (`labels` and `probs` aside). .npy, .h5 and .safetensors
// stay on disk and are read by blocks; .npz and .csv are taken into memory.
// Throws Error; when the matrix cannot be told, with the list of what is there.
Rows open_features(const std::filesystem::path& path);

// The member `labels` of an .npz, .h5, .hdf5 or .safetensors file, if there is one.
std::optional<Targets> embedded_labels(const std::filesystem::path& path);

// Rows of the member `probs` of such a file (source-class probabilities), if there is one.
std::optional<Rows> embedded_probabilities(const std::filesystem::path& path);

// Source-class probabilities as numbers, n x Z: finite, not negative, rows summing to 1 within
// 1e-3 (they are then made to sum to 1 exactly). Throws Error naming the row otherwise.
Matrix read_probabilities(const RowSource& rows);

// True for the extensions that open_features knows; the file is not looked at.
bool is_feature_file(const std::filesystem::path& path);

}  // namespace assay
