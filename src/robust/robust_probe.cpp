#include "robust/robust_probe.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

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

FeatureUnits units_of(const FloatMatrix& features) {
  const auto count = static_cast<double>(features.cols());
  Vector sum = Vector::Zero(features.rows());
  Vector squares = Vector::Zero(features.rows());
  for (Index i = 0; i < features.cols(); ++i) {
    const Vector one = features.col(i).cast<double>();
    sum += one;
    squares += one.cwiseAbs2();
  }
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
  const Matrix outputs = outputs_of(head, features);
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

double share_of(const std::vector<bool>& which, double total) {
  return static_cast<double>(std::count(which.begin(), which.end(), true)) / total;
}

// Rows of the whole training set, in a new order every epoch.
class Batches {
 public:
  Batches(Index count, Index batch, std::uint64_t seed)
      : count_(count), batch_(std::min(batch, count)), seed_(seed) {}

  Index per_epoch() const { return count_ / batch_; }
  void start(Index epoch) {
    Random random(mixed_seed(seed_, static_cast<std::uint64_t>(epoch)));
    order_ = random.permutation(count_);
  }
  std::span<const Index> at(Index k) const {
    return std::span(order_).subspan(static_cast<std::size_t>(k * batch_),
                                     static_cast<std::size_t>(batch_));
  }

 private:
  Index count_, batch_;
  std::uint64_t seed_;
  std::vector<Index> order_;
};

// The pictures of the training set as far as attacks have moved them; empty ones have not been.
class MovedImages {
 public:
  explicit MovedImages(Index count) : moved_(static_cast<std::size_t>(count)) {}

  UnitImages of(std::span<const Index> rows, const UnitImages& images) const {
    UnitImages out = images;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::vector<float>& kept = moved_[static_cast<std::size_t>(rows[i])];
      std::ranges::copy(kept, out.pixels.begin() + static_cast<Index>(i) * images.length());
    }
    return out;
  }

  void keep(std::span<const Index> rows, const UnitImages& images) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::span<const float> picture = images.image(static_cast<Index>(i));
      moved_[static_cast<std::size_t>(rows[i])].assign(picture.begin(), picture.end());
    }
  }

 private:
  std::vector<std::vector<float>> moved_;
};

class HeadTraining {
 public:
  HeadTraining(const FloatMatrix& clean, std::span<const Label> labels,
               const RobustProbeOptions& options)
      : clean_(clean),
        labels_(labels),
        options_(options),
        units_(units_of(clean)),
        flat_(first_head(clean.rows(), options)),
        batches_(clean.cols(), options.batch, mixed_seed(options.seed, 2)) {}

  // All epochs on features that are given: fast, the network has no part in it.
  void plain() {
    run(
        [&](std::span<const Index> rows) {
          Matrix features(clean_.rows(), static_cast<Index>(rows.size()));
          for (std::size_t i = 0; i < rows.size(); ++i)
            features.col(static_cast<Index>(i)) = clean_.col(rows[i]).cast<double>();
          return features;
        },
        {});
  }

  void robust(Trainer& trainer, const ProbeImages& train, const PixelMap& map,
              const std::function<void(double)>& progress) {
    MovedImages moved(clean_.cols());
    AttackOptions attack = options_.attack;
    if (options_.keep_shifts) attack.steps = (attack.steps + options_.epochs - 1) / options_.epochs;
    const double step = usual_step(attack);
    run(
        [&](std::span<const Index> rows) {
          const UnitImages images = train.read(rows);
          UnitImages from = options_.keep_shifts ? moved.of(rows, images) : images;
          const UnitImages found = climbed(trainer, images, std::move(from), labels_at(train, rows),
                                           map, head(), attack, step);
          if (options_.keep_shifts) moved.keep(rows, found);
          return features_of(trainer, found, map);
        },
        progress);
  }

  LinearHead head() const { return flat_.on(units_); }

