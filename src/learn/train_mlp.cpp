#include <algorithm>
#include <deque>
#include <numeric>

#include "core/random.h"
#include "learn/mlp.h"

namespace assay {
namespace {

constexpr std::size_t kWindow = 100;  // updates over which the training loss is averaged

// The next rows of a random order, drawn anew when used up.
class Batches {
 public:
  Batches(const Eigen::MatrixXf& samples, std::span<const Label> labels,
          std::span<const Index> rows, Index batch, std::uint64_t seed)
      : samples_(samples),
        labels_(labels),
        order_(rows.begin(), rows.end()),
        batch_(batch),
        random_(seed) {
    if (whole()) take(0, std::ssize(order_));
  }

  void next() {
    if (whole()) return;  // the same rows every time
    if (position_ == 0) random_.shuffle(order_);
    const Index count = std::min(batch_, std::ssize(order_) - position_);
    take(position_, count);
    position_ = position_ + count == std::ssize(order_) ? 0 : position_ + count;
  }

  const Eigen::MatrixXf& samples() const { return part_; }
  const std::vector<Label>& labels() const { return part_labels_; }

 private:
  bool whole() const { return std::ssize(order_) <= batch_; }

  void take(Index first, Index count) {
    part_.resize(samples_.rows(), count);
    part_labels_.resize(static_cast<std::size_t>(count));
    for (Index i = 0; i < count; ++i) {
      const Index row = order_[static_cast<std::size_t>(first + i)];
      part_.col(i) = samples_.col(row);
      part_labels_[static_cast<std::size_t>(i)] = labels_[static_cast<std::size_t>(row)];
    }
  }

  const Eigen::MatrixXf& samples_;
  std::span<const Label> labels_;
  std::vector<Index> order_;
  Index batch_;
  Random random_;
  Index position_ = 0;
  Eigen::MatrixXf part_;
  std::vector<Label> part_labels_;
};

}  // namespace

MlpFit train_mlp(const Eigen::MatrixXf& samples, std::span<const Label> labels,
                 std::span<const Index> rows, Index classes, const MlpOptions& options,
                 std::uint64_t seed) {
  std::vector<Index> widths = {samples.rows()};
  widths.insert(widths.end(), options.hidden.begin(), options.hidden.end());
  widths.push_back(classes);
  MlpFit fit{.network = Mlp<float>(std::move(widths))};
  fit.network.randomize(seed);
  Adam<float> adam(std::ssize(fit.network.parameters()), options.adam);
  Batches batches(samples, labels, rows, options.batch, seed + 1);
  Mlp<float>::Workspace work;
  std::deque<double> recent;
  while (fit.updates < options.updates) {
    if (options.watch) options.watch();
    batches.next();
    recent.push_back(fit.network.loss_and_gradient(batches.samples(), batches.labels(), work));
    adam.step(fit.network.parameters(), work.gradient);
    ++fit.updates;
    if (recent.size() > kWindow) recent.pop_front();
    if (options.stop_loss <= 0.0 || recent.size() < kWindow) continue;
    const double mean = std::accumulate(recent.begin(), recent.end(), 0.0) / kWindow;
    if (mean < options.stop_loss) break;
  }
  if (!recent.empty()) {
    fit.train_loss =
        std::accumulate(recent.begin(), recent.end(), 0.0) / static_cast<double>(recent.size());
  }
  return fit;
}

}  // namespace assay
