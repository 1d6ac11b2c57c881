#pragma once

#include <filesystem>
#include <string>

// Where an entry keeps what, shared by those who write and those who list.
namespace assay {

// Part of every key: numbers made by a program that computes them otherwise are not found again.
inline constexpr int kCacheFormat = 2;

inline std::filesystem::path entries_folder(const std::filesystem::path& cache) {
  return cache / "features";
}
inline std::filesystem::path lock_file(const std::filesystem::path& entry) {
  return entry.parent_path() / (entry.filename().string() + ".lock");
}
inline std::filesystem::path description_file(const std::filesystem::path& entry) {
  return entry / "entry.json";
}

bool is_key(const std::string& name);

}  // namespace assay
