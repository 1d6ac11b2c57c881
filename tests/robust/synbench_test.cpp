#include "robust/synbench.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "golden.h"

namespace assay {
namespace {

using nlohmann::json;

const std::vector<double> kEpsilons = {0.0, 0.2, 0.4, 0.6, 0.8};

std::vector<Budget> relative_budgets() {
  std::vector<Budget> out;
  for (const double epsilon : kEpsilons) out.push_back({.epsilon = epsilon});
  return out;
}

TEST(MeasureScale, HasTheGoldenAccuracyAndBound) {
  const json golden = test::synbench_golden().at("given");
  const std::vector<Budget> budgets = relative_budgets();
  for (const std::string prefix : {"", "rd_"}) {
    const auto points =
        measure_scale(test::pool(), 1.0,
                      test::golden_representation(prefix + "rep_train", prefix + "lab_train"),
                      test::golden_representation(prefix + "rep_test", prefix + "lab_test"),
                      budgets, 0.5)
            .points;
    for (std::size_t e = 0; e < budgets.size(); ++e) {
      const json& value =
          golden[prefix + "rep"]["relative"][e == 0 ? "0" : json(kEpsilons[e]).dump()];
      EXPECT_NEAR(points[e].measured.accuracy, value["acc_empirical"].get<double>(), 1e-14);
      EXPECT_NEAR(points[e].measured.bound, value["bound_empirical"].get<double>(), 1e-10);
      EXPECT_NEAR(points[e].expected.accuracy, value["acc_analytic"].get<double>(), 1e-11);
    }
  }
}

TEST(MeasureScale, DropsScalesThatAnAbsoluteEpsilonCovers) {
  const std::vector<Budget> budgets = {{.epsilon = 0.6, .relative = false},
                                       {.epsilon = 0.8, .relative = false}};
  const auto points =
      measure_scale(test::pool(), 1.0, test::golden_representation("rep_train", "lab_train"),
                    test::golden_representation("rep_test", "lab_test"), budgets, 0.5)
          .points;
  EXPECT_EQ(points[0].status, PointStatus::ok);
  EXPECT_NEAR(points[0].measured.bound, 2.055791506850019, 1e-9);  // golden, absolute 0.6
  EXPECT_EQ(points[1].status, PointStatus::out_of_reach);
  EXPECT_FALSE(synbench_value(std::span(points).subspan(1), 0.7).has_value());
}

TEST(AreaAbove, HasTheGoldenAreasOfTheReference) {
  const json areas = test::synbench_golden().at("areas");
  std::vector<OperatingPoint> points;
  for (const double scale : test::paper_scales())
    points.push_back(reference_point(scale, 0.0, 0.5));
  for (const auto& [threshold, value] : areas.items()) {
    EXPECT_NEAR(area_above(points, std::stod(threshold)), value["integral"].get<double>(), 1e-13);
    EXPECT_NEAR(expected_bound(points, std::stod(threshold)), value["E"].get<double>(), 1e-13);
  }
}

TEST(AreaAbove, IsTheIntegralOfTheExpectedBound) {
  const std::vector<OperatingPoint> points = {{0.55, 4.0}, {0.71, 2.0}, {0.9, 1.25}, {1.0, 1.0}};
  constexpr int steps = 200000;  // midpoints; the steps of E cost at most one cell each
  double sum = 0.0;
  for (int i = 0; i < steps; ++i) sum += expected_bound(points, 0.6 + 0.4 * (i + 0.5) / steps);
  EXPECT_NEAR(area_above(points, 0.6), 0.4 * sum / steps, 1e-5);
}

using Network = std::function<Matrix(const Matrix&)>;  // samples in columns

std::map<std::string, Network> small_networks() {
  const auto weights = [](const std::string& name) {
    return Matrix(test::golden_columns(name).transpose());
  };
  const Matrix p = weights("net_P");
  const Matrix w1 = weights("net_W1");
  const Matrix w2 = weights("net_W2");
  const Vector c1 = test::golden_columns("net_c1").transpose();
  const Vector c2 = test::golden_columns("net_c2").transpose();
  Vector mean(48);
  Vector sd(48);
  mean << Vector::Constant(16, 0.485), Vector::Constant(16, 0.456), Vector::Constant(16, 0.406);
  sd << Vector::Constant(16, 0.229), Vector::Constant(16, 0.224), Vector::Constant(16, 0.225);
  return {{"identity", [](const Matrix& x) { return x; }},
          {"linear48to10", [=](const Matrix& x) { return Matrix(p * x); }},
          {"relu48-32-16",
           [=](const Matrix& x) {
             Matrix hidden = ((w1 * x).colwise() + c1).cwiseMax(0.0);
             return Matrix((w2 * hidden).colwise() + c2);
           }},
          {"identity_imagenet_norm", [=](const Matrix& x) {
             return Matrix(sd.cwiseInverse().asDiagonal() * (x.colwise() - mean));
           }}};
}

LabelledRepresentation represent(const Network& network, const std::string& noise,
                                 const std::vector<Label>& labels, double scale) {
  Matrix x = test::golden_columns(noise).array() + 0.5;
  for (Index i = 0; i < x.cols(); ++i)
    x.col(i).array() +=
        (labels[static_cast<std::size_t>(i)] == 1 ? scale : -scale) / std::sqrt(48.0);
  return {network(x), labels};
}

TEST(SynbenchValue, IsTheGoldenOneForFourSmallNetworks) {
  const json golden = test::synbench_golden();
  const auto train_labels = test::golden_labels("ylab_train");
  const auto test_labels = test::golden_labels("ylab_test");
  const std::vector<Budget> budgets = relative_budgets();
  for (const auto& [name, network] : small_networks()) {
    std::vector<std::vector<ScalePoint>> by_budget(budgets.size());
    for (const double scale : test::paper_scales()) {
      const auto points =
          measure_scale(test::pool(), scale, represent(network, "noise_train", train_labels, scale),
                        represent(network, "noise_test", test_labels, scale), budgets, 0.5)
              .points;
      for (std::size_t e = 0; e < budgets.size(); ++e) by_budget[e].push_back(points[e]);
    }
    const json& of_network = golden["networks"][name];
    for (std::size_t e = 0; e < budgets.size(); ++e) {
      const std::string epsilon = e == 0 ? "0" : json(kEpsilons[e]).dump();
      const json& measured = of_network["measured"][epsilon];
      std::vector<OperatingPoint> trusted;
      for (std::size_t s = 0; s < by_budget[e].size(); ++s) {
        const ScalePoint& point = by_budget[e][s];
        trusted.push_back({measured["accuracy"][s], measured["bound"][s]});
        EXPECT_NEAR(point.measured.accuracy, trusted.back().accuracy, 1e-12) << name;
        EXPECT_NEAR(point.measured.bound, trusted.back().bound, 1e-8) << name;
        EXPECT_NEAR(point.expected.accuracy, measured["accuracy_expected"][s].get<double>(), 1e-8);
        EXPECT_NEAR(point.expected.bound, measured["bound_expected"][s].get<double>(), 1e-8);
      }
      for (const auto& [threshold, area] : golden["areas"].items()) {
        const double at = std::stod(threshold);
        const double value = synbench_value(by_budget[e], at).value();
        EXPECT_NEAR(value, area_above(trusted, at) / area["integral"].get<double>(), 1e-8);
        // The public code's bounds are float32 means over batches of unequal size: two to three
        // digits less.
        EXPECT_NEAR(value, of_network["public_code_exact_integral"][epsilon][threshold], 2e-3)
            << name << " " << epsilon << " " << threshold;
        EXPECT_NEAR(synbench_expected(by_budget[e], at).value(),
                    of_network["analytic_value"][epsilon][threshold].get<double>(), 1e-8);
      }
    }
  }
}

TEST(SynbenchValue, KeepsItsValueAtEpsilonZeroUnderInvertibleMaps) {
  // Distances change with the map, the classifier of epsilon 0 does not: it whitens.
  Matrix map = test::gaussian(12, 12, 3);
  map.diagonal().array() += 3.0;
  const Vector shift = test::gaussian(12, 1, 4);
  const auto mapped = [&](const std::string& samples, const std::string& labels) {
    LabelledRepresentation out = test::golden_representation(samples, labels);
    out.samples = ((map * out.samples).colwise() + shift).eval();
    return out;
  };
  const std::vector<Budget> budgets = {{.epsilon = 0.0}, {.epsilon = 0.6}};
  const auto plain =
      measure_scale(test::pool(), 1.0, test::golden_representation("rep_train", "lab_train"),
                    test::golden_representation("rep_test", "lab_test"), budgets, 0.5)
          .points;
  const auto other = measure_scale(test::pool(), 1.0, mapped("rep_train", "lab_train"),
                                   mapped("rep_test", "lab_test"), budgets, 0.5)
                         .points;
  EXPECT_EQ(plain[0].measured.accuracy, other[0].measured.accuracy);
  EXPECT_NEAR(plain[0].measured.bound, other[0].measured.bound, 1e-10);
  EXPECT_GT(std::abs(plain[1].expected.accuracy - other[1].expected.accuracy), 1e-4);
}

TEST(MeasureScale, CountsARepresentationWithoutContentAsZero) {
  const auto constant = [](const std::string& labels) {
    const auto y = test::golden_labels(labels);
    return LabelledRepresentation{Matrix::Constant(12, static_cast<Index>(y.size()), 0.1), y};
  };
  const std::vector<Budget> budgets = relative_budgets();
  const auto points =
      measure_scale(test::pool(), 2.0, constant("lab_train"), constant("lab_test"), budgets, 0.5)
          .points;
  for (const ScalePoint& point : points) {
    EXPECT_EQ(point.status, PointStatus::degenerate);
    EXPECT_EQ(synbench_value(std::span(&point, 1), 0.7), 0.0);
  }
}

}  // namespace
}  // namespace assay
