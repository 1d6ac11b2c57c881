#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "assay/array.h"

namespace assay {

// NumPy's .npz: a zip archive whose members are .npy files, stored (np.savez)
// or deflated (np.savez_compressed). Read with libzip.

// Names of the arrays in the archive's order, without their ".npy"; other
// members are passed over. Throws Error when the file is no readable archive.
std::vector<std::string> npz_members(const std::filesystem::path& path);

// One member, inflated into memory of its own, its checksum verified. Throws
// Error for a missing or damaged member and, before allocating anything, for a
// size that the archive cannot hold or reading_limit() forbids.
Array open_npz_member(const std::filesystem::path& path, const std::string& name);

struct NpzShape {
  ElementType type = ElementType::f64;
  std::vector<Index> shape;
};

// What a member says it holds, by its first bytes: nothing more is unpacked. Throws Error.
NpzShape npz_shape(const std::filesystem::path& path, const std::string& name);

struct NpzMember {
  std::string name;  // without ".npy"
  ElementType type = ElementType::f32;
  std::vector<Index> shape;
  std::span<const std::byte> data;  // C order
};

// np.savez: stored, not deflated. Written to a temporary beside `path`, then renamed; the same
// members give the same bytes. Throws Error.
void write_npz(const std::filesystem::path& path, std::span<const NpzMember> members);

}  // namespace assay
