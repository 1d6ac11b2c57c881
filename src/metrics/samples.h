#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "assay/metric.h"
#include "assay/rows.h"
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

// Features that stay where they lie, for metrics that read them block by block
// (Metric::streams). `rows` must outlive whoever reads them.
struct StreamedFeatures {
  const RowSource* rows = nullptr;
  std::shared_ptr<const Moments> moments;  // of all rows, or null
  Index memory = 0;                        // bytes that a metric may hold at a time
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

  // Never held: only count() and dim(), labels and copy() tell of the features.
  Samples(ThreadPool& pool, StreamedFeatures features, const std::vector<Label>& labels,
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

  // Nearest neighbours of a share of the samples only where there are more than this (knn.h).
  void search_exactly_up_to(Index rows) { knn_exact_rows_ = rows; }
  Index knn_exact_rows() const { return knn_exact_rows_; }

  Index count() const;
  Index dim() const { return dim_; }
  Index classes() const { return static_cast<Index>(counts_.size()); }
  const Matrix& features() const;  // in double
  // The same as floats where they were given as such, and their moments; null otherwise.
  const FloatView* floats() const { return floats_ ? &floats_->values() : nullptr; }
  const Moments* moments() const;

  // Those that are not held, or null.
  const StreamedFeatures* streamed() const { return streamed_ ? &*streamed_ : nullptr; }
  // No value needs a double.
  bool holds_floats() const;
  // The chosen samples (ascending) one after another, wherever they lie, D values each.
  void copy(std::span<const Index> chosen, float* out) const;
  void copy(std::span<const Index> chosen, double* out) const;
  // Of samples that are not held: those are done with for now.
  void release(Index begin, Index end) const;

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
  std::optional<StreamedFeatures> streamed_;
  Index knn_exact_rows_ = kKnnExactRows;
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

// What metrics keep of every sample that is not held: labels, outcomes, orders.
inline constexpr Index kNumbersPerSample = 8;

// All samples in their order.
std::vector<Index> every_sample(Index count);

// Codes 0 ... K - 1 in the order of the labels, those without samples left out.
std::vector<Label> present_classes(const std::vector<Label>& labels, std::vector<Index>& counts);

}  // namespace assay
