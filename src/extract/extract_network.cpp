#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/extract.h"
#include "core/clock.h"
#include "core/text.h"
#include "extract/compute_shards.h"
#include "extract/extract_untimed.h"
#include "extract/feature_cache.h"
#include "images/prepare.h"

namespace assay {
namespace {

using Names = std::vector<std::string>;

bool holds(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Preprocessing preprocessing_of(const NetworkSource& source, const ExtractOptions& options) {
  const Preprocessing preprocessing = with_input_size(source.preprocessing, options.input_size);
  if (preprocessing.input_size < 1)
    fail_input(fmt::format("{}: its input size is not known; name one with `input_size`",
                           source.file.string()));
  return preprocessing;
}

// Said only where it is not as ever: older entries keep their address.
std::string crops_of(const ExtractOptions& options) {
  const bool usual = options.views == 1 || options.least_area == kLeastCropArea;
  return usual ? "" : fmt::format(" crops {}", options.least_area);
}

std::string centre_of(const Preprocessing& p) {
  return p.crop_pct > 0.0 ? fmt::format(" centre {}", p.crop_pct) : "";
}

CacheKey cache_key_of(const NetworkSource& source, const std::string& weights,
                      const ImageInput& input, const Preprocessing& p,
                      const ExtractOptions& options) {
  return {.model = source.name,
          .dataset = input.dataset,
          .weights = weights,
          .preprocessing = fmt::format(
              "{} {}{} scale {} mean {} std {} {} {}{}", interpolation_name(p.interpolation),
              p.input_size, centre_of(p), p.input_scale, fmt::join(p.mean, ","),
              fmt::join(p.std, ","), p.bgr ? "BGR" : "RGB", source.recipe, crops_of(options)),
          .images = input.digest,
          .count = input.images->count(),
          .views = options.views,
          .seed = options.views > 1 ? options.seed : 0};
}

class Extraction {
 public:
  Extraction(ThreadPool& pool, const NetworkSource& source, const ImageInput& input,
             const ExtractOptions& options, const ProgressCallback& progress, bool timed)
      : pool_(pool),
        source_(source),
        progress_(progress),
        timed_(timed),
        run_{nullptr, &source, &input, preprocessing_of(source, options), options},
        weights_(file_digest(source.file)),
        entry_(options.cache, cache_key_of(source, weights_, input, run_.preprocessing, options)) {}

  ExtractedModel run() {
    result_.name = source_.name;
    result_.weights = {source_.file, weights_};
    result_.cost.params = source_.params;
    result_.cost.bytes = static_cast<double>(std::filesystem::file_size(source_.file));
    choose_outputs();
    if (!missing_shards().empty()) compute();
    if (timed_) result_.cost.latency_ms = latency();
    for (const std::string& output : wanted_) {
      ExtractedOutput found = describe(output);
      if (output == "logits") {
        result_.probabilities = std::move(found);
      } else {
        result_.outputs.push_back(std::move(found));
      }
    }
    return std::move(result_);
  }

 private:
  Network& network() {
    if (!network_) {
      network_ = source_.open();
      run_.network = network_.get();
    }
    return *network_;
  }

  Names output_names() {
    Names names = entry_.outputs();
    if (!names.empty()) return names;
    for (const NetworkOutput& output : network().outputs()) names.push_back(output.name);
    entry_.keep_outputs(names);
    return names;
  }

  void choose_outputs() {
    const Names names = output_names();
    const std::string& layer = run_.options.layer;
    if (layer == "all") {
      std::copy_if(names.begin(), names.end(), std::back_inserter(wanted_),
                   [](const std::string& name) { return name != "logits"; });
    } else if (holds(names, layer)) {
      wanted_.push_back(layer);
    } else {
      const std::string near = closest_match(layer, names);
      fail_input(fmt::format("{}: no output '{}'{}; it has: {}", source_.file.string(), layer,
                             near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near),
                             fmt::join(names, ", ")));
    }
    if (wanted_.empty())
      fail_input(fmt::format("{}: gives no features; it has: {}", source_.file.string(),
                             fmt::join(names, ", ")));
    if (source_.classes != 0 && holds(names, "logits")) wanted_.emplace_back("logits");
  }

  // Every shard of every output is read and verified.
  std::vector<MissingShard> missing_shards() {
    const Index shards = entry_.shards();
    const auto outputs = static_cast<Index>(wanted_.size());
    checks_.assign(static_cast<std::size_t>(shards * outputs), {});
    pool_.run(shards * outputs, [&](Index k) {
      const std::string name = cached_name(wanted_[static_cast<std::size_t>(k / shards)]);
      checks_[static_cast<std::size_t>(k)] = check_shard(entry_.shard_file(name, k % shards));
    });
    std::vector<MissingShard> missing;
    damaged_ = 0;
    for (Index shard = 0; shard < shards; ++shard) {
      MissingShard one{shard, {}};
      for (Index k = 0; k < outputs; ++k) {
        const ShardCheck& check = check_of(k, shard);
        const bool sound = check.state == ShardState::sound && fits(check, k, shard);
        if (sound) continue;
        damaged_ += check.state != ShardState::missing ? 1 : 0;
        one.outputs.push_back(wanted_[static_cast<std::size_t>(k)]);
      }
      if (!one.outputs.empty()) missing.push_back(std::move(one));
    }
    return missing;
  }

  const ShardCheck& check_of(Index output, Index shard) const {
    return checks_[static_cast<std::size_t>(output * entry_.shards() + shard)];
  }

  // As many rows as the shard must have, as many columns as the output's first sound shard.
  bool fits(const ShardCheck& check, Index output, Index shard) const {
    return check.rows == entry_.images_in(shard) * run_.options.views &&
           check.columns == dim_of(output);
  }

  Index dim_of(Index output) const {
    for (Index shard = 0; shard < entry_.shards(); ++shard) {
      const ShardCheck& check = check_of(output, shard);
      if (check.state == ShardState::sound) return check.columns;
    }
    return 0;
  }

  // Another process may have been at it while we waited for the lock: look again.
  void compute() {
    const FileLock lock = entry_.lock();
    const std::vector<MissingShard> missing = missing_shards();
    if (missing.empty()) return;
    result_.rebuilt = damaged_;
    network();
    if (timed_ && !entry_.latency()) entry_.keep_latency(measure_latency(run_, wanted_.front()));
    const double started = monotonic_seconds();
    result_.computed = compute_shards(pool_, entry_, run_, missing, progress_);
    result_.seconds = monotonic_seconds() - started;
    if (!missing_shards().empty()) {
      throw Error(ErrorCode::io, fmt::format("{}: shards that were just written cannot be read "
                                             "again; is the disk full or failing?",
                                             entry_.folder().string()));
    }
  }

  double latency() {
    if (const std::optional<double> known = entry_.latency()) return *known;
    network();
    const double measured = measure_latency(run_, wanted_.front());
    entry_.keep_latency(measured);
    return measured;
  }

  ExtractedOutput describe(const std::string& output) const {
    const auto position = std::find(wanted_.begin(), wanted_.end(), output) - wanted_.begin();
    return {output, entry_.shard_files(cached_name(output)),
            run_.input->images->count() * run_.options.views, dim_of(position)};
  }

  ThreadPool& pool_;
  const NetworkSource& source_;
  const ProgressCallback& progress_;
  bool timed_;
  ShardInputs run_;
  std::string weights_;
  CacheEntry entry_;
  std::unique_ptr<Network> network_;
  Names wanted_;  // as the network calls them
  std::vector<ShardCheck> checks_;
  Index damaged_ = 0;
  ExtractedModel result_;
};

}  // namespace

ExtractedModel extract_network(ThreadPool& pool, const NetworkSource& source,
                               const ImageInput& input, const ExtractOptions& options,
                               const ProgressCallback& progress) {
  return Extraction(pool, source, input, options, progress, true).run();
}

ExtractedModel extract_untimed(ThreadPool& pool, const NetworkSource& source,
                               const ImageInput& input, const ExtractOptions& options,
                               const ProgressCallback& progress) {
  return Extraction(pool, source, input, options, progress, false).run();
}

}  // namespace assay
