#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/robust.h"
#include "core/clock.h"
#include "core/random.h"
#include "data/check_targets.h"
#include "hub/networks.h"
#include "images/images_digest.h"
#include "images/prepare.h"
#include "images/training_images.h"
#include "robust/robust_probe.h"

namespace assay {
namespace {

struct RobustJob {
  const NetworkSource* network = nullptr;
  double epsilon = 0.0;
  Index seed = 0;
};

// From [0, 1] to what the network sees: (255 u / input_scale - mean) / std.
PixelMap pixel_map(const Preprocessing& p) {
  constexpr double white = 255.0;
  PixelMap map;
  for (std::size_t c = 0; c < 3; ++c) {
    map.slope[c] = static_cast<float>(white / (p.input_scale * p.std[c]));
    map.offset[c] = static_cast<float>(-p.mean[c] / p.std[c]);
  }
  return map;
}

ProbeImages probe_images(const Images& images, std::vector<Label> labels, const Preprocessing& p) {
  Preprocessing unit;  // divides by 255 and does no more
  unit.input_size = p.input_size;
  unit.bgr = p.bgr;
  const PrepareBatch prepare = batches_of(images, unit, {});
  return {[prepare](std::span<const Index> rows) {
            std::vector<BatchRow> batch;
            for (const Index row : rows) batch.push_back({row, 0});
            PreparedBatch made = prepare(batch);
            return UnitImages{std::move(made.pixels), made.count, made.width};
          },
          std::move(labels)};
}

// SynBench's best epsilon of every network, as the paper takes it over to probing. Fewer scales and
// samples than for a score to publish: only the largest of five numbers is wanted.
struct BestEpsilons {
  std::map<std::string, double> found;
  std::vector<FailedModel> failed;
  std::vector<std::string> notes;

  std::optional<double> of(const std::string& name) const {
    const auto one = found.find(name);
    return one == found.end() ? std::nullopt : std::optional(one->second);
  }

  // Zero, and every positive one once.
  std::vector<double> all() const {
    std::set<double> distinct = {0.0};
    for (const auto& [name, epsilon] : found) distinct.insert(epsilon);
    return {distinct.begin(), distinct.end()};
  }
};

// Runs the networks, which takes minutes.
BestEpsilons best_epsilons(ThreadPool& pool, const RobustProbeRequest& request,
                           const std::vector<NetworkSource>& networks,
                           const ProgressCallback& progress) {
  SynbenchRequest synbench;
  synbench.networks = networks;
  synbench.scales = {0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0};
  synbench.samples = 1024;
  synbench.thresholds = {0.7, 0.6, 0.55};  // the paper's first; small networks never reach it
  synbench.input_size = request.images.input_size;
  synbench.seed = request.seed;
  synbench.memory_limit = request.memory_limit;
  const SynbenchResult scored = synbench_hub(pool, synbench, progress);
  BestEpsilons best{{}, scored.failed, {}};
  for (const SynbenchModel& model : scored.models) {
    for (const std::optional<double>& one : model.best_epsilons)
      if (one && !best.found.contains(model.name)) best.found[model.name] = *one;
    if (best.found.contains(model.name)) continue;
    best.found[model.name] = 0.0;
    best.notes.push_back(
        fmt::format("'{}': no epsilon is clearly best for SynBench, so it gets the plain head "
                    "alone; name radii "
                    "with `epsilon`",
                    model.name));
  }
  return best;
}

TrainingImages probing_images(const RobustProbeRequest& request) {
  TrainingImages data =
      open_training_images(request.images, /*validation_share=*/0.0, request.seed);
  require_classes(data.train.targets, "robust probing");
  if (!data.test)
    fail_input(fmt::format("{}: has no test part; split it, e.g. with `split` 0.8", data.name));
  return data;
}

class RobustProbeRun {
 public:
  RobustProbeRun(ThreadPool& pool, const RobustProbeRequest& request,
                 const ProgressCallback& progress, NetworkSources hub, const TrainingImages& data,
                 std::optional<BestEpsilons> best)
      : pool_(pool),
        request_(request),
        progress_(progress),
        hub_(std::move(hub)),
        data_(data),
        best_(std::move(best)) {
    if (best_) hub_.failed.insert(hub_.failed.end(), best_->failed.begin(), best_->failed.end());
    for (const double epsilon : best_ ? best_->all() : request.epsilons) {
      if (!std::isfinite(epsilon) || epsilon < 0.0)
        fail_input(fmt::format("`epsilon` {}: a radius of 0 or more is expected", epsilon));
      if (epsilon > 0.0) attacks_.push_back({epsilon, request.steps});
    }
  }

