// The ball lies in the coordinates of the representation, the metric is diagonal in the eigenbasis:
// no closed form. Its dual problem in v = w, the weights in the eigenbasis, is
//
//     min  1/2 v' Lambda v - mu~'v + eps |F v|_q,    1/p + 1/q = 1,
//
// and with bounds -t_i <= (F v)_i <= t_i a quadratic programme: eps sum_i t_i for p = infinity, one
// t for all i and eps t for p = 1. Its multipliers a, b of the two bounds give z = a - b. Solved by
// Mehrotra's predictor-corrector; a step is a Cholesky factor of Lambda + F' diag(h) F, r x r,
// which small variances do not hurt because Lambda is never inverted.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "linalg/cholesky.h"
#include "linalg/gram.h"
#include "robust/nearest_shift.h"

namespace assay {
namespace {

struct Iterate {
  Vector v;     // r
  Vector t;     // D for p = infinity, 1 for p = 1
  Vector a, b;  // D, multipliers of F v <= t and -F v <= t
};

// Stepped along like the rest and not computed anew: the difference of nearly equal numbers would
// lose the digits that complementarity needs.
struct Slacks {
  Vector upper;  // t - F v
  Vector lower;  // t + F v
};

class BallProgram {
 public:
  // Variances relative to the largest and the gap to its own length: then all that follows is of
  // the size of one, whatever the units of the representation.
  BallProgram(const GaussianPair& pair, double radius, Norm norm)
      : basis_(pair.basis),
        dim_(pair.basis.rows()),
        shared_(norm == Norm::one),
        unit_(pair.variances[0]),
        length_(pair.half_gap.norm()),
        lambda_(pair.variances / unit_),
        mu_(pair.half_gap / length_),
        epsilon_(radius / length_),
        rows_(pair.basis.transpose()) {}

  NearestShift solve() {
    constexpr int most_steps = 100;
    constexpr double goal = 1e-12;
    constexpr double good = 1e-9;  // some problems have no more digits to give
    constexpr int patience = 10;   // steps without gain
    Iterate x = start();
    Slacks s = bounds(x);
    Vector best = x.v;
    double least = error_of(x, s);
    for (int step = 0, idle = 0; step < most_steps && least > goal && idle < patience; ++step) {
      if (!advance(x, s)) break;
      const double error = error_of(x, s);
      if (!(error < least)) {
        ++idle;
        continue;
      }
      idle = 0;
      least = error;
      best = x.v;
    }
    NearestShift out;
    out.weights = (length_ / unit_) * best;
    out.shift = length_ * (mu_ - lambda_.cwiseProduct(best));
    out.converged = least <= good;
    return out;
  }

 private:
  Vector spread(const Vector& t) const { return shared_ ? Vector::Constant(dim_, t[0]) : t; }
  Vector gather(const Vector& values) const {
    return shared_ ? Vector::Constant(1, values.sum()) : values;
  }

  Iterate start() const {
    Iterate x;
    x.v = Vector::Zero(lambda_.size());
    x.t = Vector::Ones(shared_ ? 1 : dim_);
    x.a = Vector::Constant(dim_, 0.5 * epsilon_ / static_cast<double>(shared_ ? dim_ : 1));
    x.b = x.a;
    return x;
  }

  // t -+ F v, of a point or of a direction.
  Slacks bounds(const Iterate& x) const {
    const Vector w = basis_ * x.v;
    const Vector t = spread(x.t);
    return {t - w, t + w};
  }

  static double gap(const Iterate& x, const Slacks& s) {
    return (x.a.dot(s.upper) + x.b.dot(s.lower)) / static_cast<double>(2 * x.a.size());
  }

  // Gradient in v: 0 at the optimum.
  Vector residual_v(const Iterate& x) const {
    return lambda_.cwiseProduct(x.v) - mu_ + basis_.transpose() * (x.a - x.b);
  }
  Vector residual_t(const Iterate& x) const {
    return Vector::Constant(x.t.size(), epsilon_) - gather(x.a + x.b);
  }

  // How far from optimal: the gap between the two problems and what their equations miss.
  double error_of(const Iterate& x, const Slacks& s) const {
    const double objective = std::max(epsilon_ * x.t.sum(), std::abs(mu_.dot(x.v)));
    return std::max({gap(x, s) * static_cast<double>(2 * dim_) / objective, residual_v(x).norm(),
                     residual_t(x).lpNorm<Eigen::Infinity>() / epsilon_});
  }

