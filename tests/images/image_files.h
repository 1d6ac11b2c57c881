#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/random.h"
#include "io/npy.h"
#include "support.h"

// Small data sets for tests.
namespace assay::test {

// A copy of one of the golden pictures.
inline void put_image(const std::filesystem::path& to, const std::string& picture = "rgb.png") {
  std::filesystem::create_directories(to.parent_path());
  std::filesystem::copy_file(golden("images/" + picture), to,
                             std::filesystem::copy_options::overwrite_existing);
}

inline std::vector<std::uint8_t> noise_bytes(Index count, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint8_t> bytes;
  for (Index i = 0; i < count; ++i) bytes.push_back(static_cast<std::uint8_t>(random.below(256)));
  return bytes;
}

// n images of 6 x 5 pixels of noise as an array.
inline void put_images(const std::filesystem::path& path, Index n, Index channels = 3,
                       std::uint64_t seed = 1) {
  const std::vector<Index> shape = {n, 6, 5, channels};
  const std::vector<std::uint8_t> bytes = noise_bytes(n * 30 * channels, seed);
  write_npy(path, ElementType::u8, shape, std::as_bytes(std::span(bytes)));
}

// Labels 0 ... classes - 1 in turn.
inline void put_labels(const std::filesystem::path& path, Index n, Index classes = 3) {
  std::vector<Index> labels;
  for (Index i = 0; i < n; ++i) labels.push_back(i % classes);
  write_npy(path, labels);
}

}  // namespace assay::test
