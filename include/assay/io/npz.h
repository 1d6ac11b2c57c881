#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/io/array.h"

namespace assay {

// NumPy's .npz: a zip archive whose members are .npy files, stored (np.savez)
// or deflated (np.savez_compressed). Read with libzip.

// Names of the arrays in the archive's order, without their ".npy"; other
// members are passed over. Throws Error when the file is no readable archive.
std::vector<std::string> npz_members(const std::filesystem::path& path);

// One member, inflated into memory of its own, its checksum verified. Throws
// Error for a missing or damaged member and, before allocating anything, for a
// size that the archive cannot hold or the machine cannot take.
Array open_npz_member(const std::filesystem::path& path, const std::string& name);

}  // namespace assay
