#include <fmt/format.h>
#include <zip.h>

#include <memory>

#include "assay/error.h"
#include "io/atomic_file.h"
#include "io/npy.h"
#include "io/npz.h"

namespace assay {
namespace {

struct FreeSource {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
struct AbandonArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using MemorySource = std::unique_ptr<zip_source_t, FreeSource>;
using NewArchive = std::unique_ptr<zip_t, AbandonArchive>;

[[noreturn]] void fail_zip(const std::filesystem::path& path, const char* reason) {
  throw Error(ErrorCode::io, fmt::format("{}: cannot be written ({})", path.string(), reason));
}

void add_member(zip_t* archive, const std::string& name, const std::string& image,
                const std::filesystem::path& path) {
  zip_source_t* const source = zip_source_buffer(archive, image.data(), image.size(), 0);
  if (source == nullptr) fail_zip(path, zip_strerror(archive));
  const zip_int64_t index =
      zip_file_add(archive, (name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    fail_zip(path, zip_strerror(archive));
  }
  const auto entry = static_cast<zip_uint64_t>(index);
  constexpr zip_uint16_t first_of_january_1980 = (1 << 5) + 1;  // no clock in the bytes
  zip_set_file_compression(archive, entry, ZIP_CM_STORE, 0);
  zip_file_set_dostime(archive, entry, 0, first_of_january_1980, 0);
}

std::string contents(zip_source_t* source, const std::filesystem::path& path) {
  zip_stat_t info;
  zip_stat_init(&info);
  if (zip_source_stat(source, &info) != 0 || zip_source_open(source) != 0)
    fail_zip(path, zip_error_strerror(zip_source_error(source)));
  std::string out(info.size, '\0');
  const zip_int64_t got = zip_source_read(source, out.data(), out.size());
  zip_source_close(source);
  if (got != static_cast<zip_int64_t>(out.size())) fail_zip(path, "cut short");
  return out;
}

}  // namespace

void write_npz(const std::filesystem::path& path, std::span<const NpzMember> members) {
  zip_error_t reason;
  zip_error_init(&reason);
  const MemorySource memory(zip_source_buffer_create(nullptr, 0, 0, &reason));
  if (!memory) fail_zip(path, "no memory");
  NewArchive archive(zip_open_from_source(memory.get(), ZIP_TRUNCATE, &reason));
  if (!archive) fail_zip(path, zip_error_strerror(&reason));
  zip_source_keep(memory.get());  // the archive takes one reference, we read from another
  std::vector<std::string> images;
  images.reserve(members.size());  // libzip reads them when the archive is closed
  for (const NpzMember& member : members) {
    images.push_back(npy_header(member.type, member.shape));
    images.back().append(reinterpret_cast<const char*>(member.data.data()), member.data.size());
    add_member(archive.get(), member.name, images.back(), path);
  }
  if (zip_close(archive.get()) != 0) fail_zip(path, zip_strerror(archive.get()));
  static_cast<void>(archive.release());  // closing has freed it
  write_file_atomically(path, {contents(memory.get(), path)});
}

}  // namespace assay
