#include "curve/curve_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "linalg/cholesky.h"

namespace assay {
namespace {

constexpr int kPowers = 24;
constexpr double kSlowest = 0.05;
constexpr double kFastest = 2.5;
constexpr int kScales = 16;
constexpr std::array kSharpness = {0.2, 0.3, 0.45, 0.6, 0.8, 1.0, 1.3};
constexpr int kFloors = 24;
constexpr std::array kFamilyErrors = {0.002, 0.01, 0.04};  // of the loss at the end of the data
constexpr double kNegligible = 30.0;                       // nats of evidence

// log of the integral of a normal density (mean, sd) from 0 to `most`, and a draw from that part.
double log_mass(double mean, double sd, double most) {
  const auto below = [&](double x) {
    return 0.5 * std::erfc((mean - x) / (sd * std::numbers::sqrt2));
  };
  return std::log(std::max(below(most) - below(0.0), 1e-300));
}

double draw_between(double mean, double sd, double most, Random& random) {
  for (int k = 0; k < 100; ++k) {
    const double value = mean + sd * random.normal();
    if (value > 0.0 && value < most) return value;
  }
  return std::clamp(mean, 1e-12, most);
}

}  // namespace

double FittedCurve::at(double n) const {
  return power ? floor + height * std::pow(n / scale, -shape)
               : floor + height * std::exp(-std::pow(n / scale, shape));
}

std::optional<double> FittedCurve::crossing(double target) const {
  if (!(target > floor)) return std::nullopt;
  if (!(height > 0.0)) return 0.0;
  const double share = (target - floor) / height;
  if (share >= 1.0 && !power) return 0.0;
  return power ? scale * std::pow(share, -1.0 / shape)
               : scale * std::pow(-std::log(share), 1.0 / shape);
}

CurveFits::CurveFits(const std::vector<Index>& sizes, const Vector& mean, const Matrix& covariance,
                     double chance)
    : chance_(std::max(chance, 1.001 * mean.maxCoeff())),
      largest_(static_cast<double>(sizes.back())),
      floor_step_(mean[mean.size() - 1] / kFloors) {
  Vector n(mean.size());
  for (Index k = 0; k < n.size(); ++k)
    n[k] = static_cast<double>(sizes[static_cast<std::size_t>(k)]);
  for (int i = 0; i < kPowers; ++i) {
    const double b =
        kSlowest * std::pow(kFastest / kSlowest, static_cast<double>(i) / (kPowers - 1));
    shapes_.push_back({true, largest_, b, (n / largest_).array().pow(-b)});
  }
  for (int i = 0; i < kScales; ++i) {
    // From a tenth of the smallest size to a hundred times the largest.
    const double m =
        0.1 * n[0] * std::pow(1000.0 * largest_ / n[0], static_cast<double>(i) / (kScales - 1));
    for (const double q : kSharpness) {
      const Vector fallen = 1.0 - (-(n / m).array().pow(q)).exp();
      shapes_.push_back({false, m, q, fallen});
    }
  }
  const Vector trust = (n / largest_).array().pow(-0.25) * mean.array();
  for (const double share : kFamilyErrors) {
    Matrix total = covariance;
    total.diagonal() += (share * trust).cwiseAbs2();
    total.diagonal().array() += 1e-12 * chance_ * chance_;
    std::optional<Matrix> lower = cholesky(std::move(total));
    if (!lower) continue;  // not with an error added to every variance
    Error error{std::move(*lower), 0.0, Vector::Ones(n.size()), {}};
    error.log_size = error.factor.diagonal().array().log().sum();
    const auto factor = error.factor.triangularView<Eigen::Lower>();
    factor.solveInPlace(error.ones);
    for (const Shape& shape : shapes_) {
      Vector basis = shape.basis;
      factor.solveInPlace(basis);
      error.bases.push_back(std::move(basis));
    }
    errors_.push_back(std::move(error));
  }
}

// Families weigh the same; so do the shapes of each. A floor that leaves little of the loss to fall
// is less plausible, in proportion: most curves that still fall have some way to go.
void CurveFits::weigh(const Error& error, const Vector& losses, Weighed& out) const {
  const Vector y = error.factor.triangularView<Eigen::Lower>().solve(losses);
  const double yy = y.squaredNorm();
  const double y1 = y.dot(error.ones);
  const double one = error.ones.squaredNorm();
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const Vector& basis = error.bases[i];
    const double yb = y.dot(basis);
    const double b1 = basis.dot(error.ones);
    const double bb = basis.squaredNorm();
    const auto add = [&](double floor, double rest, double rest_b, double prior) {
      const double mean = rest_b / bb;
      const double sd = 1.0 / std::sqrt(bb);
      const double peak = -0.5 * (rest - mean * rest_b) - error.log_size + std::log(sd) + prior;
      if (peak < out.most - kNegligible) return;
      const double evidence = peak + log_mass(mean, sd, chance_);
      out.most = std::max(out.most, evidence);
      out.cells.push_back({i, floor, mean, sd, evidence});
    };
    if (!shapes_[i].power) {  // c - y = (c - e) basis
      const double rest = yy - 2.0 * chance_ * y1 + chance_ * chance_ * one;
      add(0.0, rest, chance_ * b1 - yb, -std::log(double{kScales} * kSharpness.size()));
      continue;
    }
    for (int f = 0; f < kFloors; ++f) {
      const double share = (f + 0.5) / kFloors;  // of the loss at the end
      const double floor = share * kFloors * floor_step_;
      const double rest = yy - 2.0 * floor * y1 + floor * floor * one;
      add(floor, rest, yb - floor * b1,
          std::log(2.0 * (1.0 - share)) - std::log(double{kPowers} * kFloors));
    }
  }
}

FittedCurve CurveFits::draw(const Vector& losses, Random& random) const {
  Weighed weighed;
  for (const Error& error : errors_) weigh(error, losses, weighed);
  // Nothing fits what is 0 throughout, or beyond the range of squares: it stays where it is.
  if (weighed.cells.empty()) return {true, losses[losses.size() - 1], 0.0, largest_, 1.0};
  double total = 0.0;
  for (Cell& cell : weighed.cells) total += cell.evidence = std::exp(cell.evidence - weighed.most);
  double left = random.uniform() * total;
  std::size_t chosen = 0;
  while (chosen + 1 < weighed.cells.size() && (left -= weighed.cells[chosen].evidence) > 0.0)
    ++chosen;
  const Cell& cell = weighed.cells[chosen];
  const Shape& shape = shapes_[cell.shape];
  const double height = draw_between(cell.mean, cell.sd, chance_, random);
  if (!shape.power) return {false, chance_ - height, height, shape.scale, shape.shape};
  // Floors lie anywhere in their part of the grid; the curve keeps its end.
  const double shift = std::min(floor_step_ * (random.uniform() - 0.5), 0.999 * height);
  return {true, cell.floor + shift, height - shift, shape.scale, shape.shape};
}

}  // namespace assay