 private:
  template <typename FeaturesOf>
  void run(const FeaturesOf& features_of_rows, const std::function<void(double)>& progress) {
    const auto size = static_cast<Index>(flat_.values.size());
    Sgd sgd(size, {.weight_decay = options_.weight_decay});
    const std::vector<SgdRange> all = {{0, size}};
    for (Index epoch = 0; epoch < options_.epochs; ++epoch) {
      const double rate = options_.rate * rate_factor(RateSchedule::cosine, epoch, options_.epochs);
      batches_.start(epoch);
      for (Index k = 0; k < batches_.per_epoch(); ++k) {
        const std::span<const Index> rows = batches_.at(k);
        const Matrix features = features_of_rows(rows);
        std::vector<Label> labels;
        for (const Index row : rows) labels.push_back(labels_[static_cast<std::size_t>(row)]);
        sgd.step(flat_.values, head_gradient(flat_, head(), units_, features, labels), rate, all);
        if (progress) {
          progress(static_cast<double>(epoch * batches_.per_epoch() + k + 1) /
                   static_cast<double>(options_.epochs * batches_.per_epoch()));
        }
      }
    }
  }

  const FloatMatrix& clean_;
  std::span<const Label> labels_;
  const RobustProbeOptions& options_;
  FeatureUnits units_;
  FlatHead flat_;
  Batches batches_;
};

}  // namespace

FloatMatrix clean_features(Trainer& trainer, const ProbeImages& images, const PixelMap& map,
                           Index batch) {
  FloatMatrix out;
  const auto count = static_cast<Index>(images.labels.size());
  for_batches(images, batch, [&](std::span<const Index> rows) {
    const Matrix features = features_of(trainer, images.read(rows), map);
    if (out.size() == 0) out.resize(features.rows(), count);
    out.middleCols(rows.front(), features.cols()) = features.cast<float>();
  });
  return out;
}

LinearHead train_robust_probe(Trainer& trainer, const ProbeImages& train, const FloatMatrix& clean,
                              const PixelMap& map, const RobustProbeOptions& options,
                              const std::function<void(double)>& progress) {
  HeadTraining training(clean, train.labels, options);
  if (options.attack.epsilon > 0.0) {
    training.robust(trainer, train, map, progress);
  } else {
    training.plain();
  }
  return training.head();
}

RobustAccuracy attack_probe(Trainer& trainer, const ProbeImages& test, const PixelMap& map,
                            const LinearHead& head, std::span<const StrongAttack> attacks,
                            Index batch, const std::function<void(double)>& progress) {
  const auto total = static_cast<double>(test.labels.size());
  RobustAccuracy out;
  for (const StrongAttack& attack : attacks) out.attacks.push_back({attack.epsilon, 0.0, 0.0, 0.0});
  double done = 0.0;
  for_batches(test, batch, [&](std::span<const Index> rows) {
    const UnitImages images = test.read(rows);
    const std::vector<Label> labels = labels_at(test, rows);
    const AttackTask task{images, labels, map, head, rows.front()};
    const std::vector<bool> clean = right_ones(trainer, task);
    out.clean += share_of(clean, total);
    for (std::size_t a = 0; a < attacks.size(); ++a) {
      const std::vector<bool> weak = after_pgd(trainer, task, clean, attacks[a]);
      out.attacks[a].pgd_accuracy += share_of(weak, total);
      out.attacks[a].accuracy += share_of(after_strong(trainer, task, weak, attacks[a]), total);
    }
    done += static_cast<double>(rows.size()) / total;
    if (progress) progress(done);
  });
  for (AttackedAccuracy& one : out.attacks)
    one.success = out.clean > 0.0 ? (out.clean - one.accuracy) / out.clean : 0.0;
  return out;
}

std::vector<double> corrupted_accuracies(Trainer& trainer, const ProbeImages& test,
                                         const PixelMap& map, std::span<const LinearHead> heads,
                                         Corruption corruption, int severity, Index batch,
                                         std::uint64_t seed) {
  const auto total = static_cast<double>(test.labels.size());
  std::vector<double> out(heads.size());
  for_batches(test, batch, [&](std::span<const Index> rows) {
    const UnitImages worse = corrupted(test.read(rows), corruption, severity, seed, rows.front());
    const Matrix features = features_of(trainer, worse, map);
    const std::vector<Label> labels = labels_at(test, rows);
    for (std::size_t h = 0; h < heads.size(); ++h) {
      const Matrix outputs = outputs_of(heads[h], features);
      for (Index i = 0; i < outputs.cols(); ++i) {
        const double margin = margin_of(outputs.col(i), labels[static_cast<std::size_t>(i)]);
        out[h] += margin > 0.0 ? 1.0 / total : 0.0;
      }
    }
  });
  return out;
}

}  // namespace assay
