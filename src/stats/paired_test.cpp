#include "stats/paired_test.h"

#include <boost/math/distributions/students_t.hpp>
#include <cassert>
#include <cmath>

namespace assay {

// Student's paired t test, two-sided; without a spread there is nothing to test against, and no p.
PairedTest paired_t_test(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  PairedTest out{static_cast<Index>(a.size()), 0.0, {}, {}};
  if (a.empty()) return out;
  const auto count = static_cast<double>(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out.difference += (a[i] - b[i]) / count;
  if (a.size() < 2) return out;
  double squares = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += std::pow(a[i] - b[i] - out.difference, 2.0);
  out.sd = std::sqrt(squares / (count - 1.0));
  // Differences that are equal but for rounding have no spread to test against.
  constexpr double rounding = 1e-12;
  if (*out.sd <= rounding * std::abs(out.difference)) return out;
  const double error = *out.sd / std::sqrt(count);
  const boost::math::students_t law(count - 1.0);
  out.p = 2.0 * boost::math::cdf(boost::math::complement(law, std::abs(out.difference) / error));
  constexpr double upper_tail = 0.025;
  const double reach = boost::math::quantile(boost::math::complement(law, upper_tail)) * error;
  out.low = out.difference - reach;
  out.high = out.difference + reach;
  return out;
}

}  // namespace assay
