#include "metrics/evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "core/dispatch.h"
#include "linalg/resolvent.h"

namespace assay {
namespace {

// log t is searched between these, relative to the largest eigenvalue. Above,
// the gain over no features is below 1e-12; below, rounding has eaten the residual.
constexpr double kLowest = -30.0;
constexpr double kHighest = 14.0;
// A node misses the peak beside it by less than this (|L''| <= 1/4 over half a unit).
constexpr double kNodeSlack = 0.04;
// In log t. A Newton step d leaves an error of order d^2 in log t, and of order d^3 in the value
// once its parabola is followed to the top: 1e-9 and 1e-13 here.
constexpr double kLastStep = 3e-5;
// Halvings of a bracket (the floored profile has a kink) go on to this.
constexpr double kConverged = 3e-8;
constexpr double kResidualFloor = 1e-12;  // of |y|^2; below it the fit counts as exact

struct Candidate {
  Index column = 0;
  Index node = 0;
};

struct Peak {
  double log_t = 0.0;
  double residual = 0.0;  // q
  double value = -std::numeric_limits<double>::infinity();
  bool settled = false;
};

struct TraceLanes {
  Lanes log_det{};  // sum log(1 + s/t)
  Lanes gamma{};    // sum s/(t+s), the paper's number of well-determined directions
  Lanes slope{};    // sum s t/(t+s)^2
};

// Logarithms are taken of products of sixteen factors: each is above 1e-14. Sums are local, because
// the compiler makes vectors of the lanes only where nothing can overlap them.
void sum_traces(const double* s, Index count, const Lanes& at, TraceLanes& out) {
  double t[kLanes];
  double product[kLanes];
  double gamma[kLanes] = {};
  double slope[kLanes] = {};
  std::copy(at.begin(), at.end(), t);
  std::fill(product, product + kLanes, 1.0);
  for (Index i = 0; i < count; ++i) {
    const double value = s[i];
    for (int k = 0; k < kLanes; ++k) {
      const double inverse = 1.0 / (t[k] + value);
      const double share = value * inverse;
      const double rest = t[k] * inverse;
      gamma[k] += share;
      slope[k] += share * rest;
      product[k] *= rest;
    }
    if (i % 16 == 15 || i + 1 == count) {
      for (int k = 0; k < kLanes; ++k) out.log_det[k] -= std::log(product[k]);
      std::fill(product, product + kLanes, 1.0);
    }
  }
  for (int k = 0; k < kLanes; ++k) {
    out.gamma[k] += gamma[k];
    out.slope[k] += slope[k];
  }
}

class Profile {
 public:
  Profile(const Reduced& reduced, const std::vector<bool>& active)
      : reduced_(reduced), active_(active), n_(static_cast<double>(reduced.count)) {
    const Vector& s = reduced.tridiagonal.eigenvalues;
    positive_ = s.tail(reduced.rank);
    const double top = std::log(s.tail(1)[0]) + kHighest;
    // If the mean dominates the spectrum, the second eigenvalue gives the lower end of the grid,
    // because the first one says nothing about the other directions.
    const bool apart = reduced.mean_apart && reduced.rank > 1;
    const double bottom = std::log(s[s.size() - (apart ? 2 : 1)]) + kLowest;
    // One node per unit of log t: no feature of L is narrower.
    for (double log_t = top; log_t > bottom - 0.5; log_t -= 1.0) log_t_.push_back(log_t);
    std::reverse(log_t_.begin(), log_t_.end());
  }

  std::vector<EvidenceColumn> maximize() {
    std::vector<EvidenceColumn> columns(active_.size());
    for (Index c = 0; c < reduced_.projected.cols(); ++c) {
      if (active_[static_cast<std::size_t>(c)]) at(columns, c) = without_features(c);
    }
    if (reduced_.rank == 0) return columns;
    scan_grid();
    std::vector<Candidate> candidates = local_maxima();
    for (std::size_t first = 0; first < candidates.size(); first += kLanes) {
      const std::size_t count = std::min<std::size_t>(kLanes, candidates.size() - first);
      refine({candidates.data() + first, count}, columns);
    }
    for (Index c = 0; c < reduced_.projected.cols(); ++c) {
      if (active_[static_cast<std::size_t>(c)]) consider_zero(c, at(columns, c));
    }
    return columns;
  }

 private:
  static EvidenceColumn& at(std::vector<EvidenceColumn>& columns, Index c) {
    return columns[static_cast<std::size_t>(c)];
  }

  Index nodes() const { return std::ssize(log_t_); }

  double residual(Index c, double t, double phi) const {
    const double yy = reduced_.target_square[c];
    const double q = reduced_.dual ? t * phi : yy - phi;
    return std::max(q, kResidualFloor * yy);
  }

  double evidence(double q, double log_det) const {
    return -0.5 * std::log(2.0 * std::numbers::pi * q / n_) - 0.5 - 0.5 * log_det / n_;
  }

