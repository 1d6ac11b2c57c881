#include "learn/kmeans.h"

#include <gtest/gtest.h>

#include <set>

#include "fixture.h"

namespace assay {
namespace {

double inertia_of(const Matrix& x, const Clusters& clusters) {
  double sum = 0.0;
  for (Index i = 0; i < x.cols(); ++i)
    sum += (x.col(i) - clusters.centres.col(clusters.assignment[static_cast<std::size_t>(i)]))
               .squaredNorm();
  return sum;
}

Clusters cluster(const Matrix& x, Index clusters, std::uint64_t seed) {
  Random random(seed);
  return kmeans(test::pool(), x, clusters, random);
}

// Lloyd's fixed point: every sample at its nearest centre, every centre the mean of its samples.
TEST(Kmeans, EndsAtAFixedPoint) {
  const Matrix x = test::gaussian(5, 700, 1);
  const Clusters clusters = cluster(x, 9, 3);
  ASSERT_TRUE(clusters.converged);
  Matrix sums = Matrix::Zero(5, 9);
  Vector counts = Vector::Zero(9);
  for (Index i = 0; i < x.cols(); ++i) {
    const Index own = clusters.assignment[static_cast<std::size_t>(i)];
    const Vector distances =
        (clusters.centres.colwise() - x.col(i)).colwise().squaredNorm().transpose();
    EXPECT_LE(distances[own], distances.minCoeff() + 1e-12);
    sums.col(own) += x.col(i);
    counts[own] += 1.0;
  }
  for (Index k = 0; k < 9; ++k)
    EXPECT_LT((sums.col(k) / counts[k] - clusters.centres.col(k)).norm(), 1e-12);
  EXPECT_NEAR(clusters.inertia, inertia_of(x, clusters), 1e-9 * clusters.inertia);
}

// scikit-learn 1.2.1 on the same file: KMeans(4, n_init=10, random_state=0, tol=0).fit(X).inertia_
TEST(Kmeans, FindsTheClustersOfScikitLearn) {
  const Matrix x = test::golden_samples("gmm_blobs/X.npy");
  double best = 1e300;
  for (std::uint64_t seed = 0; seed < 5; ++seed) best = std::min(best, cluster(x, 4, seed).inertia);
  EXPECT_NEAR(best, 1644.5096625675105, 1e-8 * best);
}

TEST(Kmeans, KeepsEveryClusterFilledWhileThereAreDistinctSamples) {
  // Two far groups and six clusters: starts that all lie in one group must be mended.
  Matrix x(1, 12);
  for (Index i = 0; i < 12; ++i) x(0, i) = static_cast<double>(i) + (i < 6 ? 0.0 : 1e6);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Clusters clusters = cluster(x, 6, seed);
    const std::set<Index> used(clusters.assignment.begin(), clusters.assignment.end());
    EXPECT_EQ(used.size(), 6U) << seed;
  }
}

TEST(Kmeans, HoldsOnDegenerateSamples) {
  const Clusters same = cluster(Matrix::Constant(3, 10, 0.1), 4, 1);
  EXPECT_EQ(same.inertia, 0.0);
  EXPECT_TRUE(same.converged);
  EXPECT_TRUE((same.centres.array() == 0.1).all());
  const Clusters single = cluster(Matrix::Constant(2, 1, 5.0), 1, 1);
  EXPECT_EQ(single.assignment, std::vector<Index>{0});
  const Matrix x = test::gaussian(4, 8, 2);
  EXPECT_EQ(cluster(x, 8, 1).inertia, 0.0);  // as many clusters as samples
  const Clusters twins = cluster(x.replicate(1, 3), 8, 1);
  EXPECT_LT(twins.inertia, 1e-25);
}

TEST(Kmeans, DoesNotDependOnScaleShiftOrThreads) {
  const Matrix x = test::gaussian(6, 900, 4);
  const Clusters plain = cluster(x, 7, 5);
  EXPECT_EQ(plain.assignment, cluster(x * 1048576.0, 7, 5).assignment);
  EXPECT_EQ(plain.assignment, cluster(x.array() + 1e6, 7, 5).assignment);
  ThreadPool alone(1);
  Random random(5);
  const Clusters single = kmeans(alone, x, 7, random);
  EXPECT_EQ(plain.assignment, single.assignment);
  EXPECT_TRUE(plain.centres == single.centres);
}

}  // namespace
}  // namespace assay
