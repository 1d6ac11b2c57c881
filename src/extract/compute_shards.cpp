#include "extract/compute_shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <span>

#include "assay/error.h"
#include "core/clock.h"
#include "images/prepare.h"

namespace assay {
namespace {

// Images [first, last) of the data set, all views of each.
struct Batch {
  std::size_t shard = 0;  // position in the list of missing ones
  Index first = 0, last = 0;
};

// A shard while its batches come in, in any order.
struct OpenShard {
  std::vector<std::vector<float>> outputs;  // one matrix per output
  std::vector<Index> dims;
  Index batches_left = 0;
};

std::vector<float> prepare_rows(const ShardInputs& run, Index first, Index last) {
  const Index views = run.options.views;
  const Index length = 3 * run.preprocessing.input_size * run.preprocessing.input_size;
  std::vector<float> pixels(static_cast<std::size_t>((last - first) * views * length));
  float* out = pixels.data();
  for (Index i = first; i < last; ++i) {
    const Image image = run.input->images->read(i);
    for (Index view = 0; view < views; ++view, out += length) {
      const ViewBox box =
          view_box(image.height, image.width, run.options.seed, i, view, run.options.least_area);
      prepare_image(image, box, run.preprocessing, {out, static_cast<std::size_t>(length)});
    }
  }
  return pixels;
}

void softmax(std::span<float> row) {
  const double largest = *std::max_element(row.begin(), row.end());
  double sum = 0.0;
  for (const float value : row) sum += std::exp(value - largest);
  for (float& value : row) value = static_cast<float>(std::exp(value - largest) / sum);
}

class Runner {
 public:
  Runner(const CacheEntry& entry, const ShardInputs& run, const std::vector<MissingShard>& missing,
         const ProgressCallback& progress)
      : entry_(entry), run_(run), missing_(missing), progress_(progress), open_(missing.size()) {
    const Index step = std::max<Index>(1, run.options.batch / run.options.views);
    for (std::size_t k = 0; k < missing.size(); ++k) {
      const Index first = entry.first_image(missing[k].shard);
      const Index last = first + entry.images_in(missing[k].shard);
      total_ += last - first;
      for (Index i = first; i < last; i += step) {
        batches_.push_back({k, i, std::min(i + step, last)});
        ++open_[k].batches_left;
      }
    }
  }

  Index run(ThreadPool& pool) {
    pool.run(static_cast<Index>(batches_.size()),
             [this](Index i) { run_batch(batches_[static_cast<std::size_t>(i)]); });
    return total_;
  }

 private:
  void run_batch(const Batch& batch) {
    const std::vector<float> pixels = prepare_rows(run_, batch.first, batch.last);
    const Index size = run_.preprocessing.input_size;
    const Index rows = (batch.last - batch.first) * run_.options.views;
    const std::vector<std::string>& wanted = missing_[batch.shard].outputs;
    std::vector<std::vector<float>> values =
        run_.network->forward({pixels.data(), rows, 3, size, size}, wanted);
    std::vector<Index> dims;
    for (std::size_t k = 0; k < wanted.size(); ++k)
      dims.push_back(check_and_finish(wanted[k], values.at(k), batch, rows));
    keep(batch, values, dims);
  }

  // Returns the number of columns.
  Index check_and_finish(const std::string& output, std::vector<float>& values, const Batch& batch,
                         Index rows) const {
    const auto size = static_cast<Index>(values.size());
    if (size == 0 || size % rows != 0) {
      fail_input(fmt::format("{}: output '{}' gave {} numbers for {} images", where(), output, size,
                             rows));
    }
    const Index dim = size / rows;
    for (Index k = 0; k < size; ++k) {
      if (std::isfinite(values[static_cast<std::size_t>(k)])) continue;
      fail_input(fmt::format("{}: output '{}' is {} for {}; check the network's preprocessing",
                             where(), output, values[static_cast<std::size_t>(k)],
                             run_.input->images->name(batch.first + k / dim / run_.options.views)));
    }
    if (output == "logits") {
      for (Index row = 0; row < rows; ++row)
        softmax({values.data() + row * dim, static_cast<std::size_t>(dim)});
    }
    return dim;
  }

  std::string where() const { return run_.source->file.string(); }

