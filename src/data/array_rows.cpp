#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/rows.h"
#include "io/half.h"
#include "io/mapped_file.h"

namespace assay {
namespace {

template <typename To>
void convert(std::span<const std::byte> from, ElementType type, To* to) {
  if (type == ElementType::f16) {
    // Through a small buffer: bytes of a file need not be aligned.
    constexpr std::size_t chunk = 1024;
    std::uint16_t halves[chunk];
    float floats[chunk];
    const std::size_t count = from.size() / 2;
    for (std::size_t at = 0; at < count; at += chunk) {
      const std::size_t size = std::min(chunk, count - at);
      std::memcpy(halves, from.data() + 2 * at, 2 * size);
      half_to_float({halves, size}, floats);
      std::copy_n(floats, size, to + at);
    }
    return;
  }
  const auto copy_as = [&]<typename From>(From /*tag*/) {
    if constexpr (std::is_same_v<From, To>) {
      std::memcpy(to, from.data(), from.size());
    } else {
      for (std::size_t i = 0; i < from.size() / sizeof(From); ++i) {
        From value;
        std::memcpy(&value, from.data() + i * sizeof(From), sizeof(From));
        to[i] = static_cast<To>(value);
      }
    }
  };
  if (type == ElementType::f32) {
    copy_as(float{});
  } else {
    copy_as(double{});
  }
}

class ArrayRows final : public RowSource {
 public:
  ArrayRows(Array array, std::vector<std::filesystem::path> files)
      : RowSource(array.shape[0], array.shape[1], array.where),
        array_(std::move(array)),
        files_(std::move(files)) {}

  bool is_double() const override { return array_.type == ElementType::f64; }
  void read(std::span<const Index> rows, float* out) const override { read_as(rows, out); }
  void read(std::span<const Index> rows, double* out) const override { read_as(rows, out); }
  std::vector<std::filesystem::path> files() const override { return files_; }

  const float* floats_in_place() const override {
    if (array_.mapping) array_.mapping->require_whole();
    const std::byte* first = array_.bytes.data();
    const bool aligned = reinterpret_cast<std::uintptr_t>(first) % alignof(float) == 0;
    const bool fits = array_.type == ElementType::f32 && !array_.fortran_order && aligned;
    return fits ? reinterpret_cast<const float*>(first) : nullptr;
  }

  void release(Index begin, Index end) const override {
    if (!array_.mapping || array_.fortran_order) return;
    const std::span<const std::byte> part = bytes_of(begin * cols(), (end - begin) * cols());
    hash_up_to(
        static_cast<std::size_t>(part.data() + part.size() - array_.mapping->bytes().data()));
    array_.mapping->release(part);
  }

  std::vector<FileDigest> digests() const override {
    if (!array_.mapping || files_.size() != 1) return RowSource::digests();
    hash_up_to(array_.mapping->bytes().size());
    return {{files_.front(), digest_.hex()}};
  }

 private:
  // The file is hashed as the first pass goes through it; later passes find it done.
  void hash_up_to(std::size_t end) const {
    if (end <= hashed_) return;
    array_.mapping->require_whole();
    digest_.update(array_.mapping->bytes().subspan(hashed_, end - hashed_));
    hashed_ = end;
  }

  std::span<const std::byte> bytes_of(Index first, Index count) const {
    return array_.bytes.subspan(static_cast<std::size_t>(first * array_.item_size),
                                static_cast<std::size_t>(count * array_.item_size));
  }

  template <typename T>
  void read_as(std::span<const Index> wanted, T* out) const {
    if (array_.mapping) array_.mapping->require_whole();
    if (array_.fortran_order) return read_columns(wanted, out);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      convert(bytes_of(wanted[k] * cols(), cols()), array_.type,
              out + static_cast<Index>(k) * cols());
    }
  }

  // Column-major files: walk each column once over the span of wanted rows.
  template <typename T>
  void read_columns(std::span<const Index> wanted, T* out) const {
    if (wanted.empty()) return;
    const Index first = wanted.front();
    const Index span = wanted.back() - first + 1;
    std::vector<T> column(static_cast<std::size_t>(span));
    for (Index j = 0; j < cols(); ++j) {
      convert(bytes_of(j * rows() + first, span), array_.type, column.data());
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        out[static_cast<Index>(k) * cols() + j] =
            column[static_cast<std::size_t>(wanted[k] - first)];
      }
    }
  }

  Array array_;
  std::vector<std::filesystem::path> files_;
  mutable Digest digest_;
  mutable std::size_t hashed_ = 0;
};

}  // namespace

Rows rows_of_array(Array array, std::vector<std::filesystem::path> files) {
  // Files and members of that name hold what a source model says (the contract), and are read
  // alike.
  const bool probabilities = array.where.find("probs") != std::string::npos;
  const char* what = probabilities ? "probabilities" : "features";
  if (array.rank() != 2) {
    fail_input(fmt::format("{}: {} must be a 2-D array (samples x {}), got shape {}", array.where,
                           what, probabilities ? "source classes" : "dimensions",
                           shape_text(array.shape)));
  }
  if (!is_floating(array.type)) {
    fail_input(
        fmt::format("{}: {} must be float16, float32 or float64, got {}; save them as float32",
                    array.where, what, element_name(array.type)));
  }
  if (array.shape[0] == 0 || array.shape[1] == 0) {
    fail_input(
        fmt::format("{}: the array is empty, shape {}", array.where, shape_text(array.shape)));
  }
  return std::make_shared<ArrayRows>(std::move(array), std::move(files));
}

}  // namespace assay
