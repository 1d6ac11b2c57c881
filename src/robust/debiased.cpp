// With nu = n - 2 degrees of freedom, c = (1/n1 + 1/n0) / 4 and df(l) = tr S (S + l I)^-1, sums
// with the fitted covariance S at the ridge l speak of sums with the true one at the ridge
//
//     tau = l / k,   k = 1 - df(l) / nu,   a(tau) = mu'(Sigma + tau I)^-1 mu
//                                                 = k m'(S + l I)^-1 m - c df(l),
//
// the second term being what the noise of the means adds. The derivative a' = da/dtau gives the
// rest: |z|^2 = -tau^2 a' for the shift z of the classifier, and w'Sigma w = a + tau a'. So l is
// the root of -tau^2 a' = eps^2 |mu|^2, where m'm - c tr S stands for |mu|^2.
#include "robust/debiased.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

// What the samples say at one ridge.
struct AtRidge {
  double tau = 0.0, tau_slope = 1.0;          // and its derivative by l
  double gap = 0.0, gap_slope = 0.0;          // a, and its derivative by l
  double freedom = 1.0, freedom_slope = 0.0;  // k, and its derivative by l

  double shift() const { return -tau * tau * gap_slope / tau_slope; }  // |z|^2
  double variance() const { return gap + tau * gap_slope / tau_slope; }
};

class Debiaser {
 public:
  explicit Debiaser(const GaussianPair& pair)
      : pair_(pair),
        squares_(pair.half_gap.cwiseAbs2()),
        nu_(static_cast<double>(pair.samples() - 2)),
        noise_(pair.mean_noise()) {}

  AtRidge at(double ridge) const {
    const Vector inverse = (pair_.variances.array() + ridge).inverse().matrix();
    const double plain = squares_.dot(inverse);
    const double squared = squares_.dot(inverse.cwiseAbs2());
    const double df = pair_.variances.dot(inverse);
    const double df_slope = -pair_.variances.dot(inverse.cwiseAbs2());
    AtRidge out;
    out.freedom = 1.0 - df / nu_;
    out.freedom_slope = -df_slope / nu_;
    out.tau = ridge / out.freedom;
    out.tau_slope = 1.0 / out.freedom - ridge * out.freedom_slope / (out.freedom * out.freedom);
    out.gap = out.freedom * plain - noise_ * df;
    out.gap_slope = out.freedom_slope * plain - out.freedom * squared - noise_ * df_slope;
    return out;
  }

  // eps^2 |mu|^2.
  double allowed(const Budget& budget) const {
    const double square = budget.epsilon * budget.epsilon;
    return budget.relative ? square * length() : square;
  }

  // |mu|^2.
  double length() const { return squares_.sum() - noise_ * pair_.variances.sum(); }

  // Without a shift to withstand the inverse of a Wishart matrix is known exactly: its mean is
  // nu / (nu - 1 - r) times the inverse of the truth. The limit l -> 0 above has nu - r for that.
  DebiasedClassifier plain() const {
    const auto r = static_cast<double>(pair_.rank());
    const double share = (nu_ - 1.0 - r) / nu_;
    DebiasedClassifier out;
    out.gap = out.variance =
        std::max(0.0, share * squares_.cwiseQuotient(pair_.variances).sum() - r * noise_);
    out.freedom = 1.0 - r / nu_;
    out.gap_by.plain = out.variance_by.plain = share;
    return out;
  }

  DebiasedClassifier robust(const Budget& budget) const {
    const double goal = allowed(budget);
    DebiasedClassifier out;
    if (!(goal < length())) return out;  // noise, or shifts that cover half the gap
    const double ridge = root(goal);
    const AtRidge now = at(ridge);
    if (!(now.gap > 0.0) || !(now.variance() > 0.0)) return out;
    out.gap = now.gap;
    out.variance = now.variance();
    out.ridge = ridge;
    out.freedom = now.freedom;
    set_sensitivities(budget, now, out);
    return out;
  }

 private:
  // |z|^2 grows with the ridge, from 0 to |mu|^2: bisection in log l.
  double root(double goal) const {
    constexpr double below = 40.0;  // e^-40 of the largest variance is as good as no ridge
    constexpr double above = 30.0;
    constexpr int halvings = 60;  // of 70: to the last digit
    const double unit = std::log(pair_.variances.maxCoeff());
    double low = unit - below;
    double high = unit + above;
    for (int step = 0; step < halvings; ++step) {
      const double middle = 0.5 * (low + high);
      (at(std::exp(middle)).shift() > goal ? high : low) = middle;
    }
    return std::exp(0.5 * (low + high));
  }

  // By the chain rule, the ridge being an implicit function of the three sums. Only its own slopes
  // are differences: second derivatives by hand would be longer than all of this.
  void set_sensitivities(const Budget& budget, const AtRidge& now, DebiasedClassifier& out) const {
    constexpr double step = 1e-4;
    const AtRidge less = at(out.ridge * (1.0 - step));
    const AtRidge more = at(out.ridge * (1.0 + step));
    const double width = 2.0 * step * out.ridge;
    const double shift_slope = (more.shift() - less.shift()) / width;
    const double variance_slope = (more.variance() - less.variance()) / width;
    const double lever = now.tau / now.tau_slope;
    Sensitivity shift{-now.tau * lever * now.freedom_slope, now.tau * lever * now.freedom, 0.0};
    shift.length = budget.relative ? -budget.epsilon * budget.epsilon : 0.0;
    Sensitivity ridge;
    if (shift_slope > 0.0) {
      ridge = {-shift.plain / shift_slope, -shift.squared / shift_slope,
               -shift.length / shift_slope};
    }
    out.gap_by = {now.freedom + now.gap_slope * ridge.plain, now.gap_slope * ridge.squared,
                  now.gap_slope * ridge.length};
    out.variance_by = {now.freedom + lever * now.freedom_slope + variance_slope * ridge.plain,
                       -lever * now.freedom + variance_slope * ridge.squared,
                       variance_slope * ridge.length};
  }

  const GaussianPair& pair_;
  Vector squares_;
  double nu_;
  double noise_;  // c
};

}  // namespace

std::string why_not_debiased(const GaussianPair& pair, const Budget& budget) {
  if (budget.epsilon > 0.0 && budget.norm != Norm::two)
    return "there is no closed form for norms other than 2";
  if (pair.samples() - 3 - pair.rank() > 0) return {};
  return fmt::format("{} samples at a scale do not suffice for a rank of {}; take more than {}",
                     pair.samples(), pair.rank(), pair.rank() + 3);
}

DebiasedClassifier debiased_classifier(const GaussianPair& pair, const Budget& budget) {
  if (pair.degenerate()) return {};
  const Debiaser debiaser(pair);
  return budget.epsilon > 0.0 ? debiaser.robust(budget) : debiaser.plain();
}

}  // namespace assay
