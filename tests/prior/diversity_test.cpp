#include "prior/diversity.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <vector>

#include "core/random.h"
#include "golden_tasks.h"
#include "prior/choose_temperature.h"
#include "prior/sample_tasks.h"

namespace assay {
namespace {

// Values of scikit-learn's adjusted_rand_score.
TEST(AdjustedRand, EqualsScikitLearn) {
  const std::vector<Label> a = {0, 0, 1, 1, 2, 2, 0, 1};
  const std::vector<Label> renamed = {2, 2, 0, 0, 1, 1, 2, 0};
  const std::vector<Label> other = {0, 0, 1, 2, 2, 2, 0, 1};
  const std::vector<Label> crossed = {0, 1, 2, 0, 1, 2, 0, 1};
  for (const Index classes : {3, 1000}) {  // a table of all cells, and one of those that are there
    EXPECT_DOUBLE_EQ(adjusted_rand(a.data(), renamed.data(), 8, classes), 1.0);
    EXPECT_NEAR(adjusted_rand(a.data(), other.data(), 8, classes), 0.6190476190476191, 1e-12);
    EXPECT_NEAR(adjusted_rand(a.data(), crossed.data(), 8, classes), -0.14285714285714285, 1e-12);
  }
}

std::vector<Label> random_labels(Index tasks, Index count, Index classes) {
  Random random(5);
  std::vector<Label> out;
  for (Index i = 0; i < tasks * count; ++i)
    out.push_back(static_cast<Label>(random.below(classes)));
  return out;
}

// By graphs, their inner products and the eigenvalues of these.
TEST(Diversity, EffectiveTasksAreTheParticipationRatioOfTheirGraphs) {
  constexpr Index tasks = 7, n = 30;
  std::vector<Label> labels = random_labels(tasks, n, 3);
  std::copy_n(labels.begin(), n, labels.begin() + n);  // two tasks are one
  Matrix centring = Matrix::Identity(n, n);
  centring.array() -= 1.0 / static_cast<double>(n);
  std::vector<Matrix> graphs;
  double rand = 0.0;
  for (Index b = 0; b < tasks; ++b) {
    Matrix graph(n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        graph(i, j) = labels[static_cast<std::size_t>(b * n + i)] ==
                      labels[static_cast<std::size_t>(b * n + j)];
    graphs.emplace_back(centring * graph * centring);
    graphs.back() /= graphs.back().norm();
    for (Index c = 0; c < b; ++c)
      rand += adjusted_rand(labels.data() + b * n, labels.data() + c * n, n, 3);
  }
  Matrix inner(tasks, tasks);
  for (std::size_t b = 0; b < tasks; ++b)
    for (std::size_t c = 0; c < tasks; ++c)
      inner(static_cast<Index>(b), static_cast<Index>(c)) = graphs[b].cwiseProduct(graphs[c]).sum();
  const Vector values = Eigen::SelfAdjointEigenSolver<Matrix>(inner).eigenvalues();
  const TaskDiversity got = diversity_of(labels, n, 3);
  EXPECT_NEAR(*got.effective_tasks, values.sum() * values.sum() / values.squaredNorm(), 1e-9);
  EXPECT_NEAR(*got.mean_ari, rand / 21.0, 1e-12);
  EXPECT_EQ(got.compared, tasks);
}

TEST(Diversity, OfOneTaskOrOneClassExists) {
  const TaskDiversity one = diversity_of({0, 1, 1, 1}, 4, 3);
  EXPECT_FALSE(one.mean_ari);
  EXPECT_DOUBLE_EQ(one.largest_class, 0.75);
  EXPECT_DOUBLE_EQ(one.smallest_class, 0.0);
  EXPECT_EQ(one.with_empty_class, 1);
  const TaskDiversity same = diversity_of({0, 0, 0, 0, 1, 1, 1, 1}, 4, 2);
  EXPECT_DOUBLE_EQ(*same.mean_ari, 1.0);
  const TaskDiversity unlike = diversity_of(random_labels(40, 5000, 2), 5000, 2);
  EXPECT_NEAR(*unlike.mean_ari, 0.0, 0.01);
  EXPECT_GT(*unlike.effective_tasks, 39.0);
}

// Whatever the scale of the kernel, with and without sweeps: fresh tasks are as alike as asked.
TEST(ChooseTemperature, MeetsTheDiversityAskedFor) {
  for (const double scale : {1.0, 1e4}) {
    const test::Sample blobs = test::blobs(6, 50, 8, 1.0);
    const TaskPrior<double> prior =
        test::prior_of_factor(scale * test::kernel_of<double>(blobs.features).factor());
    for (const int sweeps : {0, 3}) {
      SampleOptions options;
      options.gibbs_sweeps = sweeps;
      options.tasks = 200;
      for (const double target : {0.1, 0.2}) {
        options.temperature = *choose_temperature(test::pool(), prior, options, target);
        const SampledLabels tasks = sample_tasks(test::pool(), prior, options);
        EXPECT_NEAR(*diversity_of(tasks.labels, 300, 2).mean_ari, target, 0.05)
            << scale << " " << sweeps;
      }
    }
  }
}

TEST(ChooseTemperature, HasNoneWhereNoTwoSamplesAreAlike) {
  TaskPrior<double> prior;
  std::vector<Label> group;
  for (Label i = 0; i < 20; ++i) group.push_back(i);
  prior.groupings.push_back(group);
  EXPECT_FALSE(choose_temperature(test::pool(), prior, {}, 0.2));
}

}  // namespace
}  // namespace assay
