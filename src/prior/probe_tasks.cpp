#include "prior/probe_tasks.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "core/random.h"
#include "learn/hits.h"
#include "learn/logistic.h"
#include "learn/pca.h"
#include "learn/row_space.h"
#include "learn/standardize.h"
#include "linalg/gram.h"

namespace assay {
namespace {

struct HeldOut {
  std::vector<Index> train;
  std::vector<Index> test;
};

HeldOut held_out(Index count, const ProbeTasksOptions& options) {
  const std::vector<Index> order = Random(options.seed).permutation(count);
  const auto wanted =
      static_cast<Index>(std::llround(options.test_share * static_cast<double>(count)));
  const Index test = std::clamp<Index>(wanted, 1, count - 1);
  HeldOut out{{order.begin() + test, order.end()}, {order.begin(), order.begin() + test}};
  std::sort(out.train.begin(), out.train.end());
  std::sort(out.test.begin(), out.test.end());
  return out;
}

std::vector<Label> labels_at(const Label* task, const std::vector<Index>& rows) {
  std::vector<Label> out;
  for (const Index row : rows) out.push_back(task[row]);
  return out;
}

// Which tests were passed: tasks x rows tested. Sums of it by task and by row are all that is kept.
class Tests {
 public:
  Tests(Index tasks, Index rows) : passed_(Vector::Zero(tasks)), by_row_(Vector::Zero(rows)) {}

  // A column passes when its largest entry is the label. From several threads, a task each.
  void add(Index task, const Matrix& scores, const std::vector<Label>& labels) {
    const Vector own = hits(scores, labels);
    passed_[task] = own.sum();
    const std::lock_guard lock(mutex_);
    by_row_ += own;  // whole numbers: in any order the same
  }

  Vector accuracy() const { return passed_ / static_cast<double>(by_row_.size()); }

  // The two-way table without repetitions: what neither the task nor the row explains of a test,
  // taken over the rows of a task. Rows that are easy in every task add nothing to the spread over
  // tasks, so they must not count as its noise.
  double noise() const {
    const auto tasks = static_cast<double>(passed_.size());
    const auto rows = static_cast<double>(by_row_.size());
    if (tasks < 2.0 || rows < 2.0) return 0.0;
    const double all = passed_.sum();
    const double residual = all - passed_.squaredNorm() / rows - by_row_.squaredNorm() / tasks +
                            all * all / (tasks * rows);
    return std::max(0.0, residual) / ((tasks - 1.0) * (rows - 1.0)) / rows;
  }

 private:
  Vector passed_;
  Vector by_row_;
  std::mutex mutex_;
};

// Ridge regressions of class indicators in the principal axes of the training rows.
class Ridge {
 public:
  Ridge(ThreadPool& pool, const Matrix& train, const Matrix& test, Index classes)
      : classes_(classes) {
    const Pca pca = fit_pca(pool, train, 1.0);
    z_ = pca.project(train);
    test_ = pca.project(test);
    spectrum_ = pca.variances * static_cast<double>(train.cols() - 1);
  }

  // Sums of the training rows of each class, and the classes' shares.
  struct Fit {
    Matrix sums;  // r x K
    Vector share;
  };

  Fit fit(const std::vector<Label>& labels) const {
    Fit out{Matrix::Zero(z_.rows(), classes_), Vector::Zero(classes_)};
    for (Index i = 0; i < z_.cols(); ++i) {
      const Label label = labels[static_cast<std::size_t>(i)];
      out.sums.col(label) += z_.col(i);
      out.share[label] += 1.0 / static_cast<double>(z_.cols());
    }
    return out;
  }

  Matrix test_scores(const Fit& fit, double penalty) const { return scores(fit, penalty, test_); }

  // Leave-one-out squared error per row: residual / (1 - 1/n - leverage), summed over classes.
  double leave_one_out(const Fit& fit, const std::vector<Label>& labels, double penalty) const {
    Matrix residual = -scores(fit, penalty, z_);
    const Vector shrunk = (spectrum_.array() + penalty).inverse();
    const auto n = static_cast<double>(z_.cols());
    double sum = 0.0;
    for (Index i = 0; i < z_.cols(); ++i) {
      residual(labels[static_cast<std::size_t>(i)], i) += 1.0;
      const double kept = 1.0 - 1.0 / n - z_.col(i).cwiseAbs2().dot(shrunk);
      sum += residual.col(i).squaredNorm() / std::max(kept * kept, 1e-20);
    }
    return sum / n;
  }