  // t -> infinity: weights zero, noise as large as the targets.
  EvidenceColumn without_features(Index c) const {
    EvidenceColumn column;
    column.kind = EvidenceCase::uninformative;
    column.value = evidence(reduced_.target_square[c], 0.0);
    column.t = std::numeric_limits<double>::infinity();
    column.alpha = column.t;
    column.unit_t = column.t;
    column.unit_alpha = column.t;
    column.beta = n_ / reduced_.target_square[c];
    column.theorem2 = theorem2(c);
    return column;
  }

  // Theorem 2: r < n and sum_ij (z_i^2 - z_j^2)(s_i - s_j) > 0 over n terms, which is
  // 2 (n |F'y|^2 - |y|^2 |F|^2): no decomposition needed.
  bool theorem2(Index c) const {
    const Tridiagonal& t = reduced_.tridiagonal;
    const auto b = reduced_.projected.col(c);
    double alignment = b.squaredNorm();
    if (reduced_.dual) {  // |F'y|^2 = y'FF'y
      const Index p = t.size();
      alignment = b.cwiseAbs2().dot(t.diagonal) +
                  2.0 * b.head(p - 1).cwiseProduct(b.tail(p - 1)).dot(t.off_diagonal);
    }
    const double spread = reduced_.target_square[c] * t.eigenvalues.sum();
    return reduced_.rank < reduced_.count && n_ * alignment > spread * (1.0 + 1e-12);
  }

  void scan_grid() {
    std::vector<double> shifts(log_t_.size());
    std::transform(log_t_.begin(), log_t_.end(), shifts.begin(),
                   [](double u) { return std::exp(u); });
    const Matrix phi = resolvent_forms(reduced_.tridiagonal, reduced_.projected, shifts);
    std::vector<double> log_det(log_t_.size());
    for (Index k = 0; k < nodes(); k += kLanes) {
      Lanes t;
      for (Index lane = 0; lane < kLanes; ++lane) {
        t[lane] = shifts[static_cast<std::size_t>(std::min(k + lane, nodes() - 1))];
      }
      TraceLanes traces;
      for_this_processor<sum_traces>(positive_.data(), positive_.size(), t, traces);
      for (Index lane = 0; lane < kLanes && k + lane < nodes(); ++lane) {
        log_det[static_cast<std::size_t>(k + lane)] = traces.log_det[lane];
      }
    }
    grid_.resize(nodes(), phi.cols());
    for (Index c = 0; c < phi.cols(); ++c) {
      for (Index k = 0; k < nodes(); ++k) {
        const double q = residual(c, shifts[static_cast<std::size_t>(k)], phi(k, c));
        grid_(k, c) = evidence(q, log_det[static_cast<std::size_t>(k)]);
      }
    }
  }

  std::vector<Candidate> local_maxima() const {
    std::vector<Candidate> found;
    for (Index c = 0; c < grid_.cols(); ++c) {
      if (!active_[static_cast<std::size_t>(c)]) continue;
      const double best = grid_.col(c).maxCoeff();
      for (Index k = 0; k < nodes(); ++k) {
        const bool left = k == 0 || grid_(k, c) >= grid_(k - 1, c);
        const bool right = k + 1 == nodes() || grid_(k, c) > grid_(k + 1, c);
        if (left && right && grid_(k, c) >= best - kNodeSlack) found.push_back({c, k});
      }
    }
    return found;
  }

  // Where the parabola through a node and its neighbours peaks: a better start than the node.
  double parabola_peak(const Candidate& mine) const {
    const double middle = log_t_[static_cast<std::size_t>(mine.node)];
    if (mine.node == 0 || mine.node + 1 == nodes()) return middle;
    const double left = grid_(mine.node - 1, mine.column);
    const double right = grid_(mine.node + 1, mine.column);
    const double bend = left - 2.0 * grid_(mine.node, mine.column) + right;
    const double step = log_t_[1] - log_t_[0];
    return bend < 0.0 ? middle + 0.5 * step * (left - right) / bend : middle;
  }

  // Safeguarded Newton on dL/d(log t) between the neighbouring nodes, eight peaks at a time.
  void refine(std::span<const Candidate> candidates, std::vector<EvidenceColumn>& columns) const {
    const Index p = reduced_.tridiagonal.size();
    std::vector<double> b(static_cast<std::size_t>(p * kLanes));
    Lanes u, low, high;
    for (int k = 0; k < kLanes; ++k) {
      const Candidate& mine = candidates[std::min<std::size_t>(k, candidates.size() - 1)];
      u[k] = parabola_peak(mine);
      low[k] = log_t_[static_cast<std::size_t>(std::max<Index>(mine.node - 1, 0))];
      high[k] = log_t_[static_cast<std::size_t>(std::min(mine.node + 1, nodes() - 1))];
      for (Index i = 0; i < p; ++i)
        b[static_cast<std::size_t>(i * kLanes + k)] = reduced_.projected(i, mine.column);
    }
    std::array<Peak, kLanes> peaks;
    for (int step = 0; step < 100; ++step) {
      const Lanes before = u;
      newton_step(candidates, b, u, low, high, peaks);
      bool done = true;
      for (std::size_t k = 0; k < candidates.size(); ++k)
        done = done && (peaks[k].settled || std::abs(u[k] - before[k]) < kConverged);
      if (done) break;
    }
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      EvidenceColumn& column = at(columns, candidates[k].column);
      if (peaks[k].value > column.value) accept(candidates[k].column, peaks[k], column);
    }
  }

