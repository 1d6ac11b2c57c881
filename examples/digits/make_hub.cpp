// Makes a small hub out of the handwritten digits: several representations of the
// same 1,000 images, their labels, and the truth a ranking is to predict. Each
// .npy of the hub stands in for the features that one pre-trained model gives.
//
//   digits_hub DIGITS.npy DIRECTORY
//
// writes DIRECTORY/hub/NAME.npy, DIRECTORY/labels.npy and DIRECTORY/truth.csv.

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>

#include "assay/error.h"
#include "core/random.h"
#include "io/atomic_file.h"
#include "io/npy.h"
#include "representations.h"
#include "ridge_probe.h"

namespace digits {
namespace {

using assay::Index;
using assay::Matrix;

constexpr std::uint64_t kSeed = 1;
constexpr Index kTraining = 1000;

struct Digits {
  Matrix images;  // one row per image, pixels in [0, 1]
  std::vector<Index> classes;
};

// Each row of the file: 64 pixels in 0 ... 16, then the digit.
Digits read_digits(const std::filesystem::path& path) {
  const assay::Array array = assay::open_npy(path);
  if (array.type != assay::ElementType::u8 || array.rank() != 2 || array.fortran_order ||
      array.shape[0] < kTraining + 1 || array.shape[1] != kPixels + 1) {
    assay::fail_input(fmt::format(
        "{}: expected uint8 of shape (1797, 65), found {} of shape {}; use the file beside "
        "this example",
        array.where, assay::element_name(array.type), assay::shape_text(array.shape)));
  }
  Digits digits{Matrix(array.shape[0], kPixels), {}};
  for (Index row = 0; row < array.shape[0]; ++row) {
    for (Index pixel = 0; pixel < kPixels; ++pixel) {
      digits.images(row, pixel) = assay::number_at(array, row * (kPixels + 1) + pixel) / 16.0;
    }
    digits.classes.push_back(assay::integer_at(array, row * (kPixels + 1) + kPixels));
    if (digits.classes.back() >= kClasses) {
      assay::fail_input(fmt::format("{}: row {}: expected a digit in the last column, found {}",
                                    array.where, row, digits.classes.back()));
    }
  }
  return digits;
}

struct Split {
  std::vector<Index> training, held_out;
};

// Shuffled, brought into order of class, then taken at even steps: every class
// gives its share, to within one sample. Both parts keep the order of the file.
Split stratified_split(const std::vector<Index>& classes) {
  const auto count = static_cast<Index>(classes.size());
  std::vector<Index> order = assay::Random(kSeed).permutation(count);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return classes[static_cast<std::size_t>(a)] < classes[static_cast<std::size_t>(b)];
  });
  Split split;
  for (Index i = 0; i < count; ++i) {
    const bool train = (i + 1) * kTraining / count > i * kTraining / count;
    (train ? split.training : split.held_out).push_back(order[static_cast<std::size_t>(i)]);
  }
  std::sort(split.training.begin(), split.training.end());
  std::sort(split.held_out.begin(), split.held_out.end());
  return split;
}

Labelled rows_of(const Matrix& features, const std::vector<Index>& classes,
                 const std::vector<Index>& rows) {
  Labelled part{features(rows, Eigen::all), {}};
  for (const Index row : rows) part.classes.push_back(classes[static_cast<std::size_t>(row)]);
  return part;
}

void write_float32(const std::filesystem::path& path, const Matrix& features) {
  const Eigen::MatrixXf transposed = features.transpose().cast<float>();  // rows contiguous
  assay::write_npy(path, {transposed.data(), static_cast<std::size_t>(transposed.size())},
                   features.cols());
}

void make_hub(const std::filesystem::path& source, const std::filesystem::path& directory) {
  const Digits digits = read_digits(source);
  const Split split = stratified_split(digits.classes);
  std::filesystem::create_directories(directory / "hub");

  std::string truth = "name,accuracy,params\n";
  std::vector<Index> training_classes;
  const std::vector<Representation> all = represent(digits.images, split.training, kSeed);
  for (const Representation& representation : all) {
    const Labelled train = rows_of(representation.features, digits.classes, split.training);
    const Labelled test = rows_of(representation.features, digits.classes, split.held_out);
    write_float32(directory / "hub" / (representation.name + ".npy"), train.features);
    truth += fmt::format("{},{:.4f},{}\n", representation.name,
                         held_out_accuracy(train, test, kSeed), train.features.cols());
    training_classes = train.classes;
  }
  assay::write_npy(directory / "labels.npy", training_classes);
  assay::write_file_atomically(directory / "truth.csv", {truth});
  fmt::print("{} representations of {} digits; accuracies measured on the other {}\n", all.size(),
             split.training.size(), split.held_out.size());
}

}  // namespace
}  // namespace digits

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: digits_hub DIGITS.npy DIRECTORY\n");
    return 2;
  }
  try {
    digits::make_hub(argv[1], argv[2]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "digits_hub: error: {}\n", error.what());
    return 2;
  }
  return 0;
}
