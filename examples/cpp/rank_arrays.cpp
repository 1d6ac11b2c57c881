// Ranks two representations that a program holds in memory, with nothing but the installed package:
//
//     find_package(assay REQUIRED)
//     target_link_libraries(rank_arrays PRIVATE assay::assay)
#include <cstdint>
#include <cstdio>
#include <exception>
#include <random>
#include <vector>

#include "assay/rank.h"
#include "assay/version.h"

namespace {

constexpr assay::Index kSamples = 240;
constexpr assay::Index kClasses = 3;

// Class means `distance` apart under unit noise: the larger it is, the better the representation.
assay::Matrix representation(const std::vector<std::int64_t>& labels, double distance,
                             unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> noise;
  assay::Matrix features(kSamples, 8);
  for (assay::Index i = 0; i < features.rows(); ++i) {
    for (assay::Index j = 0; j < features.cols(); ++j) features(i, j) = noise(engine);
    features(i, labels[static_cast<std::size_t>(i)]) += distance;
  }
  return features;
}

}  // namespace

int main() try {
  std::vector<std::int64_t> labels;
  for (assay::Index i = 0; i < kSamples; ++i) labels.push_back(i % kClasses);

  assay::RankRequest request;
  assay::choose_metrics(request, "default", "");
  request.memory_limit = assay::Index{1} << 30;
  request.hub.targets = assay::targets_of_classes(labels, "labels");
  for (const auto& [name, distance] : {std::pair{"weak", 1.0}, std::pair{"strong", 3.0}}) {
    const assay::Rows rows = assay::rows_of_matrix(representation(labels, distance, 7), name);
    request.hub.models.push_back({.name = name, .features = {}, .rows = rows});
  }

  assay::ThreadPool pool(2);
  const assay::RankResult result = assay::rank_hub(pool, request, {});
  std::printf("assay %s\n", assay::kVersion);
  for (const assay::Place& place : result.ranking.places) {
    const assay::ScoredModel& model = result.models[static_cast<std::size_t>(place.candidate)];
    std::printf("%lld. %s: %s %.3f\n", static_cast<long long>(place.rank), model.name.c_str(),
                model.scores.front().metric->name.data(), model.scores.front().score.value);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "rank_arrays: %s\n", error.what());
  return 2;
}
