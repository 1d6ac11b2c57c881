#include "assay/prior/sample_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "assay/core/dispatch.h"
#include "assay/core/error.h"
#include "assay/core/random.h"
#include "assay/linalg/gram.h"

namespace assay {
namespace {

constexpr Index kBlock = 64;  // samples whose products are taken together
constexpr Index kGroup = 16;  // tasks that one thread takes at a time

// Weights of the classes in place of their logarithms; returns their sum.
double exponentiate(double* h, Index classes) {
  const double largest = *std::max_element(h, h + classes);
  double sum = 0.0;
  for (Index c = 0; c < classes; ++c) sum += h[c] = std::exp(h[c] - largest);
  return sum;
}

Label draw(double* h, Index classes, double uniform) {
  double left = uniform * exponentiate(h, classes);
  for (Index c = 0; c + 1 < classes; ++c) {
    left -= h[c];
    if (left < 0.0) return static_cast<Label>(c);
  }
  return static_cast<Label>(classes - 1);
}

std::uint64_t stream_of(std::uint64_t seed, Index task) {
  return seed + 0x9E3779B97F4A7C15ULL * static_cast<std::uint64_t>(task + 1);
}

// Samples in the order of their visit, by blocks, with the kernel within each block.
class Visits {
 public:
  Visits(ThreadPool& pool, const Matrix& z, std::vector<Index> order)
      : z_(z), order_(std::move(order)), kernels_(static_cast<std::size_t>(blocks())) {
    pool.run(blocks(), [&](Index k) {
      const Matrix samples = block(k);
      kernels_[static_cast<std::size_t>(k)] = product(samples, true, samples, false);
    });
  }

  Index rows() const { return z_.rows(); }
  Index count() const { return z_.cols(); }
  Index blocks() const { return (z_.cols() + kBlock - 1) / kBlock; }
  Index sample(Index position) const { return order_[static_cast<std::size_t>(position)]; }
  const Matrix& kernel(Index k) const { return kernels_[static_cast<std::size_t>(k)]; }

  Matrix block(Index k) const {
    const Index first = k * kBlock;
    Matrix out(z_.rows(), std::min(kBlock, z_.cols() - first));
    for (Index i = 0; i < out.cols(); ++i) out.col(i) = z_.col(sample(first + i));
    return out;
  }

 private:
  const Matrix& z_;
  std::vector<Index> order_;
  std::vector<Matrix> kernels_;
};

ASSAY_MULTIVERSION void add_to(const double* from, Index count, double* to) {
  for (Index r = 0; r < count; ++r) to[r] += from[r];
}

ASSAY_MULTIVERSION void take_from(const double* from, Index count, double* to) {
  for (Index r = 0; r < count; ++r) to[r] -= from[r];
}

// Some tasks drawn together.
class Sampler {
 public:
  Sampler(const Visits& visits, const SampleOptions& options, Index first_task, Index tasks)
      : visits_(visits),
        classes_(options.classes),
        tasks_(tasks),
        weight_((options.gibbs_sweeps > 0 ? 2.0 : 1.0) / options.temperature),
        sums_(Matrix::Zero(visits.rows(), options.classes * tasks)),
        labels_(static_cast<std::size_t>(tasks * visits.count()), Label{-1}) {
    for (Index b = 0; b < tasks; ++b) random_.emplace_back(stream_of(options.seed, first_task + b));
  }

  // Visits every sample once. On the first visit samples have no label yet: the prefix sampler;
  // afterwards they leave their class before they draw a new one: a Gibbs sweep.
  void sweep() {
    for (Index k = 0; k < visits_.blocks(); ++k) visit_block(k);
  }

  Label label(Index task, Index position) const {
    return labels_[static_cast<std::size_t>(task * visits_.count() + position)];
  }

  // Tr(KG) = sum_c |sum of z over c|^2.
  double trace(Index task) const {
    return sums_.middleCols(task * classes_, classes_).squaredNorm();
  }

 private:
  struct Move {
    Index sample;  // in the block
    Label from;    // or -1
    Label to;
  };

  void visit_block(Index k) {
    const Matrix block = visits_.block(k);
    const Matrix& own = visits_.kernel(k);
    const Index count = block.cols();
    Matrix h = product(sums_, true, block, false);  // (class, task) x sample
    std::vector<double> scratch(static_cast<std::size_t>(classes_));
    std::vector<Move> moves;
    for (Index b = 0; b < tasks_; ++b) {
      Label* labels = labels_.data() + b * visits_.count() + k * kBlock;
      moves.clear();
      for (Index i = 0; i < count; ++i) {
        double* weights = h.col(i).data() + b * classes_;
        const Label before = labels[i];
        if (before >= 0) weights[before] -= own(i, i);
        for (Index c = 0; c < classes_; ++c)
          scratch[static_cast<std::size_t>(c)] = weight_ * weights[c];
        const Label now =
            draw(scratch.data(), classes_, random_[static_cast<std::size_t>(b)].uniform());
        labels[i] = now;
        if (now == before) continue;
        for (Index j = i + 1; j < count; ++j) {
          double* later = h.col(j).data() + b * classes_;
          later[now] += own(j, i);
          if (before >= 0) later[before] -= own(j, i);
        }
        moves.push_back({i, before, now});
      }
      carry_out(block, moves, sums_.col(b * classes_).data());
    }
  }

