#include "metrics/sfda.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/tridiagonal.h"
#include "metrics/discriminant.h"

namespace assay {
namespace {

double fisher_shrinkage(const Matrix& within) {
  constexpr double rate = 5.0;  // the authors' code; the paper leaves it open
  constexpr double least = 1e-10;
  return std::max(std::exp(-rate * tridiagonalize(within).eigenvalues.tail(1)[0]), least);
}

// Step 2 of sfda.h: the surer a sample is, the less it moves.
Matrix harder(const Matrix& z, const Matrix& posteriors, const Matrix& means,
              const std::vector<Label>& labels) {
  const Vector sum = means.rowwise().sum();
  const auto others = static_cast<double>(means.cols() - 1);
  Matrix out = z;
  for (Index i = 0; i < z.cols(); ++i) {
    const Label own = labels[static_cast<std::size_t>(i)];
    const double weight = std::exp(posteriors(own, i)) / posteriors.col(i).array().exp().sum();
    out.col(i) = weight * z.col(i) + (1.0 - weight) / others * (sum - means.col(own));
  }
  return out;
}

}  // namespace

// Shao et al., ECCV 2022, section 4; the mean posterior in place of its log, as in their code.
Score sfda(const Samples& samples) {
  Score score;
  const Matrix& z = samples.principal_components();
  const ClassScatter first = class_scatter(samples.pool(), z, samples.labels(), samples.counts());
  if (z.rows() == 0 || samples.classes() < 2) {  // nothing but the shares of the classes to go by
    score.value = first.shares.squaredNorm();
    score.details = {{"shrinkage", 1.0}};
    return score;
  }
  const double a = fisher_shrinkage(first.within);
  const Matrix challenged =
      harder(z, Discriminant(first, a, samples.dim()).posteriors(z), first.means, samples.labels());
  const ClassScatter second =
      class_scatter(samples.pool(), challenged, samples.labels(), samples.counts());
  score.value = mean_own_posterior(Discriminant(second, a, samples.dim()).posteriors(challenged),
                                   samples.labels());
  score.details = {{"shrinkage", a}};
  if (z.rows() + 1 >= samples.count()) score.flags.emplace_back("saturated");
  if (samples.ill_scaled(Samples::About::means)) score.flags.emplace_back("ill_scaled");
  return score;
}

}  // namespace assay
