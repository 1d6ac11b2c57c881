#include "assay/digest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "io/mapped_file.h"

namespace assay {

struct Digest::State {
  XXH3_state_t* hash = XXH3_createState();
  State() { XXH3_128bits_reset(hash); }
  ~State() { XXH3_freeState(hash); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  State(State&&) = delete;
  State& operator=(State&&) = delete;
};

Digest::Digest() : state_(std::make_unique<State>()) {}
Digest::~Digest() = default;
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;

void Digest::update(std::span<const std::byte> bytes) {
  XXH3_128bits_update(state_->hash, bytes.data(), bytes.size());
}

std::string Digest::hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->hash);
  return fmt::format("xxh128:{:016x}{:016x}", hash.high64, hash.low64);
}

std::string file_digest(const std::filesystem::path& path) {
  constexpr std::size_t chunk = std::size_t{1} << 24;
  const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  Digest digest;
  for (std::size_t at = 0; at < file->bytes().size(); at += chunk) {
    const auto part = file->bytes().subspan(at, std::min(chunk, file->bytes().size() - at));
    digest.update(part);
    file->release(part);
  }
  return digest.hex();
}

}  // namespace assay
