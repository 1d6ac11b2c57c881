#include "representations.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/random.h"

namespace digits {
namespace {

using assay::Index;
using assay::Matrix;
using assay::Random;

// Means of the non-overlapping block x block squares.
Matrix pooled(const Matrix& images, Index block) {
  const Index cells = kSide / block;
  Matrix features = Matrix::Zero(images.rows(), cells * cells);
  for (Index pixel = 0; pixel < kPixels; ++pixel) {
    const Index cell = pixel / kSide / block * cells + pixel % kSide / block;
    features.col(cell) += images.col(pixel) / static_cast<double>(block * block);
  }
  return features;
}

Matrix row_column_sums(const Matrix& images) {
  Matrix features = Matrix::Zero(images.rows(), 2 * kSide);
  for (Index pixel = 0; pixel < kPixels; ++pixel) {
    features.col(pixel / kSide) += images.col(pixel);
    features.col(kSide + pixel % kSide) += images.col(pixel);
  }
  return features;
}

// Coordinates along the `axes` directions in which the training images vary most.
Matrix principal_components(const Matrix& images, const Matrix& training_images, Index axes) {
  const Eigen::RowVectorXd mean = training_images.colwise().mean();
  const Matrix centred = training_images.rowwise() - mean;
  const Matrix scatter = centred.transpose() * centred;
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(scatter);  // eigenvalues ascending
  return (images.rowwise() - mean) * solver.eigenvectors().rightCols(axes).rowwise().reverse();
}

Matrix gaussian(Random random, Index rows, Index columns) {
  return Matrix::NullaryExpr(rows, columns, [&random] { return random.normal(); });
}

// The hidden layer of a network that was never trained. Centring lets every unit
// be off for about half of the images; the random biases make the units differ more.
Matrix random_relu(const Matrix& images, const Matrix& training_images, Index units,
                   std::uint64_t seed) {
  const Eigen::RowVectorXd mean = training_images.colwise().mean();
  const Matrix weights = gaussian(Random(seed), kPixels, units);
  const Eigen::RowVectorXd biases = gaussian(Random(seed + 1), 1, units);
  const Matrix inputs = (images.rowwise() - mean) * weights;
  return (inputs.rowwise() + biases).cwiseMax(0.0);
}

// For each quarter of the image, how much edge runs in each of eight directions:
// the gradient's length, counted under its angle.
Matrix edge_histogram(const Matrix& images) {
  constexpr Index kDirections = 8;
  const auto at = [&](Index image, Index row, Index column) {
    return images(image, std::clamp<Index>(row, 0, kSide - 1) * kSide +
                             std::clamp<Index>(column, 0, kSide - 1));
  };
  Matrix features = Matrix::Zero(images.rows(), 4 * kDirections);
  for (Index image = 0; image < images.rows(); ++image) {
    for (Index pixel = 0; pixel < kPixels; ++pixel) {
      const Index row = pixel / kSide;
      const Index column = pixel % kSide;
      const double dx = at(image, row, column + 1) - at(image, row, column - 1);
      const double dy = at(image, row + 1, column) - at(image, row - 1, column);
      // Rounding centres the bins on the axes, where most gradients of a coarse image lie.
      const double turn = std::atan2(dy, dx) / (2.0 * std::numbers::pi) + 1.0;
      const Index direction = std::lround(turn * kDirections) % kDirections;
      const Index quarter = row / (kSide / 2) * 2 + column / (kSide / 2);
      features(image, quarter * kDirections + direction) += std::hypot(dx, dy);
    }
  }
  return features;
}

}  // namespace

std::vector<Representation> represent(const Matrix& images, const std::vector<Index>& training,
                                      std::uint64_t seed) {
  const Matrix training_images = images(training, Eigen::all);
  return {
      {"pixels", images},
      {"pooled_2x2", pooled(images, 2)},
      {"pooled_4x4", pooled(images, 4)},
      {"row_column_sums", row_column_sums(images)},
      {"pca_16", principal_components(images, training_images, 16)},
      {"pca_4", principal_components(images, training_images, 4)},
      {"random_projection_16", images * gaussian(Random(seed + 1), kPixels, 16)},
      {"random_relu_512", random_relu(images, training_images, 512, seed + 2)},
      {"edge_histogram", edge_histogram(images)},
      {"binary_pixels", (images.array() >= 0.5).cast<double>()},
      {"noise", gaussian(Random(seed + 4), images.rows(), kPixels)},
  };
}

}  // namespace digits