  RobustProbeResult run() {
    for (const NetworkSource& network : hub_.networks)
      for (const double epsilon : epsilons_of(network.name))
        for (Index seed = 0; seed < request_.runs; ++seed)
          jobs_.push_back({&network, epsilon, seed});
    heads_.resize(jobs_.size());
    errors_.resize(jobs_.size());
    done_.resize(jobs_.size());
    pool_.run(static_cast<Index>(jobs_.size()),
              [this](Index k) { run_job(static_cast<std::size_t>(k)); });
    return collected();
  }

 private:
  // To train against. Every head is attacked with those of all networks.
  std::vector<double> epsilons_of(const std::string& name) const {
    if (!best_) return request_.epsilons;
    const std::optional<double> best = best_->of(name);
    if (!best) return {};
    return *best > 0.0 ? std::vector{0.0, *best} : std::vector{0.0};
  }

  void run_job(std::size_t i) {
    try {
      heads_[i] = probed(i);
    } catch (const std::exception& error) {  // a backend may throw anything
      errors_[i] = error.what();
    }
  }

  RobustHeadResult probed(std::size_t i) {
    const RobustJob& job = jobs_[i];
    const double started = monotonic_seconds();
    const Preprocessing preprocessing =
        with_input_size(job.network->preprocessing, request_.images.input_size);
    const PixelMap map = pixel_map(preprocessing);
    const std::unique_ptr<Trainer> trainer = job.network->train(1);
    const std::uint64_t seed = mixed_seed(request_.seed, static_cast<std::uint64_t>(job.seed));
    const RobustProbeOptions options{.attack = {job.epsilon, request_.steps},
                                     .classes = data_.targets.outputs,
                                     .epochs = request_.epochs,
                                     .batch = request_.batch,
                                     .rate = request_.rate,
                                     .seed = seed};
    const ProbeImages train = probe_images(data_.train.images, data_.targets.labels, preprocessing);
    const LinearHead head =
        train_robust_probe(*trainer, train, map, options, [&](double part) { tell(i, part); });
    const ProbeImages test =
        probe_images(data_.test->images, data_.test_targets->labels, preprocessing);
    RobustAccuracy accuracy =
        test_robust_probe(*trainer, test, map, head, attacks_, request_.batch, request_.seed);
    return {job.epsilon, job.seed, std::move(accuracy), monotonic_seconds() - started};
  }

  void tell(std::size_t i, double part) {
    const std::lock_guard lock(mutex_);
    done_[i] = part;
    if (!progress_) return;
    const double all = std::accumulate(done_.begin(), done_.end(), 0.0);
    progress_(all / static_cast<double>(done_.size()),
              fmt::format("{} epsilon {} seed {}", jobs_[i].network->name, jobs_[i].epsilon,
                          jobs_[i].seed));
  }

  RobustProbeResult collected() {
    RobustProbeResult out;
    out.dataset = data_.name;
    out.train = static_cast<Index>(data_.rows.size());
    out.test = data_.test->images->count();
    out.failed = hub_.failed;
    out.notes = hub_.notes;
    if (best_) out.notes.insert(out.notes.end(), best_->notes.begin(), best_->notes.end());
    out.inputs.push_back({request_.images.data, images_digest(pool_, *data_.train.images)});
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const std::string& name = jobs_[i].network->name;
      if (!errors_[i].empty()) {
        const bool known = std::any_of(out.failed.begin(), out.failed.end(),
                                       [&](const FailedModel& one) { return one.name == name; });
        if (!known) out.failed.push_back({name, errors_[i]});
        continue;
      }
      if (out.models.empty() || out.models.back().name != name) {
        out.models.push_back({name, best_ ? best_->of(name) : std::nullopt, {}});
        const std::filesystem::path& file = jobs_[i].network->file;
        out.inputs.push_back({file, file_digest(file)});
      }
      out.models.back().heads.push_back(heads_[i]);
    }
    if (out.models.empty())
      fail_input(fmt::format("no network could be probed: {}", out.failed.front().error));
    return out;
  }

  ThreadPool& pool_;
  const RobustProbeRequest& request_;
  const ProgressCallback& progress_;
  NetworkSources hub_;
  const TrainingImages& data_;
  std::optional<BestEpsilons> best_;
  std::vector<AttackOptions> attacks_;
  std::vector<RobustJob> jobs_;
  std::vector<RobustHeadResult> heads_;
  std::vector<std::string> errors_;
  std::mutex mutex_;
  std::vector<double> done_;
};

}  // namespace

RobustProbeResult robust_probe_hub(ThreadPool& pool, const RobustProbeRequest& request,
                                   const ProgressCallback& progress) {
  NetworkSources hub = require_networks(request.inputs);
  const TrainingImages data = probing_images(request);
  std::optional<BestEpsilons> best;
  if (request.best_epsilon) best = best_epsilons(pool, request, hub.networks, progress);
  return RobustProbeRun(pool, request, progress, std::move(hub), data, std::move(best)).run();
}

}  // namespace assay
