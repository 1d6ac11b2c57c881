#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "assay/types.h"

namespace assay {

// A shard is some rows of a float32 matrix in one file: a .npy, followed by the digest of all bytes
// before it, which readers of .npy pass over. The file appears whole or not at all.
void write_shard(const std::filesystem::path& path, std::span<const float> values, Index columns);

enum class ShardState { missing, damaged, sound };

struct ShardCheck {
  ShardState state = ShardState::missing;
  Index rows = 0;     // when sound
  Index columns = 0;  // when sound
};

// Reads the whole file and compares its digest.
ShardCheck check_shard(const std::filesystem::path& path);

}  // namespace assay
