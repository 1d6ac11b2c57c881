#include "metrics/variational.h"

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

namespace assay {
namespace {

// Scores below a class's largest by more than this count as this: a sample that gives nothing to
// the best source classes would otherwise be left with exponentials that all vanish.
constexpr double kLowestScore = -600.0;

using Plain = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

}  // namespace

Assigner::Assigner(const Probabilities& source) {
  std::vector<std::vector<Index>> rows(static_cast<std::size_t>(source.classes()));
  for (Index y = 0; y < source.soft.cols(); ++y) {
    std::vector<Index>& own = rows[static_cast<std::size_t>(y)];
    for (Index i = 0; i < source.count(); ++i)
      if (source.soft(i, y) > 0.0) own.push_back(i);
    weights_.emplace_back(source.soft.col(y)(own));
  }
  for (Index i = 0; i < std::ssize(source.labels); ++i) {
    const auto label = static_cast<std::size_t>(source.labels[static_cast<std::size_t>(i)]);
    rows[label].push_back(i);
  }
  for (const std::vector<Index>& own : rows) by_class_.emplace_back(source.p(own, Eigen::all));
}

// The E-step that PACTran, Eq. 10 and 12, share, in the closed form of variational.h.
Assignment Assigner::operator()(const Matrix& scores) const {
  const Vector top = scores.rowwise().maxCoeff();
  const Matrix relative = (scores.colwise() - top).cwiseMax(kLowestScore);
  const Matrix factor = relative.array().exp();
  Assignment out{Matrix(scores.rows(), scores.cols()), 0.0};
  Vector normaliser;
  for (Index y = 0; y < scores.rows(); ++y) {
    const Matrix& p = by_class_[static_cast<std::size_t>(y)];
    normaliser.noalias() = p * factor.row(y).transpose();
    Vector each = normaliser.cwiseInverse();
    if (weights_.empty()) {
      out.entropy -= normaliser.array().log().sum();
    } else {
      const Vector& weight = weights_[static_cast<std::size_t>(y)];
      out.entropy -= weight.dot(normaliser.array().log().matrix());
      each = each.cwiseProduct(weight);
    }
    out.counts.row(y).noalias() = each.transpose() * p;
  }
  out.counts = out.counts.cwiseProduct(factor);
  out.entropy += out.counts.cwiseProduct(relative).sum();  // `top` cancels: q sums to 1
  return out;
}

bool wants_another_sweep(VariationalBound& bound, double value) {
  constexpr double tolerance = 1e-12;
  constexpr int most = 10000;
  bound.converged =
      bound.sweeps > 0 && std::abs(value - bound.value) <= tolerance * std::abs(bound.value);
  bound.value = value;
  bound.trace.push_back(value);
  ++bound.sweeps;
  return !bound.converged && bound.sweeps < most;
}

double log_gamma(double x) { return boost::math::lgamma(x, Plain()); }

double digamma(double x) { return boost::math::digamma(x, Plain()); }

}  // namespace assay