  // Of the weakest direction that matters: penalties are multiples of the mean eigenvalue.
  double unit() const { return spectrum_.size() > 0 ? spectrum_.mean() : 1.0; }

 private:
  Matrix scores(const Fit& fit, double penalty, const Matrix& z) const {
    const Matrix weights = (spectrum_.array() + penalty).inverse().matrix().asDiagonal() * fit.sums;
    Matrix out = product(weights, true, z, false);
    out.colwise() += fit.share;
    return out;
  }

  Index classes_;
  Matrix z_;     // r x train
  Matrix test_;  // r x test
  Vector spectrum_;
};

double choose_penalty(ThreadPool& pool, const Ridge& ridge, const std::vector<Label>& labels,
                      Index count, const std::vector<Index>& train) {
  constexpr Index most_tasks = 16;  // the penalty suits the features more than a task
  static constexpr double kMultiples[] = {1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0};
  const Index tasks = std::min(most_tasks, static_cast<Index>(labels.size()) / count);
  Matrix errors(std::size(kMultiples), tasks);
  pool.run(tasks, [&](Index task) {
    const std::vector<Label> own = labels_at(labels.data() + task * count, train);
    const Ridge::Fit fit = ridge.fit(own);
    for (Index k = 0; k < errors.rows(); ++k)
      errors(k, task) = ridge.leave_one_out(fit, own, kMultiples[k] * ridge.unit());
  });
  Index best = 0;
  errors.rowwise().sum().minCoeff(&best);
  return kMultiples[best] * ridge.unit();
}

}  // namespace

TaskAccuracies probe_tasks(ThreadPool& pool, Matrix features, const std::vector<Label>& labels,
                           Index classes, const ProbeTasksOptions& options) {
  const Index n = features.cols();
  const Index tasks = static_cast<Index>(labels.size()) / n;
  const HeldOut rows = held_out(n, options);
  Matrix train = features(Eigen::all, rows.train);
  Matrix test = features(Eigen::all, rows.test);
  features.resize(0, 0);
  const Standardizer standard = fit_standardizer(train);
  standard.apply(train);
  standard.apply(test);
  TaskAccuracies out;
  Tests tests(tasks, test.cols());
  if (options.probe == TaskProbe::ridge) {
    const Ridge ridge(pool, train, test, classes);
    out.penalty = choose_penalty(pool, ridge, labels, n, rows.train);
    pool.run(tasks, [&](Index task) {
      const Label* own = labels.data() + task * n;
      const Ridge::Fit fit = ridge.fit(labels_at(own, rows.train));
      tests.add(task, ridge.test_scores(fit, out.penalty), labels_at(own, rows.test));
    });
    out.accuracy = tests.accuracy();
    out.test_noise = tests.noise();
    return out;
  }
  const RowSpace space = row_space(pool, train);
  const Matrix z = space.map(test);
  pool.run(tasks, [&](Index task) {
    const Label* own = labels.data() + task * n;
    LogisticOptions fit;
    fit.beta = static_cast<double>(rows.train.size());
    fit.tolerance = 1e-7;  // decisions change no more
    const LogisticProblem problem(pool, space.z, labels_at(own, rows.train), classes);
    tests.add(task, logistic_probabilities(pool, problem.fit(fit).weights, z),
              labels_at(own, rows.test));
  });
  out.accuracy = tests.accuracy();
  out.test_noise = tests.noise();
  return out;
}

double chance_accuracy(const std::vector<Label>& labels, Index count, Index classes) {
  const Index tasks = static_cast<Index>(labels.size()) / count;
  double sum = 0.0;
  for (Index task = 0; task < tasks; ++task) {
    std::vector<Index> seen(static_cast<std::size_t>(classes), 0);
    for (Index i = 0; i < count; ++i)
      ++seen[static_cast<std::size_t>(labels[static_cast<std::size_t>(task * count + i)])];
    sum += static_cast<double>(*std::max_element(seen.begin(), seen.end())) /
           static_cast<double>(count);
  }
  return sum / static_cast<double>(tasks);
}

}  // namespace assay
