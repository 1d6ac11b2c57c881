#include "assay/rank/jackknife.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace assay {

double jackknife_standard_error(std::span<const double> replicates) {
  const auto g = static_cast<double>(replicates.size());
  const double mean = std::accumulate(replicates.begin(), replicates.end(), 0.0) / g;
  double squares = 0.0;
  for (const double value : replicates) squares += (value - mean) * (value - mean);
  return std::sqrt((g - 1.0) / g * squares);
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
