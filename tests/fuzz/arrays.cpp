// Files of numbers: what a model hub and its labels are made of.
#include <algorithm>
#include <vector>

#include "assay/features.h"
#include "assay/rows.h"
#include "guarded.h"
#include "io/csv.h"
#include "io/npz.h"
#include "io/safetensors.h"
#include "targets.h"

namespace assay::fuzz {
namespace {

// Some rows, as a metric would read them.
void read_features(const std::filesystem::path& path) {
  read_or_refuse([&] {
    const Rows rows = open_features(path);
    constexpr Index most = 1 << 16;
    if (rows->cols() > most) return;
    std::vector<Index> wanted = {0, rows->rows() - 1};
    if (rows->rows() == 1) wanted.pop_back();
    std::vector<float> floats(wanted.size() * static_cast<std::size_t>(rows->cols()));
    std::vector<double> doubles(floats.size());
    rows->read(wanted, floats.data());
    rows->read(wanted, doubles.data());
    rows->digests();
  });
}

void read_targets(const std::filesystem::path& path) {
  read_or_refuse([&] { load_targets(path); });
}

void read_container(const std::filesystem::path& path) {
  read_features(path);
  read_targets(path);
  read_or_refuse([&] { embedded_labels(path); });
  read_or_refuse([&] {
    if (const std::optional<Rows> rows = embedded_probabilities(path))
      if ((*rows)->rows() * (*rows)->cols() < (1 << 20)) read_probabilities(**rows);
  });
}

}  // namespace

void npy(Bytes bytes) {
  const std::filesystem::path path = as_file(bytes, "a.npy");
  read_features(path);
  read_targets(path);
}

void npz(Bytes bytes) { read_container(as_file(bytes, "a.npz")); }
void safetensors(Bytes bytes) { read_container(as_file(bytes, "a.safetensors")); }
void hdf5(Bytes bytes) { read_container(as_file(bytes, "a.h5")); }
void numeric_csv(Bytes bytes) { read_features(as_file(bytes, "a.csv")); }
void table(Bytes bytes) {
  read_or_refuse([&] { parse_csv(text_of(bytes), "table"); });
}

void labels(Bytes bytes) {
  read_targets(as_file(bytes, "y.csv"));
  read_targets(as_file(bytes, "y.txt"));
}

}  // namespace assay::fuzz
