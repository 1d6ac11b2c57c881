#include "prior/task_prior.h"

#include <cmath>
#include <limits>

#include "prior/edges.h"
#include "prior/grouped_moments.h"
#include "prior/tiles.h"

namespace assay {

template <typename T>
Index TaskPrior<T>::count() const {
  return kernels.empty() ? static_cast<Index>(groupings.front().size()) : kernels.front().count();
}

template <typename T>
double TaskPrior<T>::entry(Index i, Index j) const {
  double sum = 0.0;
  for (const Kernel<T>& kernel : kernels) sum += kernel.entry(i, j);
  for (const std::vector<Label>& group : groupings)
    sum += group[static_cast<std::size_t>(i)] == group[static_cast<std::size_t>(j)] ? 1.0 : 0.0;
  return sum;
}

template <typename T>
typename Kernel<T>::Values TaskPrior<T>::tile(Index i, Index rows, Index j, Index cols) const {
  typename Kernel<T>::Values out;
  if (kernels.empty()) {
    out.setZero(rows, cols);
  } else {
    out = kernels.front().tile(i, rows, j, cols);
    for (std::size_t k = 1; k < kernels.size(); ++k) out += kernels[k].tile(i, rows, j, cols);
  }
  for (const std::vector<Label>& group : groupings) {
    const Label* label = group.data();
    for (Index c = 0; c < cols; ++c)
      for (Index r = 0; r < rows; ++r) out(r, c) += label[i + r] == label[j + c] ? T{1} : T{0};
  }
  return out;
}

namespace {

// What the diagonal adds beyond what was summed as if it were off it: an edge from a sample to
// itself counts once, with K / T, where a pair counts twice, with 2 K / T.
template <typename T>
void correct_diagonal(const typename Kernel<T>::Values& prior,
                      const typename Kernel<T>::Values& model, double inverse_temperature,
                      double& expectation, double& variance) {
  double once = 0.0;
  double twice = 0.0;
  for (Index i = 0; i < prior.rows(); ++i) {
    const double x = static_cast<double>(prior(i, i)) * inverse_temperature;
    const auto m = static_cast<double>(model(i, i));
    expectation += m * (edge(x).probability - edge(2.0 * x).probability);
    once += m * m * edge(x).variance;
    twice += m * m * edge(2.0 * x).variance;
  }
  // variance holds every ordered pair once; a pair i < j counts 4 M^2, so an ordered one 2 M^2.
  variance = 2.0 * (variance - twice) + once;
}

template <typename T>
class TileSums {
 public:
  TileSums(const TaskPrior<T>& prior, std::span<const Kernel<T>* const> models,
           std::span<const double> temperatures, Graph graph)
      : prior_(prior), models_(models), temperatures_(temperatures), graph_(graph) {}

  Index width() const {
    return 2 * static_cast<Index>(models_.size()) * static_cast<Index>(temperatures_.size());
  }

  // For each temperature the expectations of all models, then their variances.
  void operator()(const Tile& t, double* out) const {
    using Values = typename Kernel<T>::Values;
    const Values k = prior_.tile(t.row, t.rows, t.col, t.cols);
    std::vector<Values> m;
    std::vector<const T*> data;
    for (const Kernel<T>* model : models_) m.push_back(model->tile(t.row, t.rows, t.col, t.cols));
    for (const Values& values : m) data.push_back(values.data());
    const auto count = static_cast<Index>(models_.size());
    for (const double temperature : temperatures_) {
      const double inverse = 1.0 / temperature;
      const double factor = graph_ == Graph::undirected ? 2.0 * inverse : inverse;
      double* expectation = out;
      double* variance = out + count;
      add_edges(k.data(), factor, data, k.size(), expectation, variance);
      for (Index i = 0; i < count; ++i) {
        if (graph_ == Graph::undirected) {
          if (t.diagonal())
            correct_diagonal<T>(k, m[static_cast<std::size_t>(i)], inverse, expectation[i],
                                variance[i]);
          else
            variance[i] *= 2.0;
        }
        expectation[i] *= t.weight();
        variance[i] *= t.weight();
      }
      out += 2 * count;
    }
  }

 private:
  const TaskPrior<T>& prior_;
  std::span<const Kernel<T>* const> models_;
  std::span<const double> temperatures_;
  Graph graph_;
};

}  // namespace

// Theorem 3.6 of Task Priors, tile by tile: E = sum M s, Var = sum M^2 s (1 - s).
template <typename T>
std::vector<TaskMoments> task_moments(ThreadPool& pool, const TaskPrior<T>& prior,
                                      std::span<const Kernel<T>* const> models,
                                      std::span<const double> temperatures, Graph graph,
                                      const ProgressCallback& progress) {
  std::vector<TaskMoments> out(models.size() * temperatures.size());
  const bool grouped = prior.kernels.empty() && prior.groupings.size() == 1;
  std::vector<const Kernel<T>*> by_tiles;
  std::vector<std::size_t> place;
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (grouped && models[i]->has_factor()) {
      const GroupedSums sums = grouped_sums(pool, *models[i], prior.groupings.front());
      for (std::size_t t = 0; t < temperatures.size(); ++t)
        out[i * temperatures.size() + t] = grouped_moments(sums, temperatures[t], graph);
    } else {
      by_tiles.push_back(models[i]);
      place.push_back(i);
    }
  }
  if (by_tiles.empty()) return out;
  const TileSums<T> work(prior, by_tiles, temperatures, graph);
  const std::vector<double> sums = sum_over_tiles(
      pool, prior.count(), work.width(), [&](const Tile& tile, double* to) { work(tile, to); },
      [&](Index done, Index all) {
        if (progress) progress(static_cast<double>(done) / static_cast<double>(all), "pairs");
      });
  for (std::size_t t = 0; t < temperatures.size(); ++t) {
    for (std::size_t i = 0; i < by_tiles.size(); ++i) {
      const std::size_t at = 2 * t * by_tiles.size() + i;
      out[place[i] * temperatures.size() + t] = {sums[at], sums[at + by_tiles.size()], 0.0, 0.0};
    }
  }
  return out;
}

template <typename T>
double median_temperature(const TaskPrior<T>& prior, std::uint64_t seed) {
  // Groups leave most pairs at zero, which says nothing about the scale of the others.
  return median_over_pairs(prior.count(), seed, [&](Index i, Index j) {
    const double entry = std::abs(prior.entry(i, j));
    return entry > 0.0 ? entry : std::numeric_limits<double>::quiet_NaN();
  });
}

template struct TaskPrior<float>;
template struct TaskPrior<double>;
template std::vector<TaskMoments> task_moments(ThreadPool&, const TaskPrior<float>&,
                                               std::span<const Kernel<float>* const>,
                                               std::span<const double>, Graph,
                                               const ProgressCallback&);
template std::vector<TaskMoments> task_moments(ThreadPool&, const TaskPrior<double>&,
                                               std::span<const Kernel<double>* const>,
                                               std::span<const double>, Graph,
                                               const ProgressCallback&);
template double median_temperature(const TaskPrior<float>&, std::uint64_t);
template double median_temperature(const TaskPrior<double>&, std::uint64_t);

}  // namespace assay
