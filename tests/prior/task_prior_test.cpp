// Tests: prior/edges, prior/grouped_moments, prior/sampled_moments.
#include "prior/task_prior.h"

#include <gtest/gtest.h>

#include <cmath>

#include "golden_tasks.h"

namespace assay {
namespace {

using test::dense;
using test::dense_moments;
using test::golden_matrix;
using test::golden_tasks;
using test::kernel_of;
using test::moments_of;

std::vector<Label> golden_labels() { return golden_tasks().at("labels").get<std::vector<Label>>(); }

std::vector<Label> views(Index count, Index each) {
  std::vector<Label> out;
  for (Index i = 0; i < count; ++i) out.push_back(static_cast<Label>(i / each));
  return out;
}

// The kernel behind a name of the golden file: X1_cc centred cosine, X1_cos plain, _fro normalised.
Kernel<double> golden_kernel(const std::string& name) {
  const Matrix x = golden_matrix(name.substr(0, 2));
  const bool norm = name.ends_with("_fro");
  return kernel_of<double>(x, KernelKind::cosine, !name.ends_with("_cos"),
                           norm ? Normalisation::frobenius : Normalisation::none);
}

TaskPrior<double> golden_prior(const std::string& name) {
  TaskPrior<double> prior;
  if (name == "label") {
    prior.groupings.push_back(golden_labels());
  } else if (name == "ssl_V3") {
    prior.groupings.push_back(views(24, 3));
  } else if (name == "X1cc+X3cc") {
    prior.kernels.push_back(golden_kernel("X1_cc"));
    prior.kernels.push_back(golden_kernel("X3_cc"));
  } else {
    prior.kernels.push_back(golden_kernel(name));
  }
  return prior;
}

TEST(TaskMoments, EqualGoldenValues) {
  int rows = 0;
  for (const auto& row : golden_tasks().at("mean_var")) {
    SCOPED_TRACE(row.dump());
    const TaskPrior<double> prior = golden_prior(row.at("prior"));
    const Kernel<double> model = golden_kernel(row.at("model"));
    for (const Graph graph : {Graph::directed, Graph::undirected}) {
      const auto& expected = row.at(graph == Graph::directed ? "directed" : "undirected");
      const TaskMoments got = moments_of(prior, model, row.at("T").get<double>(), graph);
      const double mean = expected.at(0);
      const double variance = expected.at(1);
      EXPECT_NEAR(got.expectation, mean, 1e-12 * std::abs(mean));
      EXPECT_NEAR(got.variance, variance, 1e-11 * variance);
    }
    ++rows;
  }
  EXPECT_EQ(rows, 27);
}

// Every graph on four samples, weighted by exp(Tr(GK) / T): 65536 directed, 1024 undirected.
struct Enumerated {
  double mean = 0.0;
  double variance = 0.0;
};

Enumerated enumerate(const Matrix& k, const Matrix& m, double temperature, bool undirected) {
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < (undirected ? i + 1 : 4); ++j) edges.emplace_back(i, j);
  double total = 0.0;
  double sum = 0.0;
  double squares = 0.0;
  for (unsigned graph = 0; graph < (1U << edges.size()); ++graph) {
    double energy = 0.0;
    double trace = 0.0;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if ((graph >> e & 1U) == 0U) continue;
      const auto [i, j] = edges[e];
      const double times = undirected && i != j ? 2.0 : 1.0;
      energy += times * k(i, j);
      trace += times * m(i, j);
    }
    const double weight = std::exp(energy / temperature);
    total += weight;
    sum += weight * trace;
    squares += weight * trace * trace;
  }
  return {sum / total, squares / total - (sum / total) * (sum / total)};
}

// A kernel with the given entries: z'z from the Cholesky factor of K + shift does not keep K, so
// the factor is taken of a positive definite K of our own.
TEST(TaskMoments, EqualTheSumOverAllGraphs) {
  const Kernel<double> prior = kernel_of<double>(test::gaussian(4, 6, 1), KernelKind::linear, true);
  const Kernel<double> model = kernel_of<double>(test::gaussian(4, 5, 2));
  for (const double temperature : {0.7, 3.0, 20.0}) {
    for (const bool undirected : {false, true}) {
      const Enumerated expected = enumerate(dense(prior), dense(model), temperature, undirected);
      TaskPrior<double> tasks;
      tasks.kernels.push_back(prior);
      const TaskMoments got =
          moments_of(tasks, model, temperature, undirected ? Graph::undirected : Graph::directed);
      EXPECT_NEAR(got.expectation, expected.mean, 1e-9);
      EXPECT_NEAR(got.variance, expected.variance, 1e-8);
    }
  }
}

