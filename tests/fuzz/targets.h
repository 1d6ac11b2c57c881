#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

// One function per parser of files from outside. Each takes any bytes at all: it may throw
// assay::Error, which is what a bad file deserves, and nothing else.
namespace assay::fuzz {

using Bytes = std::span<const std::byte>;

struct Target {
  std::string_view name;  // also of its folder below corpus/
  void (*run)(Bytes);
};

// Once, before the first target runs: a memory limit that files of a few kilobytes reach too, and
// that takes no time to fill.
void prepare();

std::span<const Target> all_targets();
const Target& target_named(std::string_view name);

// Readers want files: the bytes under this name, in a folder of this process, until the next call.
std::filesystem::path as_file(Bytes bytes, const std::string& name);

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void npy(Bytes bytes);
void npz(Bytes bytes);
void safetensors(Bytes bytes);
void numeric_csv(Bytes bytes);
void table(Bytes bytes);
void labels(Bytes bytes);
void hub_json(Bytes bytes);
void scores(Bytes bytes);
void report(Bytes bytes);
void curve(Bytes bytes);
void image(Bytes bytes);
void checkpoint(Bytes bytes);
void shard(Bytes bytes);
void journal(Bytes bytes);
void hdf5(Bytes bytes);
void hdf5_answers(Bytes bytes);

}  // namespace assay::fuzz
