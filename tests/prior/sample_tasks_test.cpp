#include "prior/sample_tasks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "core/random.h"
#include "golden_tasks.h"
#include "prior/diversity.h"
#include "prior/entry_factor.h"
#include "prior/visits.h"

namespace assay {
namespace {

using test::golden_matrix;
using test::golden_tasks;
using test::prior_of_factor;
using testing::HasSubstr;

std::vector<Label> labels_of(SampledLabels sampled) { return std::move(sampled.labels); }

Matrix centred(Matrix rows) {
  rows.rowwise() -= rows.colwise().mean().eval();
  return rows;
}

TEST(PrefixProbabilities, EqualGoldenValues) {
  const auto& golden = golden_tasks();
  const auto order = golden.at("prefix_order").get<std::vector<Index>>();
  const auto labels = golden.at("prefix_labels").get<std::vector<Label>>();
  const Matrix z = golden_matrix("prefix_Z");
  for (const auto& teacher : golden.at("teacher")) {
    const Matrix factor = teacher.at("centered").get<bool>() ? centred(z) : z;
    const Matrix got = prefix_probabilities(factor.transpose(), order, labels,
                                            teacher.at("q").get<Index>(), teacher.at("T"));
    const Matrix expected = test::matrix_of_json(teacher.at("probs"));
    EXPECT_LT((got - expected).cwiseAbs().maxCoeff(), 1e-9);
  }
}

// Algorithm 1 as printed, one sample after another, each task in its own order.
std::vector<Label> sequential(const Matrix& kernel, const TaskPrior<double>& prior,
                              const SampleOptions& options) {
  const Index n = kernel.cols();
  const Visits<double> visits(test::pool(), prior, options.seed, false);
  std::vector<Label> out(static_cast<std::size_t>(options.tasks * n));
  for (Index task = 0; task < options.tasks; ++task) {
    Random random(options.seed + 0x9E3779B97F4A7C15ULL * static_cast<std::uint64_t>(task + 1));
    std::vector<Label> labels(static_cast<std::size_t>(n), -1);
    const double weight = (options.gibbs_sweeps > 0 ? 2.0 : 1.0) / options.temperature;
    for (int sweep = 0; sweep <= options.gibbs_sweeps; ++sweep) {
      for (const Index position : visits.order(task)) {
        const Index i = visits.sample(position);
        Vector h = Vector::Zero(options.classes);
        for (Index j = 0; j < n; ++j) {
          const Label other = labels[static_cast<std::size_t>(j)];
          if (j != i && other >= 0) h[other] += weight * kernel(i, j);
        }
        h = (h.array() - h.maxCoeff()).exp();
        double left = random.uniform() * h.sum();
        Label& label = labels[static_cast<std::size_t>(i)];
        label = static_cast<Label>(options.classes - 1);
        for (Index c = 0; c + 1 < options.classes; ++c) {
          left -= h[c];
          if (left < 0.0) {
            label = static_cast<Label>(c);
            break;
          }
        }
      }
    }
    std::copy(labels.begin(), labels.end(), out.begin() + task * n);
  }
  return out;
}

TEST(SampleTasks, BlocksGiveTheSameLabelsAsOneByOne) {
  const Matrix z = test::gaussian(6, 333, 1);
  for (const Index classes : {2, 5}) {
    for (const int sweeps : {0, 3}) {
      SampleOptions options;
      options.classes = classes;
      options.tasks = 40;  // more than one group, the last not full
      options.temperature = 30.0;
      options.seed = 11;
      options.gibbs_sweeps = sweeps;
      const TaskPrior<double> prior = prior_of_factor(z);
      EXPECT_EQ(labels_of(sample_tasks(test::pool(), prior, options)),
                sequential(z.transpose() * z, prior, options));
    }
  }
}

// Labels and views beside features: the counts of groups stand for one-hot columns.
TEST(SampleTasks, GroupsCountAsOneHotColumns) {
  const Matrix z = test::gaussian(6, 90, 1);
  TaskPrior<double> prior = prior_of_factor(z);
  Matrix kernel = z.transpose() * z;
  for (const Index groups : {3, 45}) {
    std::vector<Label> group;
    for (Index i = 0; i < 90; ++i) group.push_back(static_cast<Label>(i * groups / 90));
    for (std::size_t i = 0; i < 90; ++i)
      for (std::size_t j = 0; j < 90; ++j)
        if (group[i] == group[j]) kernel(static_cast<Index>(i), static_cast<Index>(j)) += 1.0;
    prior.groupings.push_back(std::move(group));
  }
  SampleOptions options;
  options.classes = 3;
  options.tasks = 12;
  options.temperature = 10.0;
  for (const int sweeps : {0, 2}) {
    options.gibbs_sweeps = sweeps;
    const SampledLabels got = sample_tasks(test::pool(), prior, options);
    EXPECT_EQ(got.labels, sequential(kernel, prior, options));
    for (Index task = 0; task < options.tasks; ++task) {
      double trace = 0.0;
      const Label* y = got.labels.data() + task * 90;
      for (Index i = 0; i < 90; ++i)
        for (Index j = 0; j < 90; ++j)
          if (y[i] == y[j]) trace += kernel(i, j);
      EXPECT_NEAR(got.trace[task], trace, 1e-9 * std::abs(trace));
    }
  }
}

// What made sampled tasks one task: with one order for all of them the first choices are the same
// for each. Four groups far apart and two classes: eight ways to divide them.
TEST(SampleTasks, OfTheirOwnOrderDiffer) {
  const test::Sample blobs = test::blobs(4, 40, 6, 0.3);
  SampleOptions options;
  options.tasks = 60;
  options.temperature = 1.0;
  const TaskPrior<double> prior = prior_of_factor(centred(blobs.features).transpose());
  const SampledLabels own = sample_tasks(test::pool(), prior, options);
  const SampledLabels shared = sample_tasks(test::pool(), prior, options, {}, true);
  EXPECT_LT(*diversity_of(own.labels, 160, 2).mean_ari,
            *diversity_of(shared.labels, 160, 2).mean_ari - 0.1);
}

TEST(SampleTasks, TracesAreThoseOfTheLabels) {
  const Matrix z = test::gaussian(6, 90, 1);
  SampleOptions options;
  options.classes = 3;
  options.tasks = 20;
  options.temperature = 30.0;
  options.gibbs_sweeps = 1;
  const SampledLabels got = sample_tasks(test::pool(), prior_of_factor(z), options);
  for (Index task = 0; task < options.tasks; ++task) {
    double trace = 0.0;
    for (Index i = 0; i < 90; ++i)
      for (Index j = 0; j < 90; ++j)
        if (got.labels[static_cast<std::size_t>(task * 90 + i)] ==
            got.labels[static_cast<std::size_t>(task * 90 + j)])
          trace += z.col(i).dot(z.col(j));
    EXPECT_NEAR(got.trace[task], trace, 1e-9 * std::abs(trace));
  }
}

TEST(SampleTasks, AreTheSameForAnyNumberOfThreadsAndTasks) {
  ThreadPool one(1);
  const Matrix z = test::gaussian(4, 100, 1);
  SampleOptions options;
  options.classes = 3;
  options.tasks = 50;
  options.temperature = 10.0;
  const std::vector<Label> all = labels_of(sample_tasks(test::pool(), prior_of_factor(z), options));
  EXPECT_EQ(labels_of(sample_tasks(one, prior_of_factor(z), options)), all);
  options.tasks = 7;  // the first ones stay
  const std::vector<Label> few = labels_of(sample_tasks(test::pool(), prior_of_factor(z), options));
  EXPECT_TRUE(std::equal(few.begin(), few.end(), all.begin()));
  options.seed = 1;
  EXPECT_NE(labels_of(sample_tasks(test::pool(), prior_of_factor(z), options)), few);
}

double total_variation(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return 0.5 * sum;
}

// Shares of the 64 labelings of six samples among many tasks, numbered as binary digits.
std::vector<double> shares(const std::vector<Label>& labels) {
  std::vector<double> out(64, 0.0);
  const std::size_t tasks = labels.size() / 6;
  for (std::size_t task = 0; task < tasks; ++task) {
    std::size_t code = 0;
    for (std::size_t i = 0; i < 6; ++i)
      code = 2 * code + static_cast<std::size_t>(labels[6 * task + i]);
    out[code] += 1.0 / static_cast<double>(tasks);
  }
  return out;
}

std::vector<double> table(const nlohmann::json& labelings, const nlohmann::json& probabilities) {
  std::vector<double> out(64, 0.0);
  for (std::size_t k = 0; k < labelings.size(); ++k) {
    std::size_t code = 0;
    for (const auto& label : labelings[k]) code = 2 * code + label.get<std::size_t>();
    out[code] = probabilities[k];
  }
  return out;
}

// Against exact tables over all 64 labelings: the prefix sampler follows its own table, is away
// from the Potts model, and Gibbs sweeps bring it there. 100000 draws have a distance of about
// 0.01 from their own distribution.
TEST(SampleTasks, FollowTheExactDistributions) {
  const auto& golden = golden_tasks().at("potts");
  const Matrix z = centred(golden_matrix("Z6")).transpose();
  const std::vector<double> potts = table(golden.at("labelings"), golden.at("potts"));
  const std::vector<double> prefix =
      table(golden.at("labelings"), golden.at("prefix_identity_order"));
  SampleOptions options;
  options.classes = 2;
  options.tasks = 100000;
  options.temperature = 4.0;
  const std::vector<double> drawn =
      shares(labels_of(sample_tasks(test::pool(), prior_of_factor(z), options, {}, true)));
  EXPECT_LT(total_variation(drawn, prefix), 0.015);
  EXPECT_GT(total_variation(drawn, potts), 0.08);
  options.gibbs_sweeps = 5;
  EXPECT_LT(
      total_variation(
          shares(labels_of(sample_tasks(test::pool(), prior_of_factor(z), options, {}, true))),
          potts),
      0.015);
}

// Names of classes are exchangeable: each class is as common as the others over many tasks, and
// the first sample visited has any of them.
TEST(SampleTasks, ClassesAreExchangeable) {
  const Matrix z = test::gaussian(3, 20, 4);
  SampleOptions options;
  options.classes = 4;
  options.tasks = 4000;
  options.temperature = 2.0;
  const std::vector<Label> labels =
      labels_of(sample_tasks(test::pool(), prior_of_factor(z), options));
  for (Index sample = 0; sample < 20; ++sample) {
    std::vector<int> seen(4, 0);
    for (Index task = 0; task < options.tasks; ++task)
      ++seen[static_cast<std::size_t>(labels[static_cast<std::size_t>(task * 20 + sample)])];
    for (const int count : seen) EXPECT_NEAR(count, 1000, 140) << sample;  // five deviations
  }
}

// Low temperature: classes follow the features; high: they do not.
TEST(SampleTasks, TemperatureSaysHowCloselyClassesFollowTheFeatures) {
  const test::Sample blobs = test::blobs(2, 50, 4, 0.3);
  const Matrix z = centred(blobs.features).transpose();
  SampleOptions options;
  options.tasks = 50;
  options.gibbs_sweeps = 3;
  const auto purity = [&](double temperature) {
    options.temperature = temperature;
    const std::vector<Label> labels =
        labels_of(sample_tasks(test::pool(), prior_of_factor(z), options));
    double sum = 0.0;
    for (Index task = 0; task < options.tasks; ++task) {
      Index agree = 0;
      for (Index i = 0; i < 100; ++i)
        agree += labels[static_cast<std::size_t>(task * 100 + i)] ==
                 blobs.targets.labels[static_cast<std::size_t>(i)];
      sum += static_cast<double>(std::max(agree, 100 - agree)) / 100.0;
    }
    return sum / static_cast<double>(options.tasks);
  };
  EXPECT_GT(purity(0.1), 0.95);
  EXPECT_LT(purity(1e6), 0.62);
}

TEST(PivotedCholesky, RebuildsAKernelOfLowRank) {
  const Matrix z = test::gaussian(5, 30, 1);
  const Matrix k = z.transpose() * z;
  Index asked = 0;
  const Matrix factor = pivoted_cholesky(
      k.diagonal(),
      [&](Index i) -> Vector {
        ++asked;
        return k.col(i);
      },
      "k");
  EXPECT_EQ(factor.rows(), 5);
  EXPECT_EQ(asked, 5);
  EXPECT_LT((factor.transpose() * factor - k).norm(), 1e-9 * k.norm());
}

TEST(PivotedCholesky, RefusesWhatIsNoKernel) {
  Matrix k = Matrix::Identity(4, 4);
  k(1, 0) = k(0, 1) = 3.0;
  const auto factor = [](const Matrix& matrix) {
    return pivoted_cholesky(
        matrix.diagonal(), [&](Index i) -> Vector { return matrix.col(i); }, "k.npy");
  };
  EXPECT_THAT(test::error_of([&] { factor(k); }), HasSubstr("k.npy: not a kernel"));
  EXPECT_THAT(test::error_of([&] { factor(Matrix::Zero(3, 3)); }), HasSubstr("not a kernel"));
}

}  // namespace
}  // namespace assay