// The enumeration itself against the golden one, on the golden K and M.
TEST(TaskMoments, EnumerationEqualsGoldenValues) {
  const Matrix k = golden_matrix("bf_K");
  const Matrix m = golden_matrix("bf_M");
  for (const auto& row : golden_tasks().at("brute_force_n4")) {
    for (const bool undirected : {false, true}) {
      const Enumerated got = enumerate(k, m, row.at("T").get<double>(), undirected);
      const auto& expected = row.at(undirected ? "undirected" : "directed");
      EXPECT_NEAR(got.mean, expected.at(0).get<double>(), 1e-9);
      EXPECT_NEAR(got.variance, expected.at(1).get<double>(), 1e-8);
      const TaskMoments closed = dense_moments(k, m, row.at("T").get<double>(),
                                               undirected ? Graph::undirected : Graph::directed);
      EXPECT_NEAR(closed.expectation, got.mean, 1e-9);
      EXPECT_NEAR(closed.variance, got.variance, 1e-8);
    }
  }
}

// Tiles, their mirror images and the diagonal, at sizes that do not divide; several models and
// temperatures in one pass; float and double.
TEST(TaskMoments, EqualTheDenseSums) {
  for (const Index n : {2, 31, 257, 700}) {
    const Kernel<double> k = kernel_of<double>(test::gaussian(n, 12, 1));
    const Kernel<double> a = kernel_of<double>(test::gaussian(n, 7, 2));
    const Kernel<double> b = kernel_of<double>(test::gaussian(n, 9, 3), KernelKind::rbf);
    TaskPrior<double> prior;
    prior.kernels.push_back(k);
    const Kernel<double>* const models[] = {&a, &b};
    const double temperatures[] = {0.02, 0.5, 1e6};
    for (const Graph graph : {Graph::directed, Graph::undirected}) {
      const std::vector<TaskMoments> got =
          task_moments<double>(test::pool(), prior, models, temperatures, graph);
      for (std::size_t i = 0; i < 6; ++i) {
        const TaskMoments expected =
            dense_moments(dense(k), dense(*models[i / 3]), temperatures[i % 3], graph);
        EXPECT_NEAR(got[i].expectation, expected.expectation,
                    1e-11 * static_cast<double>(n) * static_cast<double>(n));
        EXPECT_NEAR(got[i].variance, expected.variance, 1e-11 * expected.variance + 1e-15);
      }
    }
  }
}

TEST(TaskMoments, FloatAgreesWithDouble) {
  const Matrix x = test::gaussian(900, 40, 1);
  const Matrix y = x + 0.5 * test::gaussian(900, 40, 2);
  for (const double temperature : {0.01, 0.1, 1.0}) {
    TaskPrior<double> exact;
    exact.kernels.push_back(kernel_of<double>(x));
    TaskPrior<float> rough;
    rough.kernels.push_back(kernel_of<float>(x));
    const TaskMoments expected = moments_of(exact, kernel_of<double>(y), temperature);
    const TaskMoments got = moments_of(rough, kernel_of<float>(y), temperature);
    EXPECT_NEAR(got.expectation, expected.expectation, 2e-6 * expected.expectation);
    EXPECT_NEAR(got.variance, expected.variance, 2e-6 * expected.variance);
  }
}

// The paper's own invariants: without a preference (T -> infinity) every edge has probability 1/2.
TEST(TaskMoments, AreUniformAtInfiniteTemperature) {
  const Matrix x = golden_matrix("X1");
  const Kernel<double> model = kernel_of<double>(golden_matrix("X2"), KernelKind::linear, false);
  TaskPrior<double> prior;
  prior.kernels.push_back(kernel_of<double>(x));
  const TaskMoments got = moments_of(prior, model, 1e12);
  EXPECT_NEAR(got.expectation, 0.5 * dense(model).sum(), 1e-6);
  EXPECT_NEAR(got.variance, 0.25 * dense(model).squaredNorm(), 1e-6);
}

TEST(TaskMoments, ProductOfPriorsIsTheSumOfKernels) {
  TaskPrior<double> both;
  both.kernels.push_back(kernel_of<double>(golden_matrix("X1")));
  both.groupings.push_back(golden_labels());
  Matrix sum = dense(both.kernels.front());
  const std::vector<Label> y = golden_labels();
  for (Index i = 0; i < 24; ++i)
    for (Index j = 0; j < 24; ++j)
      sum(i, j) += y[static_cast<std::size_t>(i)] == y[static_cast<std::size_t>(j)] ? 1.0 : 0.0;
  const Kernel<double> model = kernel_of<double>(golden_matrix("X2"));
  const TaskMoments got = moments_of(both, model, 0.4);
  const TaskMoments expected = dense_moments(sum, dense(model), 0.4);
  EXPECT_NEAR(got.expectation, expected.expectation, 1e-11);
  EXPECT_NEAR(got.variance, expected.variance, 1e-11);
  EXPECT_NEAR(both.entry(3, 5), sum(3, 5), 1e-14);
}

