// The stages of LogME one by one, on one thread, and the whole score as `assay rank` computes it.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "assay/metric.h"
#include "assay/rows.h"
#include "assay/targets.h"
#include "assay/thread_pool.h"
#include "core/random.h"
#include "data/folds.h"
#include "data/moments_pass.h"
#include "linalg/tridiagonal.h"
#include "metrics/evidence.h"
#include "metrics/make_problem.h"
#include "rank/score_model.h"

namespace assay {
namespace {

constexpr Index kMemoryLimit = Index{1} << 30;

struct Sample {
  Rows rows;
  Targets targets;
};

// float32 features as a network leaves them: half zeros, scales that decay, classes apart in mean.
Sample network_features(Index count, Index dim, Index classes) {
  Random random(1);
  std::vector<float> centres(static_cast<std::size_t>(classes * dim));
  for (float& value : centres) value = static_cast<float>(random.normal());
  auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(count * dim) *
                                                        sizeof(float));
  std::vector<std::int64_t> ids;
  std::vector<float> row(static_cast<std::size_t>(dim));
  for (Index i = 0; i < count; ++i) {
    const Index label = i % classes;
    for (Index j = 0; j < dim; ++j) {
      const double hidden =
          random.normal() + 0.5 * centres[static_cast<std::size_t>(label * dim + j)];
      row[static_cast<std::size_t>(j)] =
          static_cast<float>(std::max(hidden, 0.0) / std::pow(static_cast<double>(j) + 1.0, 0.3));
    }
    std::memcpy(bytes->data() + static_cast<std::size_t>(i) * row.size() * sizeof(float),
                row.data(), row.size() * sizeof(float));
    ids.push_back(label);
  }
  Array array{ElementType::f32, 4, {count, dim}, false, *bytes, "features", nullptr, bytes};
  return {rows_of_array(std::move(array), {}), targets_of_classes(ids, "labels")};
}

void moments(benchmark::State& state, Precision precision) {
  const Index count = state.range(0);
  const Sample sample = network_features(count, state.range(1), 10);
  const std::vector<Index> one_bucket(static_cast<std::size_t>(count), 0);
  ThreadPool pool(1);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        accumulate_moments(pool, *sample.rows, sample.targets, one_bucket, 1, {precision}));
  }
  state.SetItemsProcessed(state.iterations() * count);
}

// The copy it works in place of is timed too: 8 p^2 bytes beside 4/3 p^3 flops.
void tridiagonal(benchmark::State& state) {
  const Index p = state.range(0);
  Random random(1);
  Matrix lower(p, p);
  for (double& value : lower.reshaped()) value = random.normal();
  const ThreadPool pool(1);  // holds OpenBLAS to one thread
  for (auto _ : state) benchmark::DoNotOptimize(tridiagonalize(lower));
  state.SetItemsProcessed(state.iterations() * p);
}

void evidence(benchmark::State& state) {
  const Index p = state.range(0);
  const Index columns = state.range(1);
  const Sample sample = network_features(std::max(2 * p, 2 * columns), p, columns);
  ThreadPool pool(1);
  const Problem problem =
      make_problem(pool, *sample.rows, sample.targets, /*center=*/false, kMemoryLimit);
  const Reduced& reduced = problem.reduced();
  for (auto _ : state) benchmark::DoNotOptimize(maximize_evidence(reduced, problem.active()));
  state.SetItemsProcessed(state.iterations() * columns);
}

void whole(benchmark::State& state) {
  const Index count = state.range(0);
  const Sample sample = network_features(count, state.range(1), 10);
  Folds folds;
  if (state.range(2) > 0) folds = stratified_folds(sample.targets, state.range(2), 0);
  ThreadPool pool(1);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        score_model({pool, *sample.rows, sample.targets, folds, {false, kMemoryLimit}, {}},
                    {&find_metric("logme")}));
  }
  state.SetItemsProcessed(state.iterations() * count);
}

void rows_by_dim(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"n", "d"})->Unit(benchmark::kMillisecond);
  bench->Args({1024, 256})->Args({4096, 256})->Args({4096, 768})->Args({4096, 2048});
}

BENCHMARK_CAPTURE(moments, float, Precision::float_products)->Apply(rows_by_dim);
BENCHMARK_CAPTURE(moments, double, Precision::double_products)->Apply(rows_by_dim);
BENCHMARK(tridiagonal)->ArgName("p")->Unit(benchmark::kMillisecond)->Arg(256)->Arg(768)->Arg(2048);
BENCHMARK(evidence)
    ->ArgNames({"p", "c"})
    ->Unit(benchmark::kMillisecond)
    ->ArgsProduct({{256, 768}, {10, 100, 1000}});
BENCHMARK(whole)
    ->ArgNames({"n", "d", "folds"})
    ->Unit(benchmark::kMillisecond)
    ->ArgsProduct({{512, 4096}, {256, 768}, {0, 20}});

}  // namespace
}  // namespace assay
