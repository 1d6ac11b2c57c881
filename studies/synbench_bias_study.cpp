// Is the calibrated SynBench score right, and do its standard errors say how far off one draw is?
//
// Representations whose true score is known:
//   linear  the noise in D coordinates of log-normal variances, part g of the signal kept: closed
//   form relu    D random ReLUs of D / 2 inputs, part g of the signal kept: moments, accuracy and
//   bound of
//           2^20 samples, the classifier made from other 2^20
// For each the score is computed from several draws of 2,048 samples to fit and as many to measure.
//
//     synbench_bias_study linear|relu D G [DRAWS [THRESHOLD]]    prints a row of a Markdown table
//     per epsilon: truth, mean error, sd over draws and mean standard error of `calibrated`; mean,
//     sd and mean standard error of `value`
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "assay/thread_pool.h"
#include "core/counter_random.h"
#include "core/random.h"
#include "linalg/eigen.h"
#include "linalg/gram.h"
#include "robust/influence.h"
#include "robust/operating_point.h"
#include "robust/synbench.h"
#include "robust/synthetic.h"

namespace assay::study {
namespace {

constexpr Index kSamples = 2048;
const std::vector<double> kScales = {0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0};
const std::vector<double> kEpsilons = {0.0, 0.2, 0.4, 0.6, 0.8};

struct World {
  bool relu = false;
  Index dim = 0;
  double kept = 1.0;
  Vector deviations;  // linear
  FloatMatrix layer;  // relu: D x inputs
  Index inputs() const { return relu ? dim / 2 : dim; }
};

World make_world(const std::string& kind, Index dim, double kept) {
  World out{kind == "relu", dim, kept, Vector(dim), {}};
  Random random(static_cast<std::uint64_t>(dim));
  for (Index k = 0; k < dim; ++k) out.deviations[k] = std::exp(0.5 * random.normal());
  if (!out.relu) return out;
  out.layer.resize(dim, out.inputs());
  for (float& weight : out.layer.reshaped())
    weight = static_cast<float>(random.normal() / std::sqrt(static_cast<double>(out.inputs())));
  return out;
}

// The representation of inputs, one per column.
FloatMatrix represent(const World& world, const FloatMatrix& inputs) {
  if (world.relu) return product(world.layer, false, inputs, false).cwiseMax(0.0F);
  return world.deviations.cast<float>().asDiagonal() * inputs;
}

std::vector<LabelledRepresentation> draw(ThreadPool& pool, const World& world, std::uint64_t seed,
                                         std::uint32_t stream) {
  const SyntheticData data{
      .dim = world.inputs(), .samples = kSamples, .offset = 0.0, .seed = seed, .stream = stream};
  std::vector<LabelledRepresentation> out;
  std::vector<double> shifts;
  for (const double scale : kScales) shifts.push_back(world.kept * scale);
  stream_inputs(pool, data, shifts, kSamples, [&](const InputBlock& block) {
    out.push_back({represent(world, *block.inputs).cast<double>(), data.labels()});
  });
  return out;
}

std::vector<Budget> budgets() {
  std::vector<Budget> out;
  for (const double epsilon : kEpsilons) out.push_back({.epsilon = epsilon});
  return out;
}

// [epsilon]: the population's operating point at one scale, of a linear representation.
std::vector<OperatingPoint> linear_truth(const World& world, double scale) {
  GaussianPair pair;
  pair.variances = world.deviations.cwiseAbs2();
  pair.half_gap =
      world.deviations * (world.kept * scale / std::sqrt(static_cast<double>(world.dim)));
  std::vector<OperatingPoint> out;
  for (const Budget& budget : budgets())
    out.push_back(expected_point(pair, *robust_bayes(pair, budget), 0.5));
  return out;
}

constexpr Index kPopulation = Index{1} << 20;
constexpr Index kBlock = 8192;

// Representations of `kPopulation` samples, block by block; every other one is of class 1.
template <typename Visit>
void for_population(const World& world, double scale, std::uint32_t stream, const Visit& visit) {
  FloatMatrix inputs(world.inputs(), kBlock);
  const auto shift =
      static_cast<float>(world.kept * scale / std::sqrt(static_cast<double>(world.inputs())));
  for (Index first = 0; first < kPopulation; first += kBlock) {
    for (Index i = 0; i < kBlock; ++i) {
      normal_row(77, stream, first + i,
                 std::span(inputs.col(i).data(), static_cast<std::size_t>(world.inputs())));
      inputs.col(i).array() += i % 2 == 1 ? shift : -shift;
    }
    visit(represent(world, inputs));
  }
}

GaussianPair population_pair(ThreadPool& pool, const World& world, double scale) {
  Matrix gram = Matrix::Zero(world.dim, world.dim);
  Vector sums[2] = {Vector::Zero(world.dim), Vector::Zero(world.dim)};
  for_population(world, scale, 1, [&](const FloatMatrix& features) {
    const GramUpdate<float> update{features.data(), features.cols(), &gram};
    add_to_grams(pool, std::span(&update, 1));
    for (Index i = 0; i < features.cols(); ++i) sums[i % 2] += features.col(i).cast<double>();
  });
  constexpr double half = static_cast<double>(kPopulation) / 2.0;
  for (const Vector& sum : sums) gram.selfadjointView<Eigen::Lower>().rankUpdate(sum, -1.0 / half);
  SymmetricEigen eigen = symmetric_eigen(std::move(gram));
  GaussianPair out;
  out.variances = eigen.values / (2.0 * half);
  out.basis = std::move(eigen.vectors);
  out.midpoint = (sums[0] + sums[1]) / (2.0 * half);
  out.half_gap = out.basis.transpose() * (sums[1] - sums[0]) / (2.0 * half);
  return out;
}

std::vector<OperatingPoint> relu_truth(ThreadPool& pool, const World& world, double scale) {
  const GaussianPair pair = population_pair(pool, world, scale);
  Matrix weights(pair.rank(), static_cast<Index>(kEpsilons.size()));
  for (std::size_t e = 0; e < kEpsilons.size(); ++e)
    weights.col(static_cast<Index>(e)) = robust_bayes(pair, budgets()[e])->weights;
  const FloatMatrix directions = (pair.basis * weights).cast<float>();
  const Vector middle = weights.transpose() * (pair.basis.transpose() * pair.midpoint);
  std::vector<std::vector<double>> scores(kEpsilons.size());
  std::vector<Label> labels;
  for_population(world, scale, 2, [&](const FloatMatrix& features) {
    const FloatMatrix u = product(directions, true, features, false);
    for (Index i = 0; i < u.cols(); ++i) {
      labels.push_back(static_cast<Label>(i % 2));
      for (Index e = 0; e < u.rows(); ++e)
        scores[static_cast<std::size_t>(e)].push_back(static_cast<double>(u(e, i)) - middle[e]);
    }
  });
  std::vector<OperatingPoint> out;
  for (std::size_t e = 0; e < kEpsilons.size(); ++e) {
    out.push_back(measured_point(scores[e], labels,
                                 pair.half_gap.dot(weights.col(static_cast<Index>(e))), 0.5));
  }
  return out;
}

struct Series {
  double sum = 0.0, squares = 0.0, errors = 0.0;
  int count = 0;
  void add(double value, double error) {
    sum += value;
    squares += value * value;
    errors += error;
    ++count;
  }
  double mean() const { return sum / count; }
  double sd() const {
    return std::sqrt(std::max(0.0, (squares - sum * sum / count) / (count - 1)));
  }
  double error() const { return errors / count; }
};

void run(ThreadPool& pool, const World& world, int draws, double threshold) {
  std::vector<std::vector<OperatingPoint>> truth(kEpsilons.size());
  std::vector<OperatingPoint> raw;
  for (const double scale : kScales) {
    const auto points = world.relu ? relu_truth(pool, world, scale) : linear_truth(world, scale);
    for (std::size_t e = 0; e < points.size(); ++e) truth[e].push_back(points[e]);
    raw.push_back(reference_point(scale, 0.0, 0.5));
  }
  std::vector<Series> calibrated(kEpsilons.size());
  std::vector<Series> value(kEpsilons.size());
  for (int k = 0; k < draws; ++k) {
    auto train = draw(pool, world, static_cast<std::uint64_t>(k), 0);
    auto test = draw(pool, world, static_cast<std::uint64_t>(k), 1);
    std::vector<std::vector<ScalePoint>> points(kEpsilons.size());
    std::vector<std::vector<SampleInfluence>> influences(kEpsilons.size());
    for (std::size_t s = 0; s < kScales.size(); ++s) {
      const ScaleMeasurement found =
          measure_scale(pool, kScales[s], std::move(train[s]), std::move(test[s]), budgets(), 0.5);
      for (std::size_t e = 0; e < kEpsilons.size(); ++e) {
        points[e].push_back(found.points[e]);
        influences[e].push_back(found.influences[e]);
      }
    }
    for (std::size_t e = 0; e < kEpsilons.size(); ++e) {
      calibrated[e].add(synbench_calibrated(points[e], threshold).value(),
                        calibrated_error(points[e], influences[e], threshold, 0.5));
      value[e].add(synbench_value(points[e], threshold).value(),
                   value_error(points[e], influences[e], threshold));
    }
  }
  for (std::size_t e = 0; e < kEpsilons.size(); ++e) {
    const double exact = area_above(truth[e], threshold) / area_above(raw, threshold);
    fmt::print("| {} | {} | {} | {:.3f} | {:+.3f} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.3f} |\n",
               world.relu ? "ReLU" : "linear", world.dim, kEpsilons[e], exact,
               calibrated[e].mean() - exact, calibrated[e].sd(), calibrated[e].error(),
               value[e].mean(), value[e].sd(), value[e].error());
  }
}

}  // namespace
}  // namespace assay::study

int main(int argc, char** argv) {
  constexpr int needed = 4;
  if (argc < needed) {
    fmt::print(stderr, "usage: synbench_bias_study linear|relu D G [DRAWS [THRESHOLD]]\n");
    return 2;
  }
  const auto world = assay::study::make_world(argv[1], std::atol(argv[2]), std::atof(argv[3]));
  assay::ThreadPool pool(1);
  assay::study::run(pool, world, argc > needed ? std::atoi(argv[needed]) : 8,
                    argc > needed + 1 ? std::atof(argv[needed + 1]) : 0.7);
}