  // Notes in `peaks` what holds at u, or at the top of its parabola when that is close, and moves
  // u.
  void newton_step(std::span<const Candidate> candidates, std::span<const double> b, Lanes& u,
                   Lanes& low, Lanes& high, std::array<Peak, kLanes>& peaks) const {
    Lanes t;
    for (int k = 0; k < kLanes; ++k) t[k] = std::exp(u[k]);
    const ResolventLanes phi = resolvent_derivatives(reduced_.tridiagonal, b, t);
    TraceLanes traces;
    for_this_processor<sum_traces>(positive_.data(), positive_.size(), t, traces);
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      const double yy = reduced_.target_square[candidates[k].column];
      double q = reduced_.dual ? t[k] * phi.value[k] : yy - phi.value[k];
      double q1 = reduced_.dual ? phi.value[k] + t[k] * phi.first[k] : -phi.first[k];
      double q2 = reduced_.dual ? 2.0 * phi.first[k] + t[k] * phi.second[k] : -phi.second[k];
      const bool floored = q <= kResidualFloor * yy;
      if (floored) {
        q = kResidualFloor * yy;
        q1 = 0.0;
        q2 = 0.0;
      }
      peaks[k] = {u[k], q, evidence(q, traces.log_det[k]), false};
      const double share = t[k] * q1 / q;
      const double slope = -0.5 * share + 0.5 * traces.gamma[k] / n_;
      const double curve =
          -0.5 * (share + t[k] * t[k] * q2 / q - share * share) - 0.5 * traces.slope[k] / n_;
      (slope > 0.0 ? low[k] : high[k]) = u[k];
      const double step = slope == 0.0 ? 0.0 : -slope / curve;
      const double newton = u[k] + step;
      const bool inside = slope == 0.0 || (curve < 0.0 && newton > low[k] && newton < high[k]);
      if (inside && std::abs(step) < kLastStep) {
        const double change = t[k] * std::expm1(step);
        peaks[k] = {newton, q + change * (q1 + 0.5 * change * q2),
                    peaks[k].value + 0.5 * slope * step, true};
      }
      u[k] = inside ? newton : 0.5 * (low[k] + high[k]);
    }
  }

  void accept(Index c, const Peak& peak, EvidenceColumn& column) const {
    const double floor_value = evidence(reduced_.target_square[c], 0.0);
    const double t = std::exp(peak.log_t);
    const bool at_bottom = peak.log_t <= log_t_.front() + 1e-9;
    // The maximum of a floored profile is a kink, approached from either side.
    const bool floored = peak.residual <= 1.001 * kResidualFloor * reduced_.target_square[c];
    column.kind = floored || at_bottom ? EvidenceCase::exact_fit : EvidenceCase::interior;
    column.value = peak.value;
    column.gain = peak.value - floor_value;
    column.beta = n_ / peak.residual;
    column.unit_t = t;
    column.unit_alpha = t * column.beta;
    column.t = t * reduced_.unit * reduced_.unit;
    column.alpha = column.t * column.beta;
  }

  // t -> 0 has a finite limit only when the features fit everything (rank n).
  void consider_zero(Index c, EvidenceColumn& column) const {
    if (!reduced_.dual || reduced_.rank < reduced_.count) return;
    const double zero = 0.0;
    const double phi =
        resolvent_forms(reduced_.tridiagonal, reduced_.projected.col(c), {&zero, 1})(0, 0);
    const double value = -0.5 * std::log(2.0 * std::numbers::pi * phi / n_) - 0.5 -
                         0.5 * positive_.array().log().sum() / n_;
    const bool at_bottom = column.kind == EvidenceCase::exact_fit;
    if (!std::isfinite(value) || (value <= column.value && !at_bottom)) return;
    column = {.kind = EvidenceCase::interpolates,
              .value = value,
              .gain = value - evidence(reduced_.target_square[c], 0.0),
              .t = 0.0,
              .alpha = n_ / phi * reduced_.unit * reduced_.unit,
              .beta = std::numeric_limits<double>::infinity(),
              .unit_t = 0.0,
              .unit_alpha = n_ / phi,
              .theorem2 = column.theorem2};
  }

  const Reduced& reduced_;
  const std::vector<bool>& active_;
  double n_;
  Vector positive_;  // eigenvalues above the cut
  std::vector<double> log_t_;
  Matrix grid_;  // nodes x columns
};

}  // namespace

std::vector<EvidenceColumn> maximize_evidence(const Reduced& reduced,
                                              const std::vector<bool>& active) {
  return Profile(reduced, active).maximize();
}

}  // namespace assay
