#include "robust/robust_probe.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.h"
#include "learn/losses.h"
#include "learn/rate_schedule.h"
#include "learn/sgd.h"
#include "linalg/gram.h"

namespace assay {
namespace {

std::vector<Index> numbers_up_to(Index count) {
  std::vector<Index> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<Label> labels_at(const ProbeImages& images, std::span<const Index> rows) {
  std::vector<Label> out;
  for (const Index row : rows) out.push_back(images.labels[static_cast<std::size_t>(row)]);
  return out;
}

// Runs over the pictures, batch by batch, in their order.
template <typename Visit>
void for_batches(const ProbeImages& images, Index batch, const Visit& visit) {
  const std::vector<Index> all = numbers_up_to(static_cast<Index>(images.labels.size()));
  for (std::size_t first = 0; first < all.size(); first += static_cast<std::size_t>(batch)) {
    const std::size_t count = std::min(static_cast<std::size_t>(batch), all.size() - first);
    visit(std::span(all).subspan(first, count));
  }
}

struct FeatureUnits {
  Vector mean, scale;
};

FeatureUnits measure_units(Trainer& trainer, const ProbeImages& images, const PixelMap& map,
                           Index batch) {
  Vector sum;
  Vector squares;
  for_batches(images, batch, [&](std::span<const Index> rows) {
    const Matrix features = features_of(trainer, images.read(rows), map);
    if (sum.size() == 0) sum = squares = Vector::Zero(features.rows());
    sum += features.rowwise().sum();
    squares += features.cwiseAbs2().rowwise().sum();
  });
  const auto count = static_cast<double>(images.labels.size());
  FeatureUnits out{sum / count, {}};
  const Vector variance = (squares / count - out.mean.cwiseAbs2()).cwiseMax(0.0);
  // A feature that does not vary says nothing; dividing by 1 leaves it at about 0.
  constexpr double constant = 1e-6;
  out.scale = variance.cwiseSqrt();
  for (Index d = 0; d < out.scale.size(); ++d) {
    if (out.scale(d) <= constant * (1.0 + std::abs(out.mean(d)))) out.scale(d) = 1.0;
  }
  return out;
}

// The head that is learnt acts on (f - mean) / scale; this one on f.
LinearHead on_plain_features(const Eigen::Map<const Eigen::MatrixXf>& weight,
                             const Eigen::Map<const Eigen::VectorXf>& bias,
                             const FeatureUnits& units) {
  LinearHead head;
  head.weight = units.scale.cwiseInverse().asDiagonal() * weight.cast<double>();
  head.bias = bias.cast<double>() - head.weight.transpose() * units.mean;
  return head;
}

// Weights (D x C), then biases, as one vector for SGD.
struct FlatHead {
  Index dim, classes;
  std::vector<float> values;

  LinearHead on(const FeatureUnits& units) const {
    const Eigen::Map<const Eigen::MatrixXf> weight(values.data(), dim, classes);
    const Eigen::Map<const Eigen::VectorXf> bias(values.data() + dim * classes, classes);
    return on_plain_features(weight, bias, units);
  }
};

FlatHead first_head(Index dim, const RobustProbeOptions& options) {
  constexpr double sd = 0.01;
  Random random(mixed_seed(options.seed, 1));
  FlatHead head{dim, options.classes, {}};
  for (Index i = 0; i < dim * options.classes; ++i)
    head.values.push_back(static_cast<float>(sd * random.normal()));
  head.values.resize(static_cast<std::size_t>((dim + 1) * options.classes));
  return head;
}

std::vector<float> head_gradient(const FlatHead& flat, const LinearHead& head,
                                 const FeatureUnits& units, const Matrix& features,
                                 std::span<const Label> labels) {
  const Matrix outputs = product(head.weight, true, features, false).colwise() + head.bias;
  const Matrix by_outputs = cross_entropy(outputs, labels).gradient;
  const Matrix standard =
      units.scale.cwiseInverse().asDiagonal() * (features.colwise() - units.mean);
  std::vector<float> out(flat.values.size());
  Eigen::Map<Eigen::MatrixXf>(out.data(), flat.dim, flat.classes) =
      product(standard, false, by_outputs, true).cast<float>();
  Eigen::Map<Eigen::VectorXf>(out.data() + flat.dim * flat.classes, flat.classes) =
      by_outputs.rowwise().sum().cast<float>();
  return out;
}

std::vector<bool> right_ones(Trainer& trainer, const UnitImages& images, const PixelMap& map,
                             const LinearHead& head, std::span<const Label> labels) {
  const Matrix features = features_of(trainer, images, map);
  const Matrix outputs = product(head.weight, true, features, false).colwise() + head.bias;
  std::vector<bool> out;
  for (Index i = 0; i < outputs.cols(); ++i) {
    Index best = 0;
    outputs.col(i).maxCoeff(&best);
    out.push_back(best == labels[static_cast<std::size_t>(i)]);
  }
  return out;
}

double share_of(const std::vector<bool>& which, double total) {
  return static_cast<double>(std::count(which.begin(), which.end(), true)) / total;
}

}  // namespace

LinearHead train_robust_probe(Trainer& trainer, const ProbeImages& train, const PixelMap& map,
                              const RobustProbeOptions& options,
                              const std::function<void(double)>& progress) {
  const FeatureUnits units = measure_units(trainer, train, map, options.batch);
  FlatHead flat = first_head(units.mean.size(), options);
  const auto size = static_cast<Index>(flat.values.size());
  Sgd sgd(size, {.weight_decay = options.weight_decay});
  const std::vector<SgdRange> all = {{0, size}};
  const auto count = static_cast<Index>(train.labels.size());
  const Index batch = std::min(options.batch, count);
  const Index batches = count / batch;
  for (Index epoch = 0; epoch < options.epochs; ++epoch) {
    const double rate = options.rate * rate_factor(RateSchedule::cosine, epoch, options.epochs);
    Random random(mixed_seed(mixed_seed(options.seed, 2), static_cast<std::uint64_t>(epoch)));
    const std::vector<Index> order = random.permutation(count);
    for (Index k = 0; k < batches; ++k) {
      const std::span<const Index> rows(order.data() + k * batch, static_cast<std::size_t>(batch));
      const std::vector<Label> labels = labels_at(train, rows);
      const LinearHead head = flat.on(units);
      const UnitImages images =
          attacked(trainer, train.read(rows), labels, map, head, options.attack);
      const Matrix features = features_of(trainer, images, map);
      sgd.step(flat.values, head_gradient(flat, head, units, features, labels), rate, all);
      if (progress) {
        progress(static_cast<double>(epoch * batches + k + 1) /
                 static_cast<double>(options.epochs * batches));
      }
    }
  }
  return flat.on(units);
}

RobustAccuracy test_robust_probe(Trainer& trainer, const ProbeImages& test, const PixelMap& map,
                                 const LinearHead& head, std::span<const AttackOptions> attacks,
                                 Index batch, std::uint64_t seed) {
  const auto total = static_cast<double>(test.labels.size());
  RobustAccuracy out{0.0, {}, std::vector<double>(kCorruptions.size())};
  std::vector<double> turned(attacks.size());
  for (const AttackOptions& attack : attacks) out.attacks.push_back({attack.epsilon, 0.0, 0.0});
  for_batches(test, batch, [&](std::span<const Index> rows) {
    const UnitImages images = test.read(rows);
    const std::vector<Label> labels = labels_at(test, rows);
    const std::vector<bool> clean = right_ones(trainer, images, map, head, labels);
    out.clean += share_of(clean, total);
    for (std::size_t a = 0; a < attacks.size(); ++a) {
      const UnitImages moved = attacked(trainer, images, labels, map, head, attacks[a]);
      const std::vector<bool> still = right_ones(trainer, moved, map, head, labels);
      out.attacks[a].accuracy += share_of(still, total);
      for (std::size_t i = 0; i < still.size(); ++i) turned[a] += clean[i] && !still[i] ? 1.0 : 0.0;
    }
    for (std::size_t c = 0; c < kCorruptions.size(); ++c) {
      const UnitImages worse = corrupted(images, kCorruptions[c], seed, rows.front());
      out.corruptions[c] += share_of(right_ones(trainer, worse, map, head, labels), total);
    }
  });
  for (std::size_t a = 0; a < attacks.size(); ++a) {
    const double right = out.clean * total;
    out.attacks[a].success = right > 0.0 ? turned[a] / right : 0.0;
  }
  return out;
}

}  // namespace assay
