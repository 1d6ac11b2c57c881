#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "parts/model_moments.h"

namespace assay {

// The file of moments, docs/formats/parts.md: which rows of which labels were summed, the moments
// of every fold, and a checksum over all.
struct MomentsFile {
  std::string model;     // its name
  std::string labels;    // digest of all labels, of rows that were not summed too
  Index total_rows = 0;  // rows that those labels have
  Index first_row = 0;   // of them, the first summed
  ModelMoments moments;
};

std::string moments_bytes(MomentsFile file);

// Throws Error, naming `where`, for anything that moments_bytes did not write.
MomentsFile moments_of_bytes(std::string_view bytes, const std::string& where);

void write_moments(const std::filesystem::path& path, const MomentsFile& file);
MomentsFile read_moments(const std::filesystem::path& path);

}  // namespace assay
