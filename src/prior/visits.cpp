#include "prior/visits.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.h"
#include "linalg/gram.h"

namespace assay {
namespace {

// Samples whose products are taken together. At least 64 blocks where there are 512 samples or
// more, so that few tasks begin with the same one.
Index block_side(Index count) { return std::clamp<Index>(count / 64, 8, 64); }

std::vector<Index> in_sequence(Index count) {
  std::vector<Index> out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

}  // namespace

template <typename T>
Visits<T>::Visits(ThreadPool& pool, const TaskPrior<T>& prior, std::uint64_t seed,
                  bool natural_order)
    : samples_(natural_order ? in_sequence(prior.count())
                             : Random(seed).permutation(prior.count())),
      seed_(seed),
      natural_order_(natural_order),
      side_(block_side(prior.count())),
      kernels_(static_cast<std::size_t>((prior.count() + side_ - 1) / side_)) {
  Index rank = 0;
  for (const Kernel<T>& kernel : prior.kernels) rank += kernel.factor().rows();
  z_.resize(rank, count());
  for (const std::vector<Label>& group : prior.groupings) {
    std::vector<Label> own;
    for (const Index i : samples_) own.push_back(group[static_cast<std::size_t>(i)]);
    groupings_.push_back(std::move(own));
  }
  pool.run(blocks(), [&](Index k) {
    const Index begin = first(k);
    const Index end = std::min(begin + side_, count());
    for (Index position = begin; position < end; ++position) {
      Index row = 0;
      for (const Kernel<T>& kernel : prior.kernels) {
        const auto& f = kernel.factor();
        z_.col(position).segment(row, f.rows()) =
            static_cast<T>(std::sqrt(kernel.scale())) * f.col(sample(position));
        row += f.rows();
      }
    }
    const auto own = z_.middleCols(begin, end - begin);
    Values values = product(own, true, own, false);
    for (const std::vector<Label>& group : groupings_) {
      const Label* label = group.data() + begin;
      for (Index j = 0; j < values.cols(); ++j)
        for (Index i = 0; i < values.rows(); ++i)
          if (label[i] == label[j]) values(i, j) += T{1};
    }
    kernels_[static_cast<std::size_t>(k)] = std::move(values);
  });
}

template <typename T>
std::vector<Index> Visits<T>::order(Index task) const {
  if (natural_order_) return in_sequence(count());
  Random random(mixed_seed(seed_, static_cast<std::uint64_t>(task)));
  std::vector<Index> out;
  out.reserve(samples_.size());
  for (const Index k : random.permutation(blocks()))
    for (const Index i : random.permutation(size(k))) out.push_back(first(k) + i);
  return out;
}

template class Visits<float>;
template class Visits<double>;

}  // namespace assay
