// Tests: prior/streamed_scores, prior/pair_estimates.
#include "prior/streamed_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/error.h"
#include "golden_tasks.h"
#include "prior/probe_r2.h"
#include "prior/task_prior.h"
#include "support.h"

namespace assay {
namespace {

using test::kernel_of;

struct InMemory {
  TaskMoments moments;
  ProbeR2 probe_r2;
};

// What the same request gives with everything in memory.
InMemory in_memory(const Matrix& model, const Matrix& prior, const StreamRequest& request) {
  const PrincipalAxes axes =
      principal_axes(test::pool(), *rows_of_matrix(model, "model"), /*unit_length=*/true);
  TaskPrior<double> tasks;
  tasks.kernels.push_back(kernel_of<double>(prior));
  InMemory out;
  out.probe_r2 = probe_r2(test::pool(), axes, prior_image<double>(test::pool(), tasks, axes.z),
                          request.penalty);
  const Kernel<double> kernel =
      request.ridge
          ? kernel_of_factor<double>(test::pool(), ridge_factor(axes, out.probe_r2.penalty),
                                     Normalisation::none, "model")
          : kernel_of<double>(model);
  const Kernel<double>* const models[] = {&kernel};
  out.moments = sampled_task_moments<double>(test::pool(), tasks, models, request.temperatures,
                                             request.graph, request.pairs, request.seed)
                    .front();
  return out;
}

StreamedScores streamed(const Matrix& model, const Matrix& prior, StreamRequest request,
                        int threads = 2) {
  const Rows model_rows = rows_of_matrix(model, "model");
  const Rows prior_rows = rows_of_matrix(prior, "prior");
  request.model = model_rows.get();
  request.prior = prior_rows.get();
  ThreadPool pool(threads);
  return streamed_scores(pool, request, {});
}

// More rows than a block holds; a large common mean; columns of zeros and columns that repeat
// others; fewer rows than dimensions.
TEST(StreamedScores, AreThoseOfEverythingInMemory) {
  for (const Index n : {30, 4200}) {
    const Matrix x = test::gaussian(n, 6, 1);
    Matrix model(n, 40);
    model << x, x.leftCols(4), Matrix::Zero(n, 3), test::gaussian(n, 27, 2);
    model.array() += 1.5;
    const Matrix prior = x * test::gaussian(6, 9, 3) + 0.5 * test::gaussian(n, 9, 4);
    for (const bool ridge : {false, true}) {
      StreamRequest request;
      request.ridge = ridge;
      request.temperatures = {0.4};
      request.pairs = 3000;
      request.seed = 5;
      request.graph = ridge ? Graph::undirected : Graph::directed;
      const InMemory expected = in_memory(model, prior, request);
      const StreamedScores found = streamed(model, prior, request);
      EXPECT_NEAR(found.probe_r2.value, expected.probe_r2.value, 1e-5) << n << ridge;
      EXPECT_NEAR(found.probe_r2.penalty, expected.probe_r2.penalty,
                  1e-6 * expected.probe_r2.penalty);
      const TaskMoments& moments = found.moments.front();
      // Errors of float in the exact sums are far below those of sampling pairs.
      EXPECT_NEAR(moments.expectation, expected.moments.expectation,
                  1e-4 * std::abs(expected.moments.expectation))
          << n << ridge;
      EXPECT_NEAR(moments.variance, expected.moments.variance, 1e-4 * expected.moments.variance);
      EXPECT_NEAR(moments.expectation_error, expected.moments.expectation_error,
                  1e-2 * expected.moments.expectation_error);
    }
  }
}

TEST(StreamedScores, AreTheSameForAnyThreads) {
  const Matrix x = test::gaussian(5000, 12, 1);
  StreamRequest request;
  request.pairs = 1500;
  request.ridge = true;
  const StreamedScores one = streamed(x, x.leftCols(5), request, 1);
  const StreamedScores four = streamed(x, x.leftCols(5), request, 4);
  EXPECT_EQ(one.temperatures, four.temperatures);
  EXPECT_GT(one.temperatures.front(), 0.0);
  EXPECT_EQ(one.moments.front().expectation, four.moments.front().expectation);
  EXPECT_EQ(one.moments.front().variance, four.moments.front().variance);
  EXPECT_EQ(one.probe_r2.value, four.probe_r2.value);
}

TEST(StreamedScores, NameRowsThatHaveNoDirection) {
  Matrix x = test::gaussian(50, 4, 1);
  x.row(33).setZero();
  StreamRequest request;
  request.pairs = 20;
  try {
    streamed(x, test::gaussian(50, 3, 2), request);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("row 33 is all zero"));
  }
  const Matrix same = Matrix::Ones(50, 4);
  EXPECT_THROW(streamed(same, test::gaussian(50, 3, 2), request), Error);
}

}  // namespace
}  // namespace assay
