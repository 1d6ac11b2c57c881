#include "io/npz.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zip.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "assay/error.h"
#include "core/memory.h"
#include "io/mapped_file.h"
#include "io/npy.h"

namespace assay {
namespace {

struct DiscardArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseMember {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};
using OpenArchive = std::unique_ptr<zip_t, DiscardArchive>;
using OpenMember = std::unique_ptr<zip_file_t, CloseMember>;

struct Archive {
  OpenArchive zip;
  Index file_size = 0;
};

Archive open_archive(const std::filesystem::path& path) {
  const Index file_size = regular_file_size(path);
  if (file_size == 0) fail_input(fmt::format("{}: the file is empty", path.string()));
  int code = 0;
  OpenArchive zip(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (zip) return {std::move(zip), file_size};
  zip_error_t reason;
  zip_error_init_with_code(&reason, code);
  const std::string text = zip_error_strerror(&reason);
  zip_error_fini(&reason);
  fail_input(fmt::format("{}: not a readable .npz archive ({}); it may be cut short", path.string(),
                         text));
}

std::vector<std::string> array_names(zip_t* zip) {
  constexpr std::string_view suffix = ".npy";
  std::vector<std::string> names;
  const zip_int64_t count = zip_get_num_entries(zip, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* raw = zip_get_name(zip, static_cast<zip_uint64_t>(i), 0);
    const std::string_view name = raw != nullptr ? raw : "";
    if (name.size() > suffix.size() && name.ends_with(suffix)) {
      names.emplace_back(name.substr(0, name.size() - suffix.size()));
    }
  }
  return names;
}

// The size comes from the file and may lie. Stored bytes cannot outnumber the
// file's, and deflate gains at most a factor of 1032: with both checked, an
// allocation is never absurdly larger than the file itself.
std::size_t believable_size(const zip_stat_t& info, Index file_size, const std::string& where) {
  constexpr zip_uint64_t largest_gain = 1032;
  constexpr zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  const bool deflated = info.comp_method == ZIP_CM_DEFLATE;
  if ((info.valid & needed) != needed || (!deflated && info.comp_method != ZIP_CM_STORE) ||
      ((info.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && info.encryption_method != ZIP_EM_NONE)) {
    fail_input(
        fmt::format("{}: neither stored nor deflated, or encrypted; write it with np.savez or "
                    "np.savez_compressed",
                    where));
  }
  const bool possible =
      info.comp_size <= static_cast<zip_uint64_t>(file_size) &&
      (deflated ? info.size / largest_gain <= info.comp_size + 1 : info.size == info.comp_size);
  if (!possible) {
    fail_input(fmt::format(
        "{}: the archive claims {} bytes packed into {}, which cannot be; the file is damaged",
        where, info.size, info.comp_size));
  }
  return info.size;
}

// As many of the first bytes as there are, for a look at the header.
std::vector<std::byte> inflate_beginning(zip_t* zip, const zip_stat_t& info, std::size_t size,
                                         const std::string& where) {
  const OpenMember member(zip_fopen_index(zip, info.index, 0));
  if (!member) fail_input(fmt::format("{}: cannot be read ({})", where, zip_strerror(zip)));
  std::vector<std::byte> image(size);
  std::size_t filled = 0;
  while (filled < size) {
    const zip_int64_t got = zip_fread(member.get(), image.data() + filled, size - filled);
    if (got < 0)
      fail_input(fmt::format("{}: damaged ({})", where, zip_file_strerror(member.get())));
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  image.resize(filled);
  return image;
}

std::vector<std::byte> inflate(zip_t* zip, const zip_stat_t& info, std::size_t size,
                               const std::string& where) {
  const OpenMember member(zip_fopen_index(zip, info.index, 0));
  if (!member) fail_input(fmt::format("{}: cannot be read ({})", where, zip_strerror(zip)));
  std::vector<std::byte> image(size);
  std::size_t filled = 0;
  // One read beyond the end: libzip verifies the checksum only when it gets there.
  while (true) {
    std::byte extra{};
    const bool full = filled == size;
    const zip_int64_t got =
        zip_fread(member.get(), full ? &extra : image.data() + filled, full ? 1 : size - filled);
    if (got < 0) {
      fail_input(fmt::format("{}: damaged ({})", where, zip_file_strerror(member.get())));
    }
    if (got == 0 && full) return image;
    if (got == 0 || full) {
      fail_input(fmt::format("{}: expected {} bytes, found {}; the file is damaged", where, size,
                             full ? "more" : std::to_string(filled)));
    }
    filled += static_cast<std::size_t>(got);
  }
}

}  // namespace

std::vector<std::string> npz_members(const std::filesystem::path& path) {
  return array_names(open_archive(path).zip.get());
}

namespace {

struct FoundMember {
  Archive archive;
  zip_stat_t info{};
  std::string where;
  std::size_t size = 0;  // unpacked
};

FoundMember find_member(const std::filesystem::path& path, const std::string& name) {
  FoundMember found{open_archive(path), {}, fmt::format("{}:{}", path.string(), name)};
  zip_stat_init(&found.info);
  if (zip_stat(found.archive.zip.get(), (name + ".npy").c_str(), 0, &found.info) != 0) {
    fail_input(fmt::format("{}: holds no array '{}'; it holds: {}", path.string(), name,
                           fmt::join(array_names(found.archive.zip.get()), ", ")));
  }
  found.size = believable_size(found.info, found.archive.file_size, found.where);
  return found;
}

}  // namespace

NpzShape npz_shape(const std::filesystem::path& path, const std::string& name) {
  constexpr std::size_t longest_header = std::size_t{1} << 17;
  const FoundMember member = find_member(path, name);
  const std::vector<std::byte> beginning = inflate_beginning(
      member.archive.zip.get(), member.info, std::min(longest_header, member.size), member.where);
  const Array header = parse_npy_header(beginning, member.where);
  return {header.type, header.shape};
}

Array open_npz_member(const std::filesystem::path& path, const std::string& name) {
  const FoundMember member = find_member(path, name);
  require_readable(static_cast<Index>(member.size), member.where, "when unpacked");
  auto image = std::make_shared<const std::vector<std::byte>>(
      inflate(member.archive.zip.get(), member.info, member.size, member.where));
  Array array = parse_npy(*image, member.where);
  array.buffer = std::move(image);
  return array;
}

}  // namespace assay
