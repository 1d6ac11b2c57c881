#include "metrics/ncti.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "linalg/eigen.h"
#include "linalg/singular_values.h"
#include "metrics/discriminant.h"

namespace assay {
namespace {

constexpr Index kCollapseComponents = 64;

double collapse_shrinkage(const Matrix& z) {
  constexpr Index leading = 32;
  constexpr double least = 1e-10;
  const auto freedom = static_cast<double>(std::max<Index>(1, z.cols() - 1));
  const double variance = z.topRows(std::min(leading, z.rows())).squaredNorm() / freedom;
  return std::max(std::exp(-variance), least);
}

// Directions that tell the whitened class means apart, as many as there can be.
Matrix discriminant_directions(const Matrix& whitened_means, const Vector& shares) {
  const Vector mean = whitened_means * shares;
  const Matrix about = (whitened_means.colwise() - mean) * shares.cwiseSqrt().asDiagonal();
  const Index kept = std::min(whitened_means.cols() - 1, whitened_means.rows());
  return symmetric_eigen(about * about.transpose()).vectors.rightCols(kept);
}

double collapse(const Matrix& posteriors, const Samples& samples) {
  std::vector<std::vector<Index>> members(samples.counts().size());
  for (std::size_t i = 0; i < samples.labels().size(); ++i)
    members[static_cast<std::size_t>(samples.labels()[i])].push_back(static_cast<Index>(i));
  std::vector<double> norms(members.size());
  samples.pool().run(samples.classes(), [&](Index c) {
    const auto own = static_cast<std::size_t>(c);
    norms[own] = nuclear_norm(posteriors(Eigen::all, members[own]));
  });
  double sum = 0.0;
  for (const double norm : norms) sum += norm;
  return -sum;
}

}  // namespace

// Wang et al., ICCV 2023, section 3; settings of the discriminant as in their code.
Score ncti(const Samples& samples) {
  Score score;
  const Matrix& all = samples.principal_components();
  const Matrix z = all.topRows(std::min(kCollapseComponents, all.rows()));
  const ClassScatter scatter = class_scatter(samples.pool(), z, samples.labels(), samples.counts());
  Matrix posteriors = scatter.shares.replicate(1, samples.count());
  double seli = 0.0;
  if (z.rows() > 0 && samples.classes() > 1) {
    const Discriminant discriminant(scatter, collapse_shrinkage(z), z.rows());
    posteriors = discriminant.posteriors(z);
    const Matrix directions =
        discriminant_directions(discriminant.whiten(scatter.means), scatter.shares);
    seli = nuclear_norm(directions.transpose() * discriminant.whiten(z));
  }
  const double vc = collapse(posteriors, samples);
  const double ncc = mean_own_posterior(posteriors, samples.labels());
  score.variants = {vc, seli, ncc};
  score.details = {{"vc", vc}, {"seli", seli}, {"ncc", ncc}};
  if (z.rows() + 1 >= samples.count()) score.flags.emplace_back("saturated");
  if (samples.ill_scaled(Samples::About::means)) score.flags.emplace_back("ill_scaled");
  return score;
}

}  // namespace assay
