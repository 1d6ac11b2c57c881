// Tests: metrics/samples, metrics/table.

// What holds for every row of the table of metrics.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "assay/metric.h"
#include "core/random.h"
#include "fixture.h"
#include "metrics/make_problem.h"
#include "metrics/probabilities.h"

namespace assay {
namespace {

struct Data {
  Matrix features;  // n x D
  std::vector<Label> labels;
  Matrix source;  // n x Z
};

Data data_of(Matrix features, std::vector<Label> labels) {
  Matrix source = test::source_probabilities(labels, 4, 99);
  return {std::move(features), std::move(labels), std::move(source)};
}

Data data_of(const test::Sample& sample) { return data_of(sample.features, sample.targets.labels); }

Score score(const Metric& metric, const Data& data, ThreadPool& pool) {
  if (metric.from_samples != nullptr)
    return metric.from_samples({pool, data.features.transpose(), data.labels, 0});
  if (metric.from_probabilities != nullptr)
    return metric.from_probabilities(make_probabilities(data.source, data.labels));
  const Rows rows = rows_of_matrix(data.features, "features");
  return metric.from_moments(
      make_problem(pool, *rows, test::class_targets(data.labels), false, Index{1} << 30));
}

// A hub metric's values under each setting, else its one value.
std::vector<double> values(const Score& score) {
  return score.variants.empty() ? std::vector<double>{score.value} : score.variants;
}

void expect_same(const Metric& metric, const Data& a, const Data& b) {
  const std::vector<double> first = values(score(metric, a, test::pool()));
  const std::vector<double> second = values(score(metric, b, test::pool()));
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t k = 0; k < first.size(); ++k)
    EXPECT_NEAR(first[k], second[k], 1e-9 * std::max(1.0, std::abs(first[k])));
}

Data reordered(const Data& data, std::uint64_t seed) {
  const std::vector<Index> order = Random(seed).permutation(data.features.rows());
  Data out{data.features(order, Eigen::all), {}, data.source(order, Eigen::all)};
  for (const Index row : order) out.labels.push_back(data.labels[static_cast<std::size_t>(row)]);
  return out;
}

Data renamed(const Data& data, const std::vector<Label>& names) {
  Data out = data;
  for (Label& label : out.labels) label = names[static_cast<std::size_t>(label)];
  return out;
}

std::vector<const Metric*> metrics() {
  std::vector<const Metric*> out;
  for (const Metric& metric : all_metrics()) out.push_back(&metric);
  return out;
}

// The random numbers of the others belong to row positions.
std::vector<const Metric*> unseeded_metrics() {
  static const std::set<std::string_view> seeded = {"accuracy", "linear_valid", "nleep",
                                                    "npactran_dirichlet", "npactran_gamma"};
  std::vector<const Metric*> out = metrics();
  std::erase_if(out, [](const Metric* metric) { return seeded.contains(metric->name); });
  return out;
}

class EveryMetric : public testing::TestWithParam<const Metric*> {};
class UnseededMetric : public testing::TestWithParam<const Metric*> {};

TEST_P(UnseededMetric, IgnoresTheOrderOfSamples) {
  for (const Index dim : {6, 150}) {
    const Data data = data_of(test::blobs(3, 40, dim, 1.5));
    expect_same(*GetParam(), data, reordered(data, 5));
  }
}

// Classes of even size: how linear_valid halves odd ones depends on their order.
TEST_P(EveryMetric, IgnoresTheNamesOfClasses) {
  for (const Index dim : {6, 150}) {
    const Data data = data_of(test::blobs(3, 40, dim, 1.5));
    expect_same(*GetParam(), data, renamed(data, {2, 0, 1}));
    expect_same(*GetParam(), data, renamed(data, {11, 7, 3}));
  }
}

TEST_P(EveryMetric, IsTheSameWithOneThread) {
  ThreadPool one(1);
  for (const Index dim : {6, 700}) {
    const Data data = data_of(test::blobs(3, 200, dim, 2.0));
    const Score a = score(*GetParam(), data, one);
    const Score b = score(*GetParam(), data, test::pool());
    EXPECT_EQ(values(a), values(b));
    EXPECT_EQ(a.details, b.details);
  }
}

struct Hostile {
  std::string name;
  Data data;
};

std::vector<Label> cyclic_labels(Index n, Label classes) {
  std::vector<Label> out;
  for (Index i = 0; i < n; ++i) out.push_back(static_cast<Label>(i % classes));
  return out;
}

std::vector<Hostile> hostile_data() {
  const test::Sample tall = test::blobs(3, 12, 5, 1.0);
  const test::Sample wide = test::blobs(3, 5, 40, 1.0);
  std::vector<Hostile> out;
  const auto add = [&](const std::string& name, Matrix features, std::vector<Label> labels) {
    out.push_back({name, data_of(std::move(features), std::move(labels))});
  };
  add("wide", wide.features, wide.targets.labels);
  Matrix deficient = tall.features;
  deficient.col(4) = deficient.col(0) - 2.0 * deficient.col(1);
  deficient.col(3) = deficient.col(0);
  Matrix constant = tall.features;
  constant.col(1).setConstant(3.7);
  constant.col(2).setZero();
  for (const double scale : {1.0, 1e30, 1e-30}) {
    const std::string at = " at scale " + std::to_string(std::log10(scale));
    add("tall" + at, scale * tall.features, tall.targets.labels);
    add("wide" + at, scale * wide.features, wide.targets.labels);
    add("rank-deficient" + at, scale * deficient, tall.targets.labels);
    add("constant columns" + at, scale * constant, tall.targets.labels);
    add("shifted" + at, scale * (tall.features.array() + 100.0).matrix(), tall.targets.labels);
    add("one-column" + at, scale * tall.features.col(0), tall.targets.labels);
  }
  Matrix mixed = tall.features;
  mixed.col(0) *= 1e20;
  mixed.col(1) *= 1e-20;
  add("mixed scales", mixed, tall.targets.labels);
  add("all constant", Matrix::Constant(36, 5, 0.3), tall.targets.labels);
  add("all zero", Matrix::Zero(36, 5), tall.targets.labels);
  std::vector<Label> gaps = tall.targets.labels;
  for (Label& label : gaps) label = 4 + 5 * label;
  add("missing ids", tall.features, gaps);
  std::vector<Label> lonely = tall.targets.labels;
  lonely[7] = 3;
  add("a class of one", tall.features, lonely);
  add("only classes of one", tall.features.topRows(6), {0, 1, 2, 3, 4, 5});
  add("two rows", tall.features.topRows(2), {0, 1});
  add("two rows wide", wide.features.topRows(2), {0, 1});
  add("two equal rows", Matrix::Ones(2, 3), {0, 1});
  add("two rows of one number", Matrix{{-1.0}, {1.0}}, {0, 1});
  Matrix twice(72, 5);
  twice << tall.features, tall.features;
  add("duplicated rows", twice, cyclic_labels(72, 3));
  add("duplicated rows that disagree", twice, cyclic_labels(72, 5));
  add("few distinct rows", tall.features(cyclic_labels(30, 3), Eigen::all), cyclic_labels(30, 2));
  return out;
}

TEST_P(EveryMetric, IsFiniteOnHostileData) {
  for (const Hostile& hostile : hostile_data()) {
    const Score got = score(*GetParam(), hostile.data, test::pool());
    for (const double value : values(got)) EXPECT_TRUE(std::isfinite(value)) << hostile.name;
    for (const auto& [name, value] : got.details)
      EXPECT_TRUE(std::isfinite(value)) << hostile.name << ", " << name;
    EXPECT_TRUE(std::isfinite(got.error)) << hostile.name;
    EXPECT_EQ(std::count(got.flags.begin(), got.flags.end(), "not_converged"), 0) << hostile.name;
  }
}

// Where samples add up to the value, those left out apart, they do.
TEST_P(EveryMetric, IsTheMeanOfWhatItsSamplesAdd) {
  const Score got = score(*GetParam(), data_of(test::blobs(4, 17, 8, 2.0)), test::pool());
  EXPECT_EQ(got.per_sample.empty(), GetParam()->replication != Replication::per_sample);
  if (got.per_sample.empty()) return;
  EXPECT_EQ(got.per_sample.size(), 68U);
  double sum = 0.0;
  double count = 0.0;
  for (const double one : got.per_sample) {
    if (std::isnan(one)) continue;
    sum += one;
    count += 1.0;
  }
  EXPECT_NEAR(got.value, sum / count, 1e-15);
}

INSTANTIATE_TEST_SUITE_P(Table, UnseededMetric, testing::ValuesIn(unseeded_metrics()),
                         [](const auto& row) { return std::string(row.param->name); });
INSTANTIATE_TEST_SUITE_P(Table, EveryMetric, testing::ValuesIn(metrics()),
                         [](const auto& row) { return std::string(row.param->name); });

}  // namespace
}  // namespace assay
