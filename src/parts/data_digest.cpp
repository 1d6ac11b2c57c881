#include "parts/data_digest.h"

#include "parts/archive.h"

namespace assay {
namespace {

template <class Archive>
void fields(Archive& archive, Targets& targets) {
  auto& [kind, labels, values, names, where] = targets;
  static_cast<void>(where);
  archive(kind, labels, values, names);
}

}  // namespace

std::string targets_digest(const Targets& targets) {
  Targets copy = targets;
  Packer packer;
  fields(packer, copy);
  const std::string bytes = packer.take();
  Digest digest;
  digest.update(std::as_bytes(std::span(bytes)));
  return digest.hex();
}

}  // namespace assay