  // By stretches of rows that stay in the nearest cache for all moves of a task.
  void carry_out(const Matrix& block, const std::vector<Move>& moves, double* sums) const {
    constexpr Index stretch = 128;
    const Index dim = visits_.rows();
    for (Index d = 0; d < dim; d += stretch) {
      const Index rows = std::min(stretch, dim - d);
      for (const Move& move : moves) {
        const double* sample = block.col(move.sample).data() + d;
        add_to(sample, rows, sums + move.to * dim + d);
        if (move.from >= 0) take_from(sample, rows, sums + move.from * dim + d);
      }
    }
  }

  const Visits& visits_;
  Index classes_;
  Index tasks_;
  double weight_;
  Matrix sums_;                // of the samples of each class, r x (class, task)
  std::vector<Label> labels_;  // task after task, in the order of the visit; -1 = none yet
  std::vector<Random> random_;
};

}  // namespace

SampledLabels sample_tasks(ThreadPool& pool, const Matrix& z, const SampleOptions& options,
                           const ProgressCallback& progress, bool natural_order) {
  const Index n = z.cols();
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  if (!natural_order) order = Random(options.seed).permutation(n);
  const Visits visits(pool, z, std::move(order));
  SampledLabels out{std::vector<Label>(static_cast<std::size_t>(options.tasks * n)),
                    Vector(options.tasks)};
  const Index groups = (options.tasks + kGroup - 1) / kGroup;
  std::mutex mutex;
  Index done = 0;
  const auto finished = static_cast<double>(groups * (1 + options.gibbs_sweeps));
  pool.run(groups, [&](Index group) {
    const Index first = group * kGroup;
    const Index tasks = std::min(kGroup, options.tasks - first);
    Sampler sampler(visits, options, first, tasks);
    for (int sweep = 0; sweep <= options.gibbs_sweeps; ++sweep) {
      sampler.sweep();
      const std::lock_guard lock(mutex);
      if (progress) progress(static_cast<double>(++done) / finished, "tasks");
    }
    for (Index b = 0; b < tasks; ++b) {
      out.trace[first + b] = sampler.trace(b);
      for (Index i = 0; i < n; ++i)
        out.labels[static_cast<std::size_t>((first + b) * n + visits.sample(i))] =
            sampler.label(b, i);
    }
  });
  return out;
}

double adjusted_rand(const Label* a, const Label* b, Index count, Index classes) {
  Matrix together = Matrix::Zero(classes, classes);
  for (Index i = 0; i < count; ++i) together(a[i], b[i]) += 1.0;
  const auto pairs = [](const auto& counts) {
    return (counts.array() * (counts.array() - 1.0)).sum() / 2.0;
  };
  const double both = pairs(together);
  const double in_a = pairs(together.rowwise().sum());
  const double in_b = pairs(together.colwise().sum());
  const auto n = static_cast<double>(count);
  const double expected = in_a * in_b / (n * (n - 1.0) / 2.0);
  const double most = 0.5 * (in_a + in_b);
  return most > expected ? (both - expected) / (most - expected) : 1.0;
}

Matrix prefix_probabilities(const Matrix& z, const std::vector<Index>& order,
                            const std::vector<Label>& labels, Index classes, double temperature) {
  Matrix sums = Matrix::Zero(z.rows(), classes);
  Matrix out(classes, z.cols());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto sample = z.col(order[i]);
    auto p = out.col(static_cast<Index>(i));
    p = sums.transpose() * sample / temperature;
    const double sum = exponentiate(p.data(), classes);
    p /= sum;
    sums.col(labels[static_cast<std::size_t>(order[i])]) += sample;
  }
  return out.transpose();
}

Matrix pivoted_cholesky(const Vector& diagonal, const std::function<Vector(Index)>& column,
                        const std::string& where) {
  constexpr double negligible = 1e-10;
  const Index n = diagonal.size();
  Vector left = diagonal;
  const double trace = diagonal.sum();
  Index capacity = std::min<Index>(n, 64);
  Matrix rows(n, capacity);  // columns of L, n each
  Index rank = 0;
  while (rank < n) {
    Index pivot = 0;
    const double largest = left.maxCoeff(&pivot);
    const double smallest = left.minCoeff();
    if (smallest < -1e-8 * trace || !(trace > 0.0)) {
      fail_input(fmt::format(
          "{}: not a kernel: it is not positive semi-definite (rest {:g} of trace {:g})", where,
          smallest, trace));
    }
    if (left.cwiseMax(0.0).sum() <= negligible * trace || largest <= 0.0) break;
    if (rank == capacity) {
      capacity = std::min(n, 2 * capacity);
      rows.conservativeResize(Eigen::NoChange, capacity);
    }
    Vector next = column(pivot);
    next -= rows.leftCols(rank) * rows.row(pivot).head(rank).transpose();
    next /= std::sqrt(largest);
    rows.col(rank) = next;
    left -= next.cwiseAbs2();
    left[pivot] = 0.0;
    ++rank;
  }
  return rows.leftCols(rank).transpose();
}

}  // namespace assay
