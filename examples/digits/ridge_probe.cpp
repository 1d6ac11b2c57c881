#include "ridge_probe.h"

#include <Eigen/Cholesky>
#include <array>

#include "data/folds.h"

namespace digits {
namespace {

using assay::Index;
using assay::Matrix;

constexpr std::array<double, 7> kPenalties = {1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4};
constexpr Index kFolds = 5;

Labelled rows_of(const Labelled& data, const std::vector<Index>& rows) {
  Labelled part{data.features(rows, Eigen::all), {}};
  for (const Index row : rows) part.classes.push_back(data.classes[static_cast<std::size_t>(row)]);
  return part;
}

// The normal equations of standardised features: set up once, solved for any penalty.
class Ridge {
 public:
  explicit Ridge(const Labelled& train) : mean_(train.features.colwise().mean()) {
    const auto rows = static_cast<double>(train.features.rows());
    Matrix standard = train.features.rowwise() - mean_;
    scale_ = (standard.colwise().squaredNorm() / rows).cwiseSqrt();
    // A pixel that is never inked has no deviation to divide by, and no weight either way.
    scale_ = (scale_.array() > 0.0).select(scale_, 1.0);
    standard.array().rowwise() /= scale_.array();

    Matrix targets = Matrix::Constant(train.features.rows(), kClasses, -1.0);
    for (Index i = 0; i < targets.rows(); ++i) {
      targets(i, train.classes[static_cast<std::size_t>(i)]) = 1.0;
    }
    intercept_ = targets.colwise().mean();  // features are centred
    gram_ = standard.transpose() * standard;
    cross_ = standard.transpose() * targets;
  }

  // How many samples of `test` the classifier with this penalty gets right.
  Index correct(const Labelled& test, double penalty) const {
    Matrix penalised = gram_;
    penalised.diagonal().array() += penalty;
    const Matrix weights = penalised.llt().solve(cross_);
    const Matrix standard = (test.features.rowwise() - mean_).array().rowwise() / scale_.array();
    const Matrix outputs = (standard * weights).rowwise() + intercept_;
    Index count = 0;
    for (Index i = 0; i < outputs.rows(); ++i) {
      Index best = 0;
      outputs.row(i).maxCoeff(&best);
      if (best == test.classes[static_cast<std::size_t>(i)]) ++count;
    }
    return count;
  }

 private:
  Eigen::RowVectorXd mean_, scale_, intercept_;
  Matrix gram_, cross_;
};

double best_penalty(const Labelled& train, std::uint64_t seed) {
  const assay::Targets targets = assay::targets_of_classes(train.classes, "training classes");
  const assay::Folds folds = assay::stratified_folds(targets, kFolds, seed);
  std::array<Index, kPenalties.size()> correct{};
  for (Index fold = 0; fold < folds.count; ++fold) {
    std::vector<Index> inside;
    std::vector<Index> outside;
    for (Index i = 0; i < train.features.rows(); ++i) {
      (folds.of_row[static_cast<std::size_t>(i)] == fold ? inside : outside).push_back(i);
    }
    const Labelled validation = rows_of(train, inside);
    const Ridge ridge(rows_of(train, outside));
    for (std::size_t p = 0; p < kPenalties.size(); ++p) {
      correct[p] += ridge.correct(validation, kPenalties[p]);
    }
  }
  std::size_t best = 0;
  for (std::size_t p = 1; p < kPenalties.size(); ++p) {
    if (correct[p] >= correct[best]) best = p;
  }
  return kPenalties[best];
}

}  // namespace

double held_out_accuracy(const Labelled& train, const Labelled& test, std::uint64_t seed) {
  const Index correct = Ridge(train).correct(test, best_penalty(train, seed));
  return static_cast<double>(correct) / static_cast<double>(test.features.rows());
}

}  // namespace digits