  // The Newton direction for a s_upper = target_a, b s_lower = target_b.
  class Newton {
   public:
    Newton(const BallProgram& program, const Iterate& x, const Slacks& s)
        : program_(program),
          x_(x),
          s_(s),
          p_(x.a.cwiseQuotient(s.upper)),
          q_(x.b.cwiseQuotient(s.lower)),
          sum_(p_ + q_),
          difference_(p_ - q_) {
      // Without the t_i, which are eliminated one by one: p + q - (p - q)^2 / (p + q).
      const Vector weight =
          program.shared_ ? sum_ : Vector(4.0 * p_.cwiseProduct(q_).cwiseQuotient(sum_));
      const Matrix scaled = program.rows_ * weight.cwiseSqrt().asDiagonal();
      Matrix system = product(scaled, false, scaled, true);
      system.diagonal() += program.lambda_;
      factor_ = cholesky(std::move(system));
      if (!factor_ || !program.shared_) return;
      border_ = program.rows_ * difference_;
      solved_border_ = back_substitute(border_);
      corner_ = sum_.sum() - border_.dot(solved_border_);
    }

    bool possible() const { return factor_.has_value(); }

    Iterate direction(const Vector& target_a, const Vector& target_b) const {
      const Vector ca = target_a.cwiseQuotient(s_.upper) - x_.a;
      const Vector cb = target_b.cwiseQuotient(s_.lower) - x_.b;
      const Vector rhs_v = -program_.residual_v(x_) - program_.rows_ * (ca - cb);
      const Vector rhs_t = program_.gather(ca + cb) - program_.residual_t(x_);
      Iterate d;
      Vector step_w;
      if (program_.shared_) {
        const Vector plain = back_substitute(rhs_v);
        d.t = Vector::Constant(1, (rhs_t[0] + border_.dot(plain)) / corner_);
        d.v = plain + d.t[0] * solved_border_;
        step_w = program_.basis_ * d.v;
      } else {
        const Vector pull = difference_.cwiseQuotient(sum_);
        d.v = back_substitute(rhs_v + program_.rows_ * pull.cwiseProduct(rhs_t));
        step_w = program_.basis_ * d.v;
        d.t = (rhs_t + difference_.cwiseProduct(step_w)).cwiseQuotient(sum_);
      }
      const Vector step_t = program_.spread(d.t);
      d.a = ca - p_.cwiseProduct(step_t - step_w);
      d.b = cb - q_.cwiseProduct(step_t + step_w);
      return d;
    }

   private:
    Vector back_substitute(const Vector& rhs) const {
      const Matrix half = solve_lower(*factor_, rhs);
      return factor_->transpose().triangularView<Eigen::Upper>().solve(half.col(0));
    }

    const BallProgram& program_;
    const Iterate& x_;
    const Slacks& s_;
    Vector p_, q_, sum_, difference_;
    std::optional<Matrix> factor_;
    Vector border_, solved_border_;
    double corner_ = 1.0;
  };

  // The longest step up to 1 that keeps all of value + step * change positive.
  static double longest(const Vector& value, const Vector& change) {
    double step = 1.0;
    for (Index i = 0; i < value.size(); ++i)
      if (change[i] < 0.0) step = std::min(step, -value[i] / change[i]);
    return step;
  }

  static double longest(const Iterate& x, const Slacks& s, const Iterate& d, const Slacks& ds) {
    return std::min({longest(x.a, d.a), longest(x.b, d.b), longest(s.upper, ds.upper),
                     longest(s.lower, ds.lower)});
  }

  // One predictor and corrector. False when the factor breaks down: no digit is left to gain.
  bool advance(Iterate& x, Slacks& s) const {
    const Newton newton(*this, x, s);
    if (!newton.possible()) return false;
    const Vector none = Vector::Zero(dim_);
    const Iterate predicted = newton.direction(none, none);
    const Slacks ds = bounds(predicted);
    const double reach = longest(x, s, predicted, ds);
    const double now = gap(x, s);
    Iterate ahead = x;
    ahead.a += reach * predicted.a;
    ahead.b += reach * predicted.b;
    const Slacks s_ahead{s.upper + reach * ds.upper, s.lower + reach * ds.lower};
    const double centring = std::pow(gap(ahead, s_ahead) / now, 3);
    const Vector target = Vector::Constant(dim_, centring * now);
    const Iterate d = newton.direction(target - predicted.a.cwiseProduct(ds.upper),
                                       target - predicted.b.cwiseProduct(ds.lower));
    if (!d.v.allFinite() || !d.a.allFinite() || !d.b.allFinite()) return false;
    constexpr double back_off = 0.995;
    const Slacks d_slack = bounds(d);
    const double step = std::min(1.0, back_off * longest(x, s, d, d_slack));
    x.v += step * d.v;
    x.t += step * d.t;
    x.a += step * d.a;
    x.b += step * d.b;
    s.upper += step * d_slack.upper;
    s.lower += step * d_slack.lower;
    return true;
  }

  const Matrix& basis_;
  Index dim_;
  bool shared_;  // one t for all
  double unit_;
  double length_;
  Vector lambda_;
  Vector mu_;
  double epsilon_;
  Matrix rows_;  // F'
};

}  // namespace

NearestShift nearest_in_features(const GaussianPair& pair, double radius, Norm norm) {
  return BallProgram(pair, radius, norm).solve();
}

}  // namespace assay
