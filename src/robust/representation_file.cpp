#include "robust/representation_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

#include "assay/error.h"
#include "assay/rows.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/read_samples.h"
#include "io/npz.h"

namespace assay {
namespace {

void require_arrays_memory(const std::filesystem::path& path, Index bytes, Index limit) {
  require_memory(path.string(), "reading its arrays", bytes, limit, "save float16 or fewer scales");
}

std::vector<double> read_scales(const Array& array) {
  if (array.rank() != 1 || array.size() == 0 || is_text(array.type)) {
    fail_input(fmt::format("{}: expected the list of scales, shape (S,), found {} of shape {}",
                           array.where, element_name(array.type), shape_text(array.shape)));
  }
  std::vector<double> out;
  for (Index i = 0; i < array.size(); ++i) {
    out.push_back(number_at(array, i));
    if (!(out.back() > 0.0) || !std::isfinite(out.back())) {
      fail_input(fmt::format("{}: scale {} is {}; scales are positive numbers", array.where, i,
                             out.back()));
    }
  }
  return out;
}

void require_samples(const Array& array, Index scales) {
  const bool right = array.rank() == 3 && is_floating(array.type) && array.shape[0] == scales &&
                     array.shape[1] > 0 && array.shape[2] > 0;
  if (right) return;
  fail_input(
      fmt::format("{}: expected floats of shape (S, N, D): {} scales, samples, dimensions; found "
                  "{} of shape {}",
                  array.where, scales, element_name(array.type), shape_text(array.shape)));
}

// Position of (s, i) in the storage order of an S x N array.
Index position(const Array& array, Index s, Index i) {
  return array.fortran_order ? i * array.shape[0] + s : s * array.shape[1] + i;
}

std::vector<std::vector<Label>> read_labels(const Array& array, const Array& samples) {
  if (array.rank() != 2 || is_text(array.type) || array.shape[0] != samples.shape[0] ||
      array.shape[1] != samples.shape[1]) {
    fail_input(
        fmt::format("{}: expected labels 0 and 1 of shape ({}, {}), one per sample of {}; "
                    "found {} of shape {}",
                    array.where, samples.shape[0], samples.shape[1], samples.where,
                    element_name(array.type), shape_text(array.shape)));
  }
  std::vector<std::vector<Label>> out(static_cast<std::size_t>(array.shape[0]));
  for (Index s = 0; s < array.shape[0]; ++s) {
    for (Index i = 0; i < array.shape[1]; ++i) {
      const double label = number_at(array, position(array, s, i));
      if (label != 0.0 && label != 1.0) {
        fail_input(fmt::format("{}: scale {}, sample {} has label {}; expected 0 or 1", array.where,
                               s, i, label));
      }
      out[static_cast<std::size_t>(s)].push_back(label == 1.0 ? 1 : 0);
    }
  }
  return out;
}

// Without these there are no means and no covariance.
void require_fit(const std::vector<std::vector<Label>>& labels, const std::string& where) {
  constexpr Index fewest = 3;
  for (std::size_t s = 0; s < labels.size(); ++s) {
    const auto n = static_cast<Index>(labels[s].size());
    const Index ones = std::count(labels[s].begin(), labels[s].end(), 1);
    if (ones > 0 && ones < n && n >= fewest) continue;
    fail_input(
        fmt::format("{}: scale {} has {} samples of class 1 and {} of class 0; both classes "
                    "and at least three samples are needed to fit a classifier",
                    where, s, ones, n - ones));
  }
}

// The N x D array of one scale: a part of the same memory, or a copy where scales interleave.
Array slice(const Array& array, Index s) {
  const Index count = array.shape[1] * array.shape[2];
  const auto width = static_cast<std::size_t>(array.item_size);
  Array out = array;
  out.shape = {array.shape[1], array.shape[2]};
  out.where = fmt::format("{}[{}]", array.where, s);
  if (!array.fortran_order) {
    const std::size_t bytes = static_cast<std::size_t>(count) * width;
    out.bytes = array.bytes.subspan(static_cast<std::size_t>(s) * bytes, bytes);
    return out;
  }
  auto copy = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(count) * width);
  for (Index i = 0; i < count; ++i) {
    const auto from = static_cast<std::size_t>(s + array.shape[0] * i) * width;
    std::memcpy(copy->data() + static_cast<std::size_t>(i) * width, array.bytes.data() + from,
                width);
  }
  out.bytes = *copy;
  out.buffer = std::move(copy);
  return out;
}

}  // namespace

RepresentationFile::RepresentationFile(const std::filesystem::path& path, Index memory_limit) {
  std::error_code missing;
  const auto packed = std::filesystem::file_size(path, missing);
  if (!missing) require_arrays_memory(path, static_cast<Index>(packed), memory_limit);
  scales_ = read_scales(open_npz_member(path, "scales"));
  train_ = open_npz_member(path, "train");
  require_samples(train_, static_cast<Index>(scales_.size()));
  test_ = open_npz_member(path, "test");
  check(path.string());
  require_arrays_memory(path, static_cast<Index>(train_.bytes.size() + test_.bytes.size()),
                        memory_limit);
  read_classes(open_npz_member(path, "train_labels"), open_npz_member(path, "test_labels"),
               path.string());
}

RepresentationFile::RepresentationFile(const GivenRepresentations& given)
    : scales_(read_scales(given.scales)), train_(given.train), test_(given.test) {
  check(given.name);
  read_classes(given.train_labels, given.test_labels, given.name);
}

void RepresentationFile::check(const std::string& where) const {
  require_samples(train_, static_cast<Index>(scales_.size()));
  require_samples(test_, static_cast<Index>(scales_.size()));
  if (train_.shape[2] == test_.shape[2]) return;
  fail_input(fmt::format("{}: train has {} dimensions, test has {}; expected the same", where,
                         train_.shape[2], test_.shape[2]));
}

void RepresentationFile::read_classes(const Array& train_labels, const Array& test_labels,
                                      const std::string& where) {
  train_labels_ = read_labels(train_labels, train_);
  test_labels_ = read_labels(test_labels, test_);
  require_fit(train_labels_, where + ":train_labels");
}

LabelledRepresentation RepresentationFile::train(ThreadPool& pool, std::size_t s) const {
  const Rows rows = rows_of_array(slice(train_, static_cast<Index>(s)), {});
  return {read_samples(pool, *rows), train_labels_[s]};
}

LabelledRepresentation RepresentationFile::test(ThreadPool& pool, std::size_t s) const {
  const Rows rows = rows_of_array(slice(test_, static_cast<Index>(s)), {});
  return {read_samples(pool, *rows), test_labels_[s]};
}

}  // namespace assay
