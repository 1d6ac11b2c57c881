#include "plain_bootstrap.h"

#include <algorithm>

#include "core/random.h"
#include "rank/consensus.h"

namespace assay::study {

double BootstrapRanges::mean_width() const {
  double sum = 0.0;
  for (std::size_t i = 0; i < low.size(); ++i) sum += static_cast<double>(high[i] - low[i] + 1);
  return sum / static_cast<double>(low.size());
}

BootstrapRanges plain_bootstrap(Index units, Index draws, double level, std::uint64_t seed,
                                const ScoreDraw& score) {
  Random random(seed);
  std::vector<std::vector<Index>> ranks;  // per model, per draw
  for (Index draw = 0; draw < draws; ++draw) {
    std::vector<Index> times(static_cast<std::size_t>(units), 0);
    for (Index i = 0; i < units; ++i) ++times[static_cast<std::size_t>(random.below(units))];
    const std::vector<double> mean = mean_ranks(score(times));
    ranks.resize(mean.size());
    for (std::size_t i = 0; i < mean.size(); ++i) {
      const auto better =
          std::count_if(mean.begin(), mean.end(), [&](double other) { return other < mean[i]; });
      ranks[i].push_back(static_cast<Index>(better) + 1);
    }
  }
  BootstrapRanges out;
  const auto tail = static_cast<std::size_t>(0.5 * (1.0 - level) * static_cast<double>(draws));
  for (std::vector<Index>& of_model : ranks) {
    std::sort(of_model.begin(), of_model.end());
    out.low.push_back(of_model[tail]);
    out.high.push_back(of_model[of_model.size() - 1 - tail]);
  }
  return out;
}

}  // namespace assay::study
