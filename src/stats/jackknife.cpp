#include "stats/jackknife.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace assay {

// Efron and Tibshirani, ch. 11, less a quarter of the second-order part (Efron and Stein 1981). Why
// a quarter: jackknife.h and docs/study-coverage.md.
double jackknife_standard_error(double full, std::span<const double> replicates,
                                std::span<const double> pairs) {
  const auto g = static_cast<double>(replicates.size());
  const double mean = std::accumulate(replicates.begin(), replicates.end(), 0.0) / g;
  double squares = 0.0;
  for (const double value : replicates) squares += (value - mean) * (value - mean);
  const double variance = (g - 1.0) / g * squares;
  double curvature = 0.0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const double q =
        g * full - (g - 1.0) * (replicates[2 * k] + replicates[2 * k + 1]) + (g - 2.0) * pairs[k];
    curvature += 0.5 * q * q / static_cast<double>(pairs.size());
  }
  return std::sqrt(std::max(variance - 0.25 * curvature, 0.25 * variance));
}

double two_sided_p_value(double estimate, double standard_error, double degrees) {
  if (estimate == 0.0) return 1.0;
  if (standard_error == 0.0) return 0.0;
  const boost::math::students_t t(degrees);
  return 2.0 * boost::math::cdf(boost::math::complement(t, std::abs(estimate) / standard_error));
}

double student_t_factor(double level, double degrees) {
  const boost::math::students_t t(degrees);
  return boost::math::quantile(boost::math::complement(t, (1.0 - level) / 2.0));
}

}  // namespace assay
