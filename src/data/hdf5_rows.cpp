#include <algorithm>
#include <utility>

#include "assay/rows.h"
#include "io/hdf5.h"

namespace assay {
namespace {

class Hdf5Rows final : public RowSource {
 public:
  Hdf5Rows(std::unique_ptr<const Hdf5Dataset> data, std::filesystem::path path)
      : RowSource(data->rows(), data->cols(), data->where()),
        data_(std::move(data)),
        path_(std::move(path)) {}

  bool is_double() const override { return data_->type() == ElementType::f64; }
  void read(std::span<const Index> rows, float* out) const override { read_as(rows, out); }
  void read(std::span<const Index> rows, double* out) const override { read_as(rows, out); }
  std::vector<std::filesystem::path> files() const override { return {path_}; }

 private:
  // Rows that lie within one stretch are read together, those between them
  // included: many small reads cost more than some unwanted rows.
  template <typename T>
  void read_as(std::span<const Index> wanted, T* out) const {
    const Index stretch =
        std::max(Index{1}, (Index{1} << 22) / (cols() * static_cast<Index>(sizeof(T))));
    std::vector<T> buffer;
    while (!wanted.empty()) {
      const Index first = wanted.front();
      const auto stop = std::lower_bound(wanted.begin(), wanted.end(), first + stretch);
      const auto count = static_cast<Index>(stop - wanted.begin());
      const Index end = wanted[static_cast<std::size_t>(count - 1)] + 1;
      if (end - first == count) {
        data_->read(first, end, out);
      } else {
        buffer.resize(static_cast<std::size_t>((end - first) * cols()));
        data_->read(first, end, buffer.data());
        for (Index k = 0; k < count; ++k) {
          const Index row = wanted[static_cast<std::size_t>(k)] - first;
          std::copy_n(buffer.data() + row * cols(), cols(), out + k * cols());
        }
      }
      out += count * cols();
      wanted = wanted.subspan(static_cast<std::size_t>(count));
    }
  }

  std::unique_ptr<const Hdf5Dataset> data_;
  std::filesystem::path path_;
};

}  // namespace

Rows rows_of_hdf5(const std::filesystem::path& path, const std::string& name) {
  return std::make_shared<Hdf5Rows>(std::make_unique<const Hdf5Dataset>(path, name), path);
}

}  // namespace assay
