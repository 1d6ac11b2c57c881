// What earlier runs left: caches, journals and checkpoints, damaged in any way.
#include <sstream>
#include <string>
#include <vector>

#include "assay/digest.h"
#include "curve/journal.h"
#include "extract/shard.h"
#include "guarded.h"
#include "io/json.h"
#include "io/sealed_json.h"
#include "targets.h"
#include "tune/checkpoint.h"

namespace assay::fuzz {
namespace {

Bytes bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

void checkpoint(Bytes bytes) {
  const std::filesystem::path path = as_file(bytes, "checkpoint.npz");
  read_or_refuse([&] { read_checkpoint(path, "identity"); });
}

// Bytes with the right seal, or the digest would keep all others out.
void shard(Bytes bytes) {
  Digest digest;
  digest.update(bytes);
  std::string sealed(text_of(bytes));
  sealed += "assay-shard " + digest.hex();
  check_shard(as_file(bytes_of(sealed), "features.00000.npy"));
  check_shard(as_file(bytes, "features.00000.npy"));
}

// Every line as it is, and sealed anew where it is an object.
void journal(Bytes bytes) {
  std::istringstream lines{std::string(text_of(bytes))};
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    text += line + "\n";
    unsealed_json(line, "identity");
    read_or_refuse([&] {
      const nlohmann::ordered_json json = parse_ordered_json(line, "line");
      if (json.is_object()) text += sealed_json(json, "identity") + "\n";
    });
  }
  const std::filesystem::path path = as_file(bytes_of(text), CurveJournal::file_name("identity"));
  read_or_refuse([&] {
    const CurveJournal kept(path.parent_path(), "identity");
    kept.find(0, 10);
  });
  std::filesystem::remove(path);
}

}  // namespace assay::fuzz
