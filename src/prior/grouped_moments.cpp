#include "prior/grouped_moments.h"

#include <algorithm>

#include "linalg/gram.h"
#include "prior/edges.h"

namespace assay {
namespace {

std::vector<std::vector<Index>> members_of(const std::vector<Label>& group) {
  const Label largest = *std::max_element(group.begin(), group.end());
  std::vector<std::vector<Index>> out(static_cast<std::size_t>(largest) + 1);
  for (std::size_t i = 0; i < group.size(); ++i)
    out[static_cast<std::size_t>(group[i])].push_back(static_cast<Index>(i));
  return out;
}

}  // namespace

template <typename T>
GroupedSums grouped_sums(ThreadPool& pool, const Kernel<T>& model,
                         const std::vector<Label>& group) {
  const auto& z = model.factor();
  const std::vector<std::vector<Index>> members = members_of(group);
  Matrix sums(z.rows(), static_cast<Index>(members.size()));
  std::vector<GroupedSums> parts(members.size());
  pool.run(static_cast<Index>(members.size()), [&](Index c) {
    const typename Kernel<T>::Values own = z(Eigen::all, members[static_cast<std::size_t>(c)]);
    GroupedSums& part = parts[static_cast<std::size_t>(c)];
    sums.col(c) = own.template cast<double>().rowwise().sum();
    part.within = sums.col(c).squaredNorm();
    const bool few = own.cols() < own.rows();
    part.squares_within =
        few ? product(own, true, own, false).template cast<double>().squaredNorm()
            : product(own, false, own, true).template cast<double>().squaredNorm();
    for (Index i = 0; i < own.cols(); ++i) {
      const double square = own.col(i).template cast<double>().squaredNorm();
      part.trace += square;
      part.squares_diagonal += square * square;
    }
  });
  const double scale = model.scale();
  GroupedSums out;
  for (const GroupedSums& part : parts) {
    out.within += scale * part.within;
    out.trace += scale * part.trace;
    out.squares_within += scale * scale * part.squares_within;
    out.squares_diagonal += scale * scale * part.squares_diagonal;
  }
  out.all = scale * sums.rowwise().sum().squaredNorm();
  out.squares_all = model.squared_norm(pool);
  return out;
}

// Theorem 3.6 of Task Priors for a prior kernel that is 1 within groups and 0 between: only three
// kinds of edges differ, the diagonal, pairs within a group and pairs between groups, so three sums
// of M suffice.
TaskMoments grouped_moments(const GroupedSums& sums, double temperature, Graph graph) {
  const Edge apart = edge(0.0);
  const Edge self = edge(1.0 / temperature);
  if (graph == Graph::directed) {
    return {
        apart.probability * sums.all + (self.probability - apart.probability) * sums.within,
        apart.variance * sums.squares_all + (self.variance - apart.variance) * sums.squares_within,
        0.0, 0.0};
  }
  const Edge together = edge(2.0 / temperature);
  const double within = sums.within - sums.trace;
  const double squares_within = sums.squares_within - sums.squares_diagonal;
  return {self.probability * sums.trace + apart.probability * (sums.all - sums.trace) +
              (together.probability - apart.probability) * within,
          self.variance * sums.squares_diagonal +
              2.0 * (apart.variance * (sums.squares_all - sums.squares_diagonal) +
                     (together.variance - apart.variance) * squares_within),
          0.0, 0.0};
}

template GroupedSums grouped_sums(ThreadPool&, const Kernel<float>&, const std::vector<Label>&);
template GroupedSums grouped_sums(ThreadPool&, const Kernel<double>&, const std::vector<Label>&);

}  // namespace assay