// Groups in closed form against the pairs they stand for, with groups of one and of many.
TEST(TaskMoments, GroupsInClosedFormEqualTheirPairs) {
  std::vector<Label> group;
  for (Index i = 0; i < 60; ++i) group.push_back(static_cast<Label>(i < 40 ? 0 : i % 7 + 1));
  for (const Index dim : {3, 80}) {
    const Kernel<double> model = kernel_of<double>(test::gaussian(60, dim, 3), KernelKind::linear,
                                                   false, Normalisation::frobenius);
    TaskPrior<double> prior;
    prior.groupings.push_back(group);
    const Matrix k = prior.tile(0, 60, 0, 60);
    for (const Graph graph : {Graph::directed, Graph::undirected}) {
      for (const double temperature : {0.05, 1.0, 50.0}) {
        const TaskMoments got = moments_of(prior, model, temperature, graph);
        const TaskMoments expected = dense_moments(k, dense(model), temperature, graph);
        EXPECT_NEAR(got.expectation, expected.expectation, 1e-12);
        EXPECT_NEAR(got.variance, expected.variance, 1e-12);
      }
    }
  }
}

TEST(TaskMoments, AreTheSameForAnyNumberOfThreads) {
  ThreadPool one(1);
  TaskPrior<float> prior;
  prior.kernels.push_back(kernel_of<float>(test::gaussian(700, 20, 1)));
  const Kernel<float> model = kernel_of<float>(test::gaussian(700, 20, 2));
  const Kernel<float>* const models[] = {&model};
  const double temperatures[] = {0.05};
  const auto a = task_moments<float>(one, prior, models, temperatures, Graph::directed);
  const auto b = task_moments<float>(test::pool(), prior, models, temperatures, Graph::directed);
  EXPECT_EQ(a[0].expectation, b[0].expectation);
  EXPECT_EQ(a[0].variance, b[0].variance);
}

// Over 200 seeds the true sums lie within two standard errors about 95 % of the time, and the
// errors are far below those of plain sampling.
TEST(SampledTaskMoments, StandardErrorsAreRight) {
  const Index n = 300;
  const Matrix x = test::gaussian(n, 10, 1);
  TaskPrior<double> prior;
  prior.kernels.push_back(kernel_of<double>(x));
  const Kernel<double> model = kernel_of<double>(x + test::gaussian(n, 10, 2));
  const Kernel<double>* const models[] = {&model};
  const double temperatures[] = {0.5};
  for (const Graph graph : {Graph::directed, Graph::undirected}) {
    const TaskMoments exact = moments_of(prior, model, 0.5, graph);
    int mean_inside = 0;
    int variance_inside = 0;
    double error = 0.0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const TaskMoments got = sampled_task_moments<double>(test::pool(), prior, models,
                                                           temperatures, graph, 2000, seed)[0];
      mean_inside += std::abs(got.expectation - exact.expectation) < 2.0 * got.expectation_error;
      variance_inside += std::abs(got.variance - exact.variance) < 2.0 * got.variance_error;
      error = got.expectation_error;
    }
    EXPECT_GE(mean_inside, 180);
    EXPECT_GE(variance_inside, 180);
    const Matrix m = dense(model);
    const Matrix k = dense(prior.kernels.front());
    double squares = 0.0;
    double sum = 0.0;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < i; ++j) {
        const double f =
            m(i, j) / (1.0 + std::exp(-(graph == Graph::directed ? 2.0 : 4.0) * k(i, j)));
        sum += f;
        squares += f * f;
      }
    }
    const double pairs = 0.5 * static_cast<double>(n * (n - 1));
    const double plain =
        2.0 * pairs * std::sqrt((squares / pairs - sum / pairs * sum / pairs) / 2000.0);
    EXPECT_LT(error, 0.2 * plain);
  }
}

TEST(MedianTemperature, IsTheMedianAbsoluteEntry) {
  TaskPrior<double> prior;
  prior.kernels.push_back(kernel_of<double>(golden_matrix("X1")));
  const Matrix k = dense(prior.kernels.front());
  std::vector<double> entries;
  for (Index i = 0; i < 24; ++i)
    for (Index j = 0; j < i; ++j) entries.push_back(std::abs(k(i, j)));
  std::sort(entries.begin(), entries.end());
  EXPECT_NEAR(median_temperature(prior, 0), 0.5 * (entries[137] + entries[138]), 1e-13);
  TaskPrior<double> groups;
  groups.groupings.push_back(golden_labels());
  EXPECT_EQ(median_temperature(groups, 0), 1.0);
}

}  // namespace
}  // namespace assay