  // Copies the rows to their place; whoever brings the last ones of a shard writes it.
  void keep(const Batch& batch, const std::vector<std::vector<float>>& values,
            const std::vector<Index>& dims) {
    OpenShard finished;
    {
      const std::lock_guard lock(mutex_);
      OpenShard& shard = open_[batch.shard];
      allocate(shard, batch, dims);
      const Index row = (batch.first - first_image(batch.shard)) * run_.options.views;
      for (std::size_t k = 0; k < values.size(); ++k) {
        std::copy(values[k].begin(), values[k].end(),
                  shard.outputs[k].begin() + row * shard.dims[k]);
      }
      if (--shard.batches_left == 0) finished = std::move(shard);
      report(batch);
    }
    for (std::size_t k = 0; k < finished.outputs.size(); ++k) {
      const std::string name = cached_name(missing_[batch.shard].outputs[k]);
      write_shard(entry_.shard_file(name, missing_[batch.shard].shard), finished.outputs[k],
                  finished.dims[k]);
    }
  }

  Index first_image(std::size_t k) const { return entry_.first_image(missing_[k].shard); }

  void allocate(OpenShard& shard, const Batch& batch, const std::vector<Index>& dims) {
    if (dims_.empty()) dims_ = dims_by_name(batch.shard, dims);
    const std::map<std::string, Index> mine = dims_by_name(batch.shard, dims);
    for (const auto& [name, dim] : mine) {
      const auto [known, added] = dims_.try_emplace(name, dim);
      if (known->second == dim) continue;
      fail_input(fmt::format("{}: output '{}' has {} numbers for some images and {} for others",
                             where(), name, known->second, dim));
    }
    if (!shard.outputs.empty()) return;
    const Index rows = entry_.images_in(missing_[batch.shard].shard) * run_.options.views;
    shard.dims = dims;
    for (const Index dim : dims)
      shard.outputs.emplace_back(static_cast<std::size_t>(rows) * static_cast<std::size_t>(dim));
  }

  std::map<std::string, Index> dims_by_name(std::size_t shard,
                                            const std::vector<Index>& dims) const {
    std::map<std::string, Index> named;
    for (std::size_t k = 0; k < dims.size(); ++k) named[missing_[shard].outputs[k]] = dims[k];
    return named;
  }

  void report(const Batch& batch) {
    done_ += batch.last - batch.first;
    if (!progress_) return;
    const double seconds = std::max(1e-9, monotonic_seconds() - started_);
    progress_(static_cast<double>(done_) / static_cast<double>(total_),
              fmt::format("{}: {:.0f} images/s", run_.source->name,
                          static_cast<double>(done_) / seconds));
  }

  const CacheEntry& entry_;
  const ShardInputs& run_;
  const std::vector<MissingShard>& missing_;
  const ProgressCallback& progress_;
  std::vector<Batch> batches_;
  std::mutex mutex_;  // guards all below
  std::vector<OpenShard> open_;
  std::map<std::string, Index> dims_;
  Index done_ = 0;
  Index total_ = 0;
  double started_ = monotonic_seconds();
};

}  // namespace

std::string cached_name(const std::string& output) { return output == "logits" ? "probs" : output; }

Index compute_shards(ThreadPool& pool, const CacheEntry& entry, const ShardInputs& run,
                     const std::vector<MissingShard>& missing, const ProgressCallback& progress) {
  return Runner(entry, run, missing, progress).run(pool);
}

double measure_latency(const ShardInputs& run, const std::string& output) {
  constexpr int warm_up = 2;  // just-in-time compilers look at the first runs
  constexpr std::size_t most_runs = 15;
  constexpr double most_seconds = 1.0;
  ShardInputs plain = run;
  plain.options.views = 1;
  const std::vector<float> pixels = prepare_rows(plain, 0, 1);
  const Index size = run.preprocessing.input_size;
  const ImageBatch batch{pixels.data(), 1, 3, size, size};
  const std::vector<std::string> wanted = {output};
  for (int i = 0; i < warm_up; ++i) run.network->forward(batch, wanted);
  std::vector<double> seconds;
  const double started = monotonic_seconds();
  while (seconds.size() < most_runs && monotonic_seconds() - started < most_seconds) {
    const double before = monotonic_seconds();
    run.network->forward(batch, wanted);
    seconds.push_back(monotonic_seconds() - before);
  }
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<Index>(seconds.size() / 2),
                   seconds.end());
  constexpr double milliseconds = 1e3;
  return std::max(1e-6, milliseconds * seconds[seconds.size() / 2]);
}

}  // namespace assay
