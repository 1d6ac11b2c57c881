#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/array.h"

namespace assay {

// safetensors: a little-endian 64-bit length, a JSON header of that length
// {"name": {"dtype": "F32", "shape": [n, d], "data_offsets": [begin, end]}},
// then the bytes of all tensors. Mapped, not read. The whole header is checked
// on opening: types, sizes, offsets inside the file, no two tensors overlapping.

// Names of the tensors, in alphabetical order. Throws Error.
std::vector<std::string> safetensors_names(const std::filesystem::path& path);

// One tensor: F16, F32, F64, I8 to I64, U8 to U64 or BOOL. Throws Error for
// others (BF16 among them) and for a name the file does not hold.
Array open_safetensors(const std::filesystem::path& path, const std::string& name);

}  // namespace assay
