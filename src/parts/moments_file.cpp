#include "parts/moments_file.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include "assay/digest.h"
#include "assay/error.h"
#include "io/atomic_file.h"
#include "io/mapped_file.h"
#include "parts/archive.h"

namespace assay {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is little-endian");

constexpr std::string_view kMagic = "ASSAYMOM";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHead = 16;    // magic, version, four bytes of zeros
constexpr std::size_t kDigest = 39;  // "xxh128:" and 32 hexadecimal digits

template <class Archive>
void fields(Archive& archive, MomentsFile& file) {
  auto& [model, labels, total_rows, first_row, moments] = file;
  auto& [kind, columns, folds] = moments;
  auto code = static_cast<std::int32_t>(kind);
  auto count = static_cast<std::int64_t>(folds.size());
  archive(model, labels, total_rows, first_row, code, columns, count);
  if constexpr (Archive::kReading) {
    if (code < 0 || code > 3 || count < 1 || count > 1000) fail_input("its head makes no sense");
    kind = static_cast<TargetKind>(code);
    folds.resize(static_cast<std::size_t>(count));
  }
  for (Moments& fold : folds) {
    auto& [n, scale, shift, gram, sum, cross, cubic, fourth, target_sum, target_square, rounding] =
        fold;
    archive(n, scale, shift, gram, sum, cross, cubic, fourth, target_sum, target_square, rounding);
  }
}

std::string digest_text(std::string_view bytes) {
  Digest digest;
  digest.update(std::as_bytes(std::span(bytes)));
  return digest.hex();
}

bool has_shape(const Moments& m, Index dim, Index columns) {
  return m.count >= 0 && m.shift.size() == dim && m.gram.rows() == dim && m.gram.cols() == dim &&
         m.sum.size() == dim && m.cross.rows() == dim && m.cross.cols() == columns &&
         m.cubic.size() == dim && m.target_sum.size() == columns &&
         m.target_square.size() == columns;
}

bool is_finite(const Moments& m) {
  return std::isfinite(m.scale) && m.shift.allFinite() && m.gram.allFinite() && m.sum.allFinite() &&
         m.cross.allFinite() && m.cubic.allFinite() && std::isfinite(m.fourth) &&
         m.target_sum.allFinite() && m.target_square.allFinite() &&
         std::isfinite(m.product_rounding);
}

void require_sound(const MomentsFile& file) {
  const Moments& first = file.moments.folds.front();
  const Index dim = first.shift.size();
  const auto columns = static_cast<Index>(file.moments.columns.size());
  Index left = file.total_rows;  // subtracted, as sums of what a stranger wrote may overflow
  for (const Moments& fold : file.moments.folds) {
    if (dim < 1 || columns < 1 || !has_shape(fold, dim, columns))
      fail_input("its matrices have shapes that do not go together");
    if (!is_finite(fold)) fail_input("it holds numbers that are not finite");
    if (fold.shift != first.shift || fold.scale != first.scale)
      fail_input("its folds are about different means");
    if (fold.count > left) fail_input("it says to hold more rows than there are labels");
    left -= fold.count;
  }
  if (file.first_row < 0 || file.first_row > left)
    fail_input("it says to hold more rows than there are labels");
}

}  // namespace

std::string moments_bytes(MomentsFile file) {
  std::string bytes(kMagic);
  const std::array<std::uint32_t, 2> head = {kVersion, 0};
  bytes.append(reinterpret_cast<const char*>(head.data()), sizeof head);
  Packer packer;
  fields(packer, file);
  bytes += packer.take();
  return bytes + digest_text(bytes);
}

MomentsFile moments_of_bytes(std::string_view bytes, const std::string& where) {
  if (bytes.size() < kHead + kDigest || !bytes.starts_with(kMagic))
    fail_input(fmt::format("{}: not a file of moments (`assay moments` writes them)", where));
  std::uint32_t version = 0;
  std::memcpy(&version, bytes.data() + kMagic.size(), sizeof version);
  const std::string_view body = bytes.substr(0, bytes.size() - kDigest);
  if (bytes.substr(body.size()) != digest_text(body))
    fail_input(fmt::format("{}: damaged or cut short; make it again", where));
  if (version != kVersion)
    fail_input(
        fmt::format("{}: version {} of the format, this assay reads {}", where, version, kVersion));
  try {
    MomentsFile file;
    Unpacker unpacker(body.substr(kHead));
    fields(unpacker, file);
    if (!unpacker.at_end()) fail_input("there is more in it than moments");
    require_sound(file);
    return file;
  } catch (const Error& error) {
    fail_input(fmt::format("{}: {}", where, error.what()));
  }
}

void write_moments(const std::filesystem::path& path, const MomentsFile& file) {
  write_file_atomically(path, {moments_bytes(file)});
}

MomentsFile read_moments(const std::filesystem::path& path) {
  return moments_of_bytes(MappedFile::open(path)->text(), path.string());
}

}  // namespace assay
