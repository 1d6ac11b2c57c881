#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "assay/array.h"

namespace assay {

// NumPy's .npy, versions 1 to 3, little-endian, C or Fortran order: mapped, not read.
// Written by hand because no packaged library maps files and knows float16.
// Throws Error for what the file gets wrong: magic, header, dtype, length.
Array open_npy(const std::filesystem::path& path);

// The same for a .npy image that lies in memory (a member of an .npz).
// `array.bytes` points into `image`; the caller keeps it alive.
Array parse_npy(std::span<const std::byte> image, const std::string& where);

// Its type and shape only, by the first bytes of it; `array.bytes` stays empty.
Array parse_npy_header(std::span<const std::byte> beginning, const std::string& where);

// What a .npy file has before its data, which follow in C order.
std::string npy_header(ElementType type, std::span<const Index> shape);

// Writes to a temporary beside `path`, then renames: never a half-written file.
void write_npy(const std::filesystem::path& path, ElementType type, std::span<const Index> shape,
               std::span<const std::byte> data);
void write_npy(const std::filesystem::path& path, const Matrix& values);  // float64, C order
void write_npy(const std::filesystem::path& path, std::span<const Index> values);  // int64
void write_npy(const std::filesystem::path& path, std::span<const float> values, Index columns);

}  // namespace assay
