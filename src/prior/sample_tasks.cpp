#include "prior/sample_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "assay/error.h"
#include "core/dispatch.h"
#include "core/random.h"
#include "linalg/gram.h"

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

// Samples in the order of their visit, by blocks, with the kernel within each block and the sums
// over all classes, which no label changes.
class Visits {
 public:
  Visits(ThreadPool& pool, const Matrix& z, std::vector<Index> order)
      : z_(z),
        order_(std::move(order)),
        kernels_(static_cast<std::size_t>(blocks())),
        earlier_(count()),
        others_(count()),
        total_(Vector::Zero(rows())) {
    pool.run(blocks(), [&](Index k) {
      const Matrix samples = block(k);
      kernels_[static_cast<std::size_t>(k)] = product(samples, true, samples, false);
    });
    for (Index i = 0; i < count(); ++i) {
      earlier_[i] = z_.col(sample(i)).dot(total_);
      total_ += z_.col(sample(i));
    }
    for (Index i = 0; i < count(); ++i)
      others_[i] = z_.col(sample(i)).dot(total_) - z_.col(sample(i)).squaredNorm();
  }

  Index rows() const { return z_.rows(); }
  Index count() const { return z_.cols(); }
  Index blocks() const { return (z_.cols() + kBlock - 1) / kBlock; }
  Index sample(Index position) const { return order_[static_cast<std::size_t>(position)]; }
  const Matrix& kernel(Index k) const { return kernels_[static_cast<std::size_t>(k)]; }

  // The kernel between the sample at a position and all before it, or all others, summed up.
  double with_earlier(Index position) const { return earlier_[position]; }
  double with_others(Index position) const { return others_[position]; }
  const Vector& total() const { return total_; }

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
  Vector earlier_;
  Vector others_;
  Vector total_;  // of all samples
};

void add_to(const double* from, Index count, double* to) {
  for (Index r = 0; r < count; ++r) to[r] += from[r];
}

void take_from(const double* from, Index count, double* to) {
  for (Index r = 0; r < count; ++r) to[r] -= from[r];
}

// Some tasks drawn together. The last class is not summed up: it holds what the others leave of the
// totals, which saves one product in q.
class Sampler {
 public:
  Sampler(const Visits& visits, const SampleOptions& options, Index first_task, Index tasks)
      : visits_(visits),
        last_(static_cast<Label>(options.classes - 1)),
        tasks_(tasks),
        weight_((options.gibbs_sweeps > 0 ? 2.0 : 1.0) / options.temperature),
        sums_(Matrix::Zero(visits.rows(), last_ * tasks)),
        labels_(static_cast<std::size_t>(tasks * visits.count()), Label{-1}),
        weights_(static_cast<std::size_t>(options.classes)) {
    for (Index b = 0; b < tasks; ++b) random_.emplace_back(stream_of(options.seed, first_task + b));
  }

  // Visits every sample once. On the first visit samples have no label yet: the prefix sampler;
  // afterwards they leave their class before they draw a new one: a Gibbs sweep.
  void sweep() {
    for (Index k = 0; k < visits_.blocks(); ++k) {
      const Matrix block = visits_.block(k);
      Matrix h = product(block, true, sums_, false);  // sample x (class, task)
      for (Index b = 0; b < tasks_; ++b) {
        draw_labels(k, b, h.col(b * last_).data());
        carry_out_moves(block, sums_.col(b * last_).data());
      }
    }
  }

  Label label(Index task, Index position) const {
    return labels_[static_cast<std::size_t>(task * visits_.count() + position)];
  }

  // Tr(KG) = sum_c |sum of z over c|^2.
  double trace(Index task) const {
    const auto sums = sums_.middleCols(task * last_, last_);
    return sums.squaredNorm() + (visits_.total() - sums.rowwise().sum()).squaredNorm();
  }

 private:
  struct Move {
    Index sample;  // in the block
    Label from;    // or -1
    Label to;
  };

  bool is_summed(Label label) const { return label >= 0 && label < last_; }

  // `h`: the kernel between each sample of the block and each class but the last, class by class.
  void draw_labels(Index k, Index task, double* h) {
    const Matrix& own = visits_.kernel(k);
    const Index count = own.cols();
    Label* labels = labels_.data() + task * visits_.count() + k * kBlock;
    Random& random = random_[static_cast<std::size_t>(task)];
    moves_.clear();
    for (Index i = 0; i < count; ++i) {
      const Label before = labels[i];
      if (is_summed(before)) h[before * count + i] -= own(i, i);
      const Index position = k * kBlock + i;
      double rest = before < 0 ? visits_.with_earlier(position) : visits_.with_others(position);
      for (Index c = 0; c < last_; ++c) {
        rest -= h[c * count + i];
        weights_[static_cast<std::size_t>(c)] = weight_ * h[c * count + i];
      }
      weights_.back() = weight_ * rest;
      const Label now = draw(weights_.data(), last_ + 1, random.uniform());
      labels[i] = now;
      if (now == before) continue;
      const double* later = own.col(i).data() + i + 1;
      const Index left = count - i - 1;
      if (is_summed(now)) for_this_processor<add_to>(later, left, h + now * count + i + 1);
      if (is_summed(before)) for_this_processor<take_from>(later, left, h + before * count + i + 1);
      moves_.push_back({i, before, now});
    }
  }

  // By stretches of rows that stay in the nearest cache for all moves of a task.
  void carry_out_moves(const Matrix& block, double* sums) const {
    constexpr Index stretch = 128;
    const Index dim = visits_.rows();
    for (Index d = 0; d < dim; d += stretch) {
      const Index rows = std::min(stretch, dim - d);
      for (const Move& move : moves_) {
        const double* sample = block.col(move.sample).data() + d;
        if (is_summed(move.to)) for_this_processor<add_to>(sample, rows, sums + move.to * dim + d);
        if (is_summed(move.from))
          for_this_processor<take_from>(sample, rows, sums + move.from * dim + d);
      }
    }
  }

  const Visits& visits_;
  Label last_;  // class
  Index tasks_;
  double weight_;
  Matrix sums_;                // of the samples of each class but the last, r x (class, task)
  std::vector<Label> labels_;  // task after task, in the order of the visit; -1 = none yet
  std::vector<Random> random_;
  std::vector<double> weights_;  // of the classes in one draw
  std::vector<Move> moves_;      // of one task in one block
};

}  // namespace

// Task Priors, section 4.1: Algorithm 1 is the prefix sampler; Gibbs sweeps then draw each label
// given all others, from the distribution that Algorithm 1 approximates.
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
