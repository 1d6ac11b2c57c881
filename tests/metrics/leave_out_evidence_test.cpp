// Tests: metrics/evidence_leaver.
#include "metrics/leave_out_evidence.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

#include "assay/features.h"
#include "core/random.h"
#include "metrics/make_problem.h"
#include "metrics/row_interactions.h"
#include "metrics/shift_grid.h"
#include "support.h"

namespace assay {
namespace {

// log N(y; 0, (1/beta)(I + F F' / t)), in the definition's own words; with an intercept, that of
// n - 1 contrasts of the rows (restricted likelihood).
double log_evidence(Matrix f, Vector y, double alpha, double beta, bool center) {
  if (center) {
    f.rowwise() -= f.colwise().mean().eval();
    y.array() -= y.mean();
  }
  const Index n = f.rows();
  Matrix covariance = f * f.transpose() / alpha;
  if (std::isfinite(beta)) covariance.diagonal().array() += 1.0 / beta;
  const double log_det = [&] {
    if (!center) return covariance.fullPivLu().matrixLU().diagonal().cwiseAbs().array().log().sum();
    // The direction of the intercept, which the data do not have, counts 1.
    Matrix rest = covariance - Matrix::Constant(n, n, 1.0 / static_cast<double>(n) / beta) +
                  Matrix::Constant(n, n, 1.0 / static_cast<double>(n));
    return rest.fullPivLu().matrixLU().diagonal().cwiseAbs().array().log().sum();
  }();
  const double square = y.dot(Matrix(covariance).fullPivLu().solve(y));
  const auto degrees = static_cast<double>(center ? n - 1 : n);
  // Taking rows off turns the contrasts by a factor that depends on n alone.
  const double turned = center ? 0.5 * std::log(static_cast<double>(n)) : 0.0;
  return -0.5 * (degrees * std::log(2.0 * std::numbers::pi) + log_det + square) - turned;
}

Matrix rows_without(const Matrix& f, const std::vector<Index>& gone) {
  std::vector<Index> kept;
  for (Index i = 0; i < f.rows(); ++i) {
    if (std::find(gone.begin(), gone.end(), i) == gone.end()) kept.push_back(i);
  }
  return f(kept, Eigen::all);
}

struct DrawnCase {
  Matrix features;
  Targets targets;
  Matrix y;  // the same, dense
};

struct FoundEvidence {
  std::vector<EvidenceColumn> columns;
  std::optional<LeftOutEvidence> left;
};

FoundEvidence find(const DrawnCase& sample, bool center, const std::vector<Label>& groups = {}) {
  const Rows rows = rows_of_matrix(sample.features, "features");
  const Problem problem = make_problem(test::pool(), *rows, sample.targets, center, Index{1} << 30);
  FoundEvidence out{maximize_evidence(problem.reduced(), problem.active()), {}};
  out.left = leave_out_evidence(test::pool(), *rows, sample.targets, problem.reduced(), out.columns,
                                groups);
  return out;
}

double brute_force(const DrawnCase& sample, const std::vector<EvidenceColumn>& columns,
                   const std::vector<Index>& gone, bool center) {
  double sum = 0.0;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Vector y = sample.y.col(static_cast<Index>(c));
    const double alpha = std::min(columns[c].alpha, 1e300);
    sum += log_evidence(sample.features, y, alpha, columns[c].beta, center) -
           log_evidence(rows_without(sample.features, gone), rows_without(y, gone), alpha,
                        columns[c].beta, center);
  }
  return sum / static_cast<double>(columns.size());
}

DrawnCase random_case(Index n, Index dim, std::uint64_t seed, double noise = 1.0) {
  Random random(seed);
  DrawnCase out;
  out.features.resize(n, dim);
  for (double& value : out.features.reshaped()) value = random.normal() + 0.3;
  Matrix weights(dim, 2);
  for (double& value : weights.reshaped()) value = random.normal() / std::sqrt(double(dim));
  out.y = out.features * weights;
  for (double& value : out.y.reshaped()) value += noise * random.normal() + 2.0;
  out.targets = targets_of_values(out.y, {"a", "b"}, "targets");
  return out;
}

class LeaveOutGolden : public testing::TestWithParam<std::string> {};

TEST_P(LeaveOutGolden, AgreesWithBruteForceFromElsewhere) {
  const std::filesystem::path folder = test::golden("leave_out");
  const Rows rows = open_features(folder / (GetParam() + "_F.npy"));
  const Targets targets = load_targets(folder / (GetParam() + "_y.npy"));
  const nlohmann::json expected =
      nlohmann::json::parse(std::ifstream(folder / "leave_out.json"))[GetParam()];
  const Problem problem = make_problem(test::pool(), *rows, targets, false, Index{1} << 30);
  std::vector<EvidenceColumn> columns = maximize_evidence(problem.reduced(), problem.active());
  for (std::size_t c = 0; c < columns.size(); ++c) {  // at the very alpha and beta of those values
    EXPECT_NEAR(columns[c].alpha / expected[c]["alpha"].get<double>(), 1.0, 1e-3);
    columns[c].kind = EvidenceCase::interior;
    columns[c].alpha = expected[c]["alpha"];
    columns[c].beta = expected[c]["beta"];
    columns[c].t = columns[c].alpha / columns[c].beta;
    const double square = std::pow(problem.reduced().unit, 2);
    columns[c].unit_t = columns[c].t / square;
    columns[c].unit_alpha = columns[c].alpha / square;
  }
  const auto left =
      leave_out_evidence(test::pool(), *rows, targets, problem.reduced(), columns, {});
  ASSERT_TRUE(left);
  ASSERT_EQ(columns.size(), expected.size());
  const auto mean_over_columns = [&](const auto& value) {
    double sum = 0.0;
    for (const auto& column : expected) sum += value(column);
    return sum / static_cast<double>(expected.size());
  };
  for (std::size_t i = 0; i < left->units.size(); ++i) {
    EXPECT_NEAR(left->units[i], mean_over_columns([&](const auto& c) {
                  return c["leave_one_out"][i].template get<double>();
                }),
                1e-9)
        << "row " << i;
  }
  std::vector<Label> groups(left->units.size());
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = static_cast<Label>(i < 2 ? 0 : i - 1);
  const auto blocks =
      leave_out_evidence(test::pool(), *rows, targets, problem.reduced(), columns, groups);
  ASSERT_TRUE(blocks);
  EXPECT_NEAR(blocks->units[0], mean_over_columns([](const auto& c) {
                return c["leave_pair_01_out"].template get<double>();
              }),
              1e-7);
  EXPECT_NEAR(blocks->units[1], left->units[2], 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Cases, LeaveOutGolden, testing::Values("loo_tall", "loo_wide"));

struct CaseShape {
  Index n, dim;
  bool center;
  double noise;
};

class LeaveOutEvidence : public testing::TestWithParam<CaseShape> {};

TEST_P(LeaveOutEvidence, IsTheEvidenceLostRowsPairsAndGroups) {
  const auto [n, dim, center, noise] = GetParam();
  const DrawnCase sample = random_case(n, dim, 5, noise);
  const FoundEvidence found = find(sample, center);
  ASSERT_TRUE(found.left);
  for (const Index row : {Index{0}, n / 2, n - 1}) {
    EXPECT_NEAR(found.left->units[static_cast<std::size_t>(row)],
                brute_force(sample, found.columns, {row}, center), 2e-6)
        << "row " << row;
  }
  const std::vector<RowPair> pairs = sampled_pairs(n);
  ASSERT_EQ(pairs.size(), found.left->pairs.size());
  for (const std::size_t k : {std::size_t{0}, pairs.size() - 1}) {
    const auto [i, j] = pairs[k];
    const double both = brute_force(sample, found.columns, {i, j}, center);
    EXPECT_NEAR(found.left->pairs[k],
                both - found.left->units[static_cast<std::size_t>(i)] -
                    found.left->units[static_cast<std::size_t>(j)],
                4e-6)
        << "pair " << k;
  }
  const std::vector<RowTriple> triples = sampled_triples(n);
  ASSERT_EQ(triples.size(), found.left->triples.size());
  for (const std::size_t k : {std::size_t{0}, triples.size() / 2, triples.size() - 1}) {
    const auto unit = [&](Index i) { return found.left->units[static_cast<std::size_t>(i)]; };
    const auto both = [&](Index i, Index j) {
      return brute_force(sample, found.columns, {i, j}, center);
    };
    const auto [i, j] = pairs[static_cast<std::size_t>(triples[k].first)];
    const Index l = pairs[static_cast<std::size_t>(triples[k].outer)].second;
    ASSERT_EQ(pairs[static_cast<std::size_t>(triples[k].second)].first, j);
    ASSERT_EQ(pairs[static_cast<std::size_t>(triples[k].second)].second, l);
    ASSERT_EQ(pairs[static_cast<std::size_t>(triples[k].outer)].first, i);
    EXPECT_NEAR(found.left->triples[k],
                brute_force(sample, found.columns, {i, j, l}, center) - both(i, j) - both(j, l) -
                    both(i, l) + unit(i) + unit(j) + unit(l),
                8e-6)
        << "triple " << k;
  }
  std::vector<Label> groups;
  for (Index i = 0; i < n; ++i) groups.push_back(static_cast<Label>(i / 4));
  const FoundEvidence grouped = find(sample, center, groups);
  ASSERT_TRUE(grouped.left);
  EXPECT_NEAR(grouped.left->units[1], brute_force(sample, found.columns, {4, 5, 6, 7}, center),
              4e-6);
}

INSTANTIATE_TEST_SUITE_P(Shapes, LeaveOutEvidence,
                         testing::Values(CaseShape{40, 6, false, 1.0}, CaseShape{40, 6, true, 1.0},
                                         CaseShape{20, 50, false, 1.0},
                                         CaseShape{20, 50, true, 1.0},
                                         CaseShape{24, 20, true, 0.2}));

TEST(LeaveOutEvidence, OfAFitOfAnythingHasALimit) {  // t -> 0 with rank n
  const DrawnCase sample = random_case(12, 300, 3, 0.0);
  const FoundEvidence found = find(sample, false);
  ASSERT_EQ(found.columns[0].kind, EvidenceCase::interpolates);
  ASSERT_TRUE(found.left);
  for (const Index row : {0, 5, 11}) {
    EXPECT_NEAR(found.left->units[static_cast<std::size_t>(row)],
                brute_force(sample, found.columns, {row}, false), 1e-6);
  }
}

TEST(LeaveOutEvidence, OfUninformativeFeaturesIsThatOfNone) {
  DrawnCase sample = random_case(50, 3, 9);
  Random random(77);
  for (double& value : sample.features.reshaped()) value = random.normal();
  for (double& value : sample.y.reshaped()) value = random.normal();
  sample.targets = targets_of_values(sample.y, {"a", "b"}, "targets");
  const FoundEvidence found = find(sample, false);
  ASSERT_TRUE(found.left);
  EXPECT_NEAR(found.left->units[7], brute_force(sample, found.columns, {7}, false), 1e-6);
}

TEST(LeaveOutEvidence, OfAnExactFitIsUnknown) {
  DrawnCase sample = random_case(50, 3, 2, 0.0);
  sample.y.array() -= 2.0;
  sample.targets = targets_of_values(sample.y, {"a", "b"}, "targets");
  EXPECT_FALSE(find(sample, false).left);
}

TEST(LeaveOutEvidence, OfLargeMeansLosesNoDigits) {  // the mean lies apart in the reduction
  DrawnCase sample = random_case(60, 5, 4);
  sample.features.array() += 1e5;
  const FoundEvidence found = find(sample, false);
  ASSERT_TRUE(found.left);
  DrawnCase centred = sample;
  EXPECT_NEAR(found.left->units[3], brute_force(centred, found.columns, {3}, false), 1e-3);
}

// Squares of these features, and so alpha and t, are no doubles.
TEST(LeaveOutEvidence, IgnoresTheScaleOfTheFeatures) {
  for (const DrawnCase& sample :
       {random_case(40, 6, 5), random_case(20, 50, 6), random_case(12, 300, 3, 0.0)}) {
    const FoundEvidence plain = find(sample, false);
    ASSERT_TRUE(plain.left);
    for (const double scale : {1e-300, 1e-180, 1e180, 1e300}) {
      DrawnCase scaled = sample;
      scaled.features *= scale;
      const FoundEvidence found = find(scaled, false);
      ASSERT_TRUE(found.left) << scale;
      for (const std::size_t row : {0, 7})
        EXPECT_NEAR(found.left->units[row], plain.left->units[row], 1e-8) << scale;
      EXPECT_NEAR(found.left->pairs[0], plain.left->pairs[0], 1e-8) << scale;
    }
  }
}

TEST(ShiftGrid, ComesToAnEndWhateverTheShiftsAre) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(shift_grid(std::vector<double>{nan, 1.0, nan, 0.0}).weights.cols(), 4);
}

TEST(ShiftGrid, InterpolatesLeverages) {
  std::vector<double> wanted;
  for (int k = 0; k < 200; ++k) wanted.push_back(std::exp(-9.0 + 0.1 * k));
  const ShiftGrid grid = shift_grid(wanted);
  EXPECT_LT(grid.shifts.size(), 100U);
  const auto leverage = [](double t) {
    return std::log(1.0 - 0.3 / (1.0 + t) - 0.6 * 0.01 / (0.01 + t));
  };
  for (std::size_t c = 0; c < wanted.size(); ++c) {
    double value = 0.0;
    for (std::size_t g = 0; g < grid.shifts.size(); ++g)
      value +=
          leverage(grid.shifts[g]) * grid.weights(static_cast<Index>(g), static_cast<Index>(c));
    EXPECT_NEAR(value, leverage(wanted[c]), 1e-7);
  }
}

}  // namespace
}  // namespace assay
