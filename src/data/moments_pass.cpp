#include "data/moments_pass.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "core/dispatch.h"
#include "data/check_finite.h"
#include "linalg/gram.h"

namespace assay {
namespace {

constexpr Index kBlockBytes = Index{32} << 20;  // at most
// Enough rows of each bucket for the products to run at full speed; no more, so that a block is
// still in cache when it is summed.
constexpr Index kBucketRows = 1024;
constexpr Index kReadRows = 64;  // rows one reading task converts at a time
constexpr Index kStripe = 128;   // columns one summing task owns

// Beyond these a fourth power, summed, could leave the range of the type; the pass is
// then repeated on features scaled by a power of two, or in double.
constexpr double kDoubleSafe = 1e60;
constexpr double kFloatSafe = 1e15;

struct Block {
  Index begin = 0;  // file rows begin ... end - 1
  Index end = 0;
  std::vector<Index> rows;         // those wanted, ascending
  std::vector<Index> slots;        // where each goes: samples of one bucket lie together
  std::vector<Index> row_of_slot;  // the inverse
  std::vector<Index> first_slot;   // per bucket, with the total at the end
};

Block plan_block(std::span<const Index> bucket_of_row, Index begin, Index end, Index buckets) {
  Block block{begin, end, {}, {}, {}, std::vector<Index>(static_cast<std::size_t>(buckets) + 1, 0)};
  const auto bucket = [&](Index row) { return bucket_of_row[static_cast<std::size_t>(row)]; };
  for (Index row = begin; row < end; ++row) {
    if (bucket(row) < 0) continue;
    block.rows.push_back(row);
    ++block.first_slot[static_cast<std::size_t>(bucket(row)) + 1];
  }
  std::partial_sum(block.first_slot.begin(), block.first_slot.end(), block.first_slot.begin());
  std::vector<Index> next = block.first_slot;
  block.row_of_slot.resize(block.rows.size());
  for (const Index row : block.rows) {
    const Index slot = next[static_cast<std::size_t>(bucket(row))]++;
    block.slots.push_back(slot);
    block.row_of_slot[static_cast<std::size_t>(slot)] = row;
  }
  return block;
}

// The sums one sample adds to a stripe of columns; `norm` is |x|^2 over all columns.
struct StripeSums {
  double* sum;
  double* square;
  double* cubic;
};

template <typename T>
void add_with_cubic(const T* x, Index width, double norm, StripeSums to) {
  for (Index j = 0; j < width; ++j) {
    const auto value = static_cast<double>(x[j]);
    to.sum[j] += value;
    to.square[j] += value * value;
    to.cubic[j] += norm * value;
  }
}

template <typename T>
void add_sample(const T* x, Index width, StripeSums to) {
  for (Index j = 0; j < width; ++j) {
    const auto value = static_cast<double>(x[j]);
    to.sum[j] += value;
    to.square[j] += value * value;
  }
}

// y = x * scale - shift; returns |y|^2.
template <typename T>
double shift_sample(const T* x, T scale, const T* shift, Index width, T* y) {
  constexpr Index lanes = 8;
  double sums[lanes] = {};
  for (Index j = 0; j < width; ++j) y[j] = x[j] * scale - shift[j];
  Index j = 0;
  for (; j + lanes <= width; j += lanes) {
    for (Index k = 0; k < lanes; ++k) {
      const auto value = static_cast<double>(y[j + k]);
      sums[k] += value * value;
    }
  }
  for (; j < width; ++j) sums[0] += static_cast<double>(y[j]) * static_cast<double>(y[j]);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

template <typename T>
class Pass {
 public:
  Pass(ThreadPool& pool, const RowSource& rows, const Targets& targets,
       std::span<const Index> bucket_of_row, Index buckets, bool fourth)
      : pool_(pool),
        rows_(rows),
        targets_(targets),
        bucket_of_row_(bucket_of_row),
        buckets_(buckets),
        fourth_(fourth) {}

  // Of no use when `largest()` then turns out beyond what T can square and sum.
  std::vector<Moments> run(double scale) {
    scale_ = static_cast<T>(scale);
    largest_ = 0.0;
    squares_.assign(static_cast<std::size_t>(buckets_), Vector::Zero(rows_.cols()));
    const Index block_rows =
        std::clamp<Index>(kBlockBytes / (rows_.cols() * static_cast<Index>(sizeof(T))), kReadRows,
                          std::max(kReadRows, std::min(kBucketRows * buckets_, rows_.rows())));
    samples_ =
        std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(block_rows * rows_.cols()));
    norms_.resize(static_cast<std::size_t>(block_rows));
    choose_shift();
    moments_.clear();
    for (Index b = 0; b < buckets_; ++b) {
      moments_.push_back(empty_moments(shift_.template cast<double>(), scale, targets_.columns()));
    }
    for (Index begin = 0; begin < rows_.rows(); begin += block_rows) {
      const Index end = std::min(begin + block_rows, rows_.rows());
      add_block(plan_block(bucket_of_row_, begin, end, buckets_));
      rows_.release(begin, end);
    }
    finish();
    return std::move(moments_);
  }

  double largest() const { return largest_; }

 private:
  using Samples = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  // The mean of the first rows: near enough to the true mean, and known before the sums begin.
  void choose_shift() {
    std::vector<Index> first(static_cast<std::size_t>(std::min<Index>(rows_.rows(), 256)));
    std::iota(first.begin(), first.end(), 0);
    std::vector<T> values(first.size() * static_cast<std::size_t>(rows_.cols()));
    rows_.read(first, values.data());
    Vector mean = Vector::Zero(rows_.cols());
    for (std::size_t i = 0; i < first.size(); ++i) {
      for (Index j = 0; j < rows_.cols(); ++j) {
        mean[j] +=
            static_cast<double>(
                values[i * static_cast<std::size_t>(rows_.cols()) + static_cast<std::size_t>(j)] *
                scale_) /
            static_cast<double>(first.size());
      }
    }
    shift_ = mean.cast<T>();
    for (Index j = 0; j < shift_.size(); ++j) {
      if (!std::isfinite(shift_[j])) shift_[j] = T{0};  // the pass itself reports the bad value
    }
  }

  void add_block(const Block& block) {
    if (block.rows.empty()) return;
    read_block(block);
    sum_stripes(block);
    std::vector<GramUpdate<T>> updates;
    for (Index b = 0; b < buckets_; ++b) {
      const Index first = block.first_slot[static_cast<std::size_t>(b)];
      const Index count = block.first_slot[static_cast<std::size_t>(b) + 1] - first;
      Moments& bucket = moments_[static_cast<std::size_t>(b)];
      bucket.count += count;
      updates.push_back({samples_.get() + first * rows_.cols(), count, &bucket.gram});
    }
    add_to_grams(pool_, std::span<const GramUpdate<T>>(updates));
  }

  void read_block(const Block& block) {
    const Index dim = rows_.cols();
    const auto wanted = static_cast<Index>(block.rows.size());
    const Index tasks = (wanted + kReadRows - 1) / kReadRows;
    std::vector<double> largest(static_cast<std::size_t>(tasks), 0.0);
    pool_.run(tasks, [&](Index task) {
      const Index first = task * kReadRows;
      const Index count = std::min(kReadRows, wanted - first);
      const std::span<const Index> part(block.rows.data() + first, static_cast<std::size_t>(count));
      double& so_far = largest[static_cast<std::size_t>(task)];
      const auto take = [&](Index k, T* row, Index slot) {
        so_far = std::max(so_far, checked_magnitude(rows_, part[static_cast<std::size_t>(k)], row));
        norms_[static_cast<std::size_t>(slot)] = for_this_processor<shift_sample<T>>(
            row, scale_, shift_.data(), dim, samples_.get() + slot * dim);
      };
      const Index* slots = block.slots.data() + first;
      if (buckets_ == 1) {  // the rows lie side by side
        T* place = samples_.get() + slots[0] * dim;
        rows_.read(part, place);
        for (Index k = 0; k < count; ++k) take(k, place + k * dim, slots[k]);
        return;
      }
      thread_local std::vector<T> values;  // kept: fresh pages cost as much as the reading
      values.resize(static_cast<std::size_t>(count * dim));
      rows_.read(part, values.data());
      for (Index k = 0; k < count; ++k) take(k, values.data() + k * dim, slots[k]);
    });
    largest_ = std::max(largest_, *std::max_element(largest.begin(), largest.end()));
  }

  // Everything linear in the samples, in double, each task owning a stripe of columns.
  void sum_stripes(const Block& block) {
    const Index dim = rows_.cols();
    pool_.run((dim + kStripe - 1) / kStripe, [&](Index task) {
      const Index first = task * kStripe;
      for (Index b = 0; b < buckets_; ++b)
        sum_stripe(block, b, first, std::min(kStripe, dim - first));
    });
    for (Index b = 0; b < buckets_; ++b) add_targets(block, b);
  }

  void sum_stripe(const Block& block, Index b, Index first, Index width) {
    Moments& bucket = moments_[static_cast<std::size_t>(b)];
    StripeSums to{bucket.sum.data() + first, squares_[static_cast<std::size_t>(b)].data() + first,
                  bucket.cubic.data() + first};
    const Index end = block.first_slot[static_cast<std::size_t>(b) + 1];
    for (Index slot = block.first_slot[static_cast<std::size_t>(b)]; slot < end; ++slot) {
      const T* x = samples_.get() + slot * rows_.cols() + first;
      const Index row = block.row_of_slot[static_cast<std::size_t>(slot)];
      if (targets_.kind == TargetKind::classes) {
        const Label label = targets_.labels[static_cast<std::size_t>(row)];
        to.sum = bucket.cross.col(label).data() + first;
      }
      if (fourth_) {
        for_this_processor<add_with_cubic<T>>(x, width, norms_[static_cast<std::size_t>(slot)], to);
      } else {
        for_this_processor<add_sample<T>>(x, width, to);
      }
      if (targets_.kind == TargetKind::classes) continue;
      for (Index c = 0; c < targets_.columns(); ++c) {
        const double y = targets_.values(row, c);
        double* cross = bucket.cross.col(c).data() + first;
        for (Index j = 0; j < width && y != 0.0; ++j) cross[j] += y * static_cast<double>(x[j]);
      }
    }
  }

  void add_targets(const Block& block, Index b) {
    Moments& bucket = moments_[static_cast<std::size_t>(b)];
    const Index end = block.first_slot[static_cast<std::size_t>(b) + 1];
    for (Index slot = block.first_slot[static_cast<std::size_t>(b)]; slot < end; ++slot) {
      const Index row = block.row_of_slot[static_cast<std::size_t>(slot)];
      const double norm = norms_[static_cast<std::size_t>(slot)];
      bucket.fourth += norm * norm;
      if (targets_.kind == TargetKind::classes) {
        const Label label = targets_.labels[static_cast<std::size_t>(row)];
        bucket.target_sum[label] += 1.0;
        bucket.target_square[label] += 1.0;
      } else {
        bucket.target_sum += targets_.values.row(row).transpose();
        bucket.target_square += targets_.values.row(row).transpose().cwiseAbs2();
      }
    }
  }

  // The diagonal, where float sums err most (all terms positive), is replaced by its double sum.
  // Elsewhere the sum of one chunk of 512 float products errs by about 2 * 2^-24 of sqrt(g_ii g_jj)
  // for columns that are near copies, by less for others (linalg/gram.cpp), chunks independently.
  void finish() {
    for (Index b = 0; b < buckets_; ++b) {
      Moments& bucket = moments_[static_cast<std::size_t>(b)];
      if (targets_.kind == TargetKind::classes) bucket.sum = bucket.cross.rowwise().sum();
      if (std::is_same_v<T, double>) continue;
      const Vector& square = squares_[static_cast<std::size_t>(b)];
      bucket.gram.diagonal() = square;
      const double chunks = std::max(1.0, static_cast<double>(bucket.count) / 512.0);
      bucket.product_rounding = 2.0 * 0x1.0p-24 / std::sqrt(chunks);
    }
  }

  ThreadPool& pool_;
  const RowSource& rows_;
  const Targets& targets_;
  std::span<const Index> bucket_of_row_;
  Index buckets_;
  bool fourth_;
  T scale_ = 1;
  double largest_ = 0.0;
  Samples shift_;
  std::unique_ptr<T[]> samples_;  // one block, slot after slot
  std::vector<double> norms_;     // |x|^2 of each
  std::vector<Vector> squares_;
  std::vector<Moments> moments_;
};

bool within(double largest, double safe) {
  return largest == 0.0 || (largest < safe && largest > 1.0 / safe);
}

}  // namespace

Precision suitable_precision(const RowSource& rows) {
  const double products = static_cast<double>(rows.rows()) * static_cast<double>(rows.cols()) *
                          static_cast<double>(rows.cols());
  const bool pays = !rows.is_double() && products > 5e8;
  return pays ? Precision::float_products : Precision::double_products;
}

MomentsPass accumulate_moments(ThreadPool& pool, const RowSource& rows, const Targets& targets,
                               std::span<const Index> bucket_of_row, Index buckets,
                               PassSettings settings) {
  if (settings.precision == Precision::float_products) {
    Pass<float> pass(pool, rows, targets, bucket_of_row, buckets, settings.fourth);
    std::vector<Moments> moments = pass.run(settings.scale);
    if (settings.final || within(pass.largest(), kFloatSafe)) return {std::move(moments), settings};
    settings.precision = Precision::double_products;
  }
  Pass<double> pass(pool, rows, targets, bucket_of_row, buckets, settings.fourth);
  std::vector<Moments> moments = pass.run(settings.scale);
  if (settings.final || within(pass.largest(), kDoubleSafe)) return {std::move(moments), settings};
  settings.scale = std::ldexp(1.0, -std::ilogb(pass.largest()));
  return {pass.run(settings.scale), settings};
}

Index moments_bytes(Index dim, Index columns) { return 8 * dim * (dim + columns); }

}  // namespace assay
