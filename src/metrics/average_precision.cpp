#include "metrics/average_precision.h"

#include <algorithm>
#include <numeric>

namespace assay {
namespace {

struct Ranked {
  std::vector<Index> order;    // best score first
  std::vector<bool> positive;  // in that order
  std::vector<double> hits;    // positives up to here, the whole run of equal scores included
  std::vector<double> places;  // samples up to there
  double positives = 0.0;
};

Ranked ranked(const Eigen::Ref<const Vector>& target, const Eigen::Ref<const Vector>& score) {
  const Index n = target.size();
  Ranked out;
  out.order.resize(static_cast<std::size_t>(n));
  std::iota(out.order.begin(), out.order.end(), Index{0});
  std::stable_sort(out.order.begin(), out.order.end(),
                   [&](Index a, Index b) { return score[a] > score[b]; });
  const double middle = 0.5 * (target.minCoeff() + target.maxCoeff());
  out.hits.resize(out.order.size());
  out.places.resize(out.order.size());
  for (std::size_t first = 0; first < out.order.size();) {
    std::size_t end = first;
    while (end < out.order.size() && score[out.order[end]] == score[out.order[first]]) {
      out.positive.push_back(target[out.order[end]] > middle);
      out.positives += out.positive.back() ? 1.0 : 0.0;
      ++end;
    }
    for (std::size_t k = first; k < end; ++k) {
      out.hits[k] = out.positives;
      out.places[k] = static_cast<double>(end);
    }
    first = end;
  }
  return out;
}

// Average precision as average_precision.h defines it; its pseudo-values by sums from the end, O(n)
// a column.
// n AP - (n - 1) AP without the sample, for every sample of one column. A positive sample at k adds
// hits_k / places_k; without a sample at or above its run both lose what that sample counted.
void add_column(const Ranked& r, double weight, std::vector<double>& out, double& value) {
  const std::size_t n = r.order.size();
  // From the end: sums over positives below, of their precision as it would be without a positive
  // or a negative sample above them.
  std::vector<double> plain(n + 1, 0.0), less_hit(n + 1, 0.0), less_miss(n + 1, 0.0);
  for (std::size_t k = n; k-- > 0;) {
    const double counts = r.positive[k] ? 1.0 : 0.0;
    const double rest = std::max(1.0, r.places[k] - 1.0);
    plain[k] = plain[k + 1] + counts * r.hits[k] / r.places[k];
    less_hit[k] = less_hit[k + 1] + counts * (r.hits[k] - 1.0) / rest;
    less_miss[k] = less_miss[k + 1] + counts * std::min(r.hits[k], rest) / rest;
  }
  const double total = plain[0];
  const double precision = total / r.positives;
  value += weight * precision;
  const auto rows = static_cast<double>(n);
  std::size_t run = 0;  // where the run of k begins: the sample counts from there on
  for (std::size_t k = 0; k < n; ++k) {
    if (k == 0 || r.places[k] != r.places[k - 1]) run = k;
    const double above = total - plain[run];
    double without = precision;
    if (r.positive[k]) {
      const double own = (r.hits[k] - 1.0) / std::max(1.0, r.places[k] - 1.0);
      if (r.positives > 1.0) without = (above + less_hit[run] - own) / (r.positives - 1.0);
    } else {
      without = (above + less_miss[run]) / r.positives;
    }
    out[static_cast<std::size_t>(r.order[k])] +=
        weight * (rows * precision - (rows - 1.0) * without);
  }
}

}  // namespace

std::vector<double> average_precision_by_sample(const Matrix& targets, const Matrix& scores) {
  std::vector<double> out(static_cast<std::size_t>(targets.rows()), 0.0);
  double value = 0.0;
  for (Index c = 0; c < targets.cols(); ++c)
    add_column(ranked(targets.col(c), scores.col(c)), 1.0 / static_cast<double>(targets.cols()),
               out, value);
  const double mean =
      std::accumulate(out.begin(), out.end(), 0.0) / static_cast<double>(out.size());
  for (double& one : out) one += value - mean;
  return out;
}

double mean_share_of_positives(const Matrix& targets) {
  double sum = 0.0;
  for (Index c = 0; c < targets.cols(); ++c) {
    const double middle = 0.5 * (targets.col(c).minCoeff() + targets.col(c).maxCoeff());
    sum += (targets.col(c).array() > middle).cast<double>().mean();
  }
  return sum / static_cast<double>(targets.cols());
}

}  // namespace assay
