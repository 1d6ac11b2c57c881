#include "metrics/soft_neighbours.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/random.h"
#include "linalg/gram.h"

namespace assay {
namespace {

constexpr Index kSoftTile = 128;   // samples one task looks at
constexpr Index kChoosing = 512;   // samples that choose b
constexpr int kTemperatures = 41;  // b = 2^-4 ... 2^16, by sqrt(2)

double temperature_at(int step) { return std::exp2(-4.0 + 0.5 * static_cast<double>(step)); }

class SoftNeighbours {
 public:
  explicit SoftNeighbours(const Samples& samples) : samples_(samples), unit_(samples.features()) {
    for (Index i = 0; i < unit_.cols(); ++i) {
      const double largest = unit_.col(i).cwiseAbs().maxCoeff();
      if (largest > 0.0) unit_.col(i) = (unit_.col(i) / largest).normalized();
    }
  }

  // Log likelihoods of the chosen samples, each under each b: b x chosen.
  Matrix at(std::span<const Index> chosen, std::span<const double> temperatures) const {
    Matrix out(std::ssize(temperatures), std::ssize(chosen));
    samples_.pool().run((out.cols() + kSoftTile - 1) / kSoftTile, [&](Index task) {
      const Index first = task * kSoftTile;
      const Index count = std::min(kSoftTile, out.cols() - first);
      const std::vector<Index> tile(chosen.begin() + first, chosen.begin() + first + count);
      const Matrix cosines = product(unit_, true, Matrix(unit_(Eigen::all, tile)), false);
      for (Index i = 0; i < count; ++i) {
        for (Index k = 0; k < out.rows(); ++k) {
          out(k, first + i) = likelihood(cosines.col(i), tile[static_cast<std::size_t>(i)],
                                         temperatures[static_cast<std::size_t>(k)]);
        }
      }
    });
    return out;
  }

 private:
  Label label(Index i) const { return samples_.labels()[static_cast<std::size_t>(i)]; }

  // log(own / (own + others)), the sums of weights of the two kinds of neighbours.
  template <typename Column>
  double likelihood(const Column& cosines, Index self, double b) const {
    const double own = log_sum(cosines, self, b, true);
    if (!std::isfinite(own)) return std::numeric_limits<double>::quiet_NaN();
    const double odds = log_sum(cosines, self, b, false) - own;
    return odds > 0.0 ? -odds - std::log1p(std::exp(-odds)) : -std::log1p(std::exp(odds));
  }

  // log of the sum of exp(b cosine) over the neighbours of the sample's own class, or of others.
  template <typename Column>
  double log_sum(const Column& cosines, Index self, double b, bool own) const {
    double most = -std::numeric_limits<double>::infinity();
    for (Index j = 0; j < cosines.size(); ++j)
      if (j != self && (label(j) == label(self)) == own) most = std::max(most, cosines[j]);
    if (!std::isfinite(most)) return most;
    double sum = 0.0;
    for (Index j = 0; j < cosines.size(); ++j) {
      if (j != self && (label(j) == label(self)) == own) sum += std::exp(b * (cosines[j] - most));
    }
    return b * most + std::log(sum);
  }

  const Samples& samples_;
  Matrix unit_;  // D x n
};

double mean_known(const Eigen::Ref<const Eigen::RowVectorXd>& values) {
  double sum = 0.0;
  double count = 0.0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    count += 1.0;
  }
  return count > 0.0 ? sum / count : 0.0;
}

}  // namespace

std::vector<double> soft_neighbour_likelihood(const Samples& samples) {
  const SoftNeighbours neighbours(samples);
  std::vector<double> temperatures;
  for (int step = 0; step < kTemperatures; ++step) temperatures.push_back(temperature_at(step));
  // The draw is no choice of the user's: the same samples give the same score.
  std::vector<Index> drawn = Random(1).permutation(samples.count());
  drawn.resize(static_cast<std::size_t>(std::min(kChoosing, samples.count())));
  const Matrix seen = neighbours.at(drawn, temperatures);
  Index best = 0;
  for (Index k = 1; k < seen.rows(); ++k)
    if (mean_known(seen.row(k)) > mean_known(seen.row(best))) best = k;
  std::vector<Index> all;
  for (Index i = 0; i < samples.count(); ++i) all.push_back(i);
  const Matrix found = neighbours.at(all, {&temperatures[static_cast<std::size_t>(best)], 1});
  return {found.row(0).begin(), found.row(0).end()};
}

}  // namespace assay
