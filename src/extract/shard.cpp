#include "extract/shard.h"

#include <array>
#include <string>
#include <string_view>

#include "assay/digest.h"
#include "assay/error.h"
#include "io/atomic_file.h"
#include "io/mapped_file.h"
#include "io/npy.h"

namespace assay {
namespace {

constexpr std::string_view kMark = "assay-shard ";
constexpr std::size_t kDigestLength = 39;  // "xxh128:" and 32 hexadecimal digits

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

ShardCheck check_bytes(std::span<const std::byte> bytes, const std::string& where) {
  constexpr std::size_t tail = kMark.size() + kDigestLength;
  if (bytes.size() < tail) return {ShardState::damaged};
  const std::span<const std::byte> body = bytes.first(bytes.size() - tail);
  const std::string_view seal = text_of(bytes.last(tail));
  if (!seal.starts_with(kMark)) return {ShardState::damaged};
  Digest digest;
  digest.update(body);
  if (seal.substr(kMark.size()) != digest.hex()) return {ShardState::damaged};
  const Array array = parse_npy(body, where);
  if (array.rank() != 2 || array.type != ElementType::f32) return {ShardState::damaged};
  return {ShardState::sound, array.shape[0], array.shape[1]};
}

}  // namespace

void write_shard(const std::filesystem::path& path, std::span<const float> values, Index columns) {
  const std::array<Index, 2> shape = {static_cast<Index>(values.size()) / columns, columns};
  const std::string header = npy_header(ElementType::f32, shape);
  Digest digest;
  digest.update(std::as_bytes(std::span(header)));
  digest.update(std::as_bytes(values));
  write_file_atomically(path, {header, text_of(std::as_bytes(values)), kMark, digest.hex()});
}

ShardCheck check_shard(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  try {
    return check_bytes(MappedFile::open(path)->bytes(), path.string());
  } catch (const Error&) {  // unreadable is as good as damaged: it is made anew
    return {ShardState::damaged};
  }
}

}  // namespace assay
