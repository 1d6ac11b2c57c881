#include "prior/sample_tasks.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "core/random.h"
#include "linalg/gram.h"
#include "linalg/thin_product.h"
#include "prior/visits.h"

namespace assay {
namespace {

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

// One task. What samples say about a class is the product with the sum of those in it, plus, for
// each grouping, how many of the same group are in it.
template <typename T>
class Sampler {
 public:
  using Values = typename Kernel<T>::Values;

  Sampler(const Visits<T>& visits, const SampleOptions& options, Index task)
      : visits_(visits),
        classes_(options.classes),
        weight_((options.gibbs_sweeps > 0 ? 2.0 : 1.0) / options.temperature),
        order_(visits.order(task)),
        sums_(Values::Zero(visits.rows(), options.classes)),
        labels_(static_cast<std::size_t>(visits.count()), Label{-1}),
        random_(options.seed + 0x9E3779B97F4A7C15ULL * static_cast<std::uint64_t>(task + 1)),
        weights_(static_cast<std::size_t>(options.classes)) {
    for (const std::vector<Label>& group : visits.groupings()) {
      const Label groups = *std::max_element(group.begin(), group.end()) + 1;
      counts_.emplace_back(static_cast<std::size_t>(groups * options.classes), 0);
    }
  }

  // Visits every sample once. On the first visit samples have no label yet: the prefix sampler;
  // afterwards they leave their class before they draw a new one: a Gibbs sweep.
  void sweep() {
    for (Index begin = 0; begin < visits_.count();) {
      const Index k = order_[static_cast<std::size_t>(begin)] / visits_.first(1);
      const Index size = visits_.size(k);
      draw_labels(k, order_.data() + begin, support(k));
      begin += size;
    }
  }

  Label label(Index position) const { return labels_[static_cast<std::size_t>(position)]; }

  // Tr(KG) = sum_c |sum of z over c|^2, and the pairs of one group in one class.
  double trace() const {
    double sum = sums_.template cast<double>().squaredNorm();
    for (const std::vector<Index>& count : counts_)
      for (const Index c : count) sum += static_cast<double>(c) * static_cast<double>(c);
    return sum;
  }

 private:
  // The kernel between each sample of a block and each class, size x classes.
  Values support(Index k) const {
    const auto z = visits_.block(k);
    Values h;
    if (classes_ <= kThinColumns) {
      h.resize(classes_, z.cols());
      thin_project(sums_, z, h);
      h.transposeInPlace();
    } else {
      h = product(z, true, sums_, false);
    }
    for (std::size_t g = 0; g < counts_.size(); ++g) {
      const Label* group = visits_.groupings()[g].data() + visits_.first(k);
      for (Index c = 0; c < classes_; ++c)
        for (Index i = 0; i < h.rows(); ++i)
          h(i, c) += static_cast<T>(counts_[g][static_cast<std::size_t>(group[i] * classes_ + c)]);
    }
    return h;
  }

  void draw_labels(Index k, const Index* order, Values h) {
    const Values& own = visits_.kernel(k);
    const auto z = visits_.block(k);
    for (Index step = 0; step < own.cols(); ++step) {
      const Index position = order[step];
      const Index i = position - visits_.first(k);
      Label& label = labels_[static_cast<std::size_t>(position)];
      const Label before = label;
      if (before >= 0) h(i, before) -= own(i, i);
      for (Index c = 0; c < classes_; ++c)
        weights_[static_cast<std::size_t>(c)] = weight_ * static_cast<double>(h(i, c));
      label = draw(weights_.data(), classes_, random_.uniform());
      if (label == before) continue;
      h.col(label) += own.col(i);
      sums_.col(label) += z.col(i);
      count(position, label, 1);
      if (before < 0) continue;
      h.col(before) -= own.col(i);
      sums_.col(before) -= z.col(i);
      count(position, before, -1);
    }
  }

  void count(Index position, Label label, Index change) {
    for (std::size_t g = 0; g < counts_.size(); ++g) {
      const Label group = visits_.groupings()[g][static_cast<std::size_t>(position)];
      counts_[g][static_cast<std::size_t>(group * classes_ + label)] += change;
    }
  }

  const Visits<T>& visits_;
  Index classes_;
  double weight_;
  std::vector<Index> order_;
  Values sums_;                             // of the samples of each class, r x classes
  std::vector<std::vector<Index>> counts_;  // per grouping: samples by group and class
  std::vector<Label> labels_;               // by position; -1 = none yet
  Random random_;
  std::vector<double> weights_;  // of the classes in one draw
};

}  // namespace

template <typename T>
SampledLabels sample_tasks(ThreadPool& pool, const TaskPrior<T>& prior,
                           const SampleOptions& options, const ProgressCallback& progress,
                           bool natural_order) {
  const Visits<T> visits(pool, prior, options.seed, natural_order);
  const Index n = visits.count();
  SampledLabels out{std::vector<Label>(static_cast<std::size_t>(options.tasks * n)),
                    Vector(options.tasks)};
  std::mutex mutex;
  Index done = 0;
  pool.run(options.tasks, [&](Index task) {
    Sampler<T> sampler(visits, options, task);
    for (int sweep = 0; sweep <= options.gibbs_sweeps; ++sweep) sampler.sweep();
    out.trace[task] = sampler.trace();
    Label* labels = out.labels.data() + task * n;
    for (Index position = 0; position < n; ++position)
      labels[visits.sample(position)] = sampler.label(position);
    const std::lock_guard lock(mutex);
    if (progress)
      progress(static_cast<double>(++done) / static_cast<double>(options.tasks), "tasks");
  });
  return out;
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

template SampledLabels sample_tasks(ThreadPool&, const TaskPrior<float>&, const SampleOptions&,
                                    const ProgressCallback&, bool);
template SampledLabels sample_tasks(ThreadPool&, const TaskPrior<double>&, const SampleOptions&,
                                    const ProgressCallback&, bool);

}  // namespace assay
