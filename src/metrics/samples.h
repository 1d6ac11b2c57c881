#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "assay/metric.h"
#include "assay/targets.h"
#include "assay/thread_pool.h"
#include "assay/types.h"
#include "data/moments.h"
#include "learn/logistic.h"
#include "learn/row_space.h"

namespace assay {

using FloatView = Eigen::Map<const Eigen::MatrixXf>;

// Features of a file that holds no more than floats, D x n: a matrix of their own, or borrowed from
// where they lie.
class FloatFeatures {
 public:
  // moments: of these very samples, where a pass over them has been made already, or null.
  explicit FloatFeatures(Eigen::MatrixXf values, std::shared_ptr<const Moments> moments = nullptr)
      : own_(std::move(values)),
        values_(own_.data(), own_.rows(), own_.cols()),
        moments_(std::move(moments)) {}
  explicit FloatFeatures(const FloatView& values, std::shared_ptr<const Moments> moments = nullptr)
      : values_(values), moments_(std::move(moments)) {}

  FloatFeatures(FloatFeatures&&) = default;  // a matrix keeps its memory when it moves

  const FloatView& values() const { return values_; }
  const Moments* moments() const { return moments_.get(); }

 private:
  Eigen::MatrixXf own_;
  FloatView values_;
  std::shared_ptr<const Moments> moments_;
};

// Targets that are no classes, n x C.
struct TargetValues {
  Matrix values;
  TargetKind kind = TargetKind::regression;
};

// The samples themselves with their targets, for metrics that moments cannot give. What several
// metrics need is computed on the first call and shared; not for several threads at once.
class Samples {
 public:
  // features: D x n, one sample per column, finite. labels: any codes; classes without samples
  // do not exist here. `center`: row_space() and what follows from it are those of features minus
  // their means.
  Samples(ThreadPool& pool, Matrix features, const std::vector<Label>& labels, std::uint64_t seed,
          bool center = false);

  Samples(ThreadPool& pool, FloatFeatures features, const std::vector<Label>& labels,
          std::uint64_t seed, bool center = false);

  // The same with numbers, or several labels per sample, in place of classes.
  Samples(ThreadPool& pool, Matrix features, TargetValues targets, std::uint64_t seed,
          bool center = false);
  Samples(ThreadPool& pool, FloatFeatures features, TargetValues targets, std::uint64_t seed,
          bool center = false);

  // What PACTran's bounds are to be taken with.
  void use(const PactranSettings& settings) { pactran_ = settings; }
  const PactranSettings& pactran() const { return pactran_; }

  // Samples of one group (any codes, one per sample) are never told apart by folds.
  void keep_together(std::vector<Label> groups) { groups_ = std::move(groups); }

  Index count() const { return floats_ ? floats_->values().cols() : features_.cols(); }
  Index dim() const { return dim_; }
  Index classes() const { return static_cast<Index>(counts_.size()); }
  const Matrix& features() const;  // in double
  // The same as floats where they were given as such, and their moments; null otherwise.
  const FloatView* floats() const { return floats_ ? &floats_->values() : nullptr; }
  const Moments* moments() const { return floats_ ? floats_->moments() : nullptr; }
  TargetKind kind() const { return targets_.kind; }
  const Matrix& values() const { return targets_.values; }      // n x C, unless these are classes
  const std::vector<Label>& labels() const { return labels_; }  // 0 ... classes - 1
  const std::vector<Index>& counts() const { return counts_; }  // per class, none is 0
  const std::vector<Label>& groups() const { return groups_; }  // empty: none
  std::uint64_t seed() const { return seed_; }
  ThreadPool& pool() const { return pool_; }

  // What sums of squares are about: the origin, with a constant beside the features (or the means,
  // if these samples are centred), or the means without a constant.
  enum class About { origin_and_constant, means };

  // True where most features, or the constant, are so small beside a mean or a few large features
  // that sums of squares in double keep fewer than three digits of them. Metrics on such sums flag
  // it (`ill_scaled`).
  bool ill_scaled(About about) const;

  const RowSpace& row_space() const;

  // The features about their means in the coordinates of their principal components (r x n, r the
  // rank), the largest variance first: distances are those of the features.
  const Matrix& principal_components() const;

  // Logistic regression with penalty |theta|^2 / (2 beta), to the default tolerance.
  const LogisticFit& logistic(double beta) const;
  const LogisticProblem& logistic_problem() const;

  // GMM posteriors as N-LEEP takes them (n x K), of the best start first.
  const std::vector<Matrix>& mixture_posteriors() const;

 private:
  ThreadPool& pool_;
  Index dim_ = 0;
  mutable Matrix features_;  // made of the floats when first asked for
  std::optional<FloatFeatures> floats_;
  std::vector<Index> counts_;  // filled while labels_ is
  std::vector<Label> labels_;
  TargetValues targets_ = {{}, TargetKind::classes};
  std::vector<Label> groups_;
  PactranSettings pactran_;
  std::uint64_t seed_;
  bool center_;
  mutable std::optional<RowSpace> row_space_;
  mutable std::optional<Matrix> principal_components_;
  mutable std::optional<LogisticProblem> logistic_problem_;
  mutable std::map<double, LogisticFit> logistic_;
  mutable std::vector<Matrix> posteriors_;
};

// Codes 0 ... K - 1 in the order of the labels, those without samples left out.
std::vector<Label> present_classes(const std::vector<Label>& labels, std::vector<Index>& counts);

}  // namespace assay
