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

// A head to train: of network number `network`.
struct RobustJob {
  std::size_t network = 0;
  double epsilon = 0.0;
  Index seed = 0;
};

// A network and what all its heads share.
struct ProbedNetwork {
  const NetworkSource* source = nullptr;
  PixelMap map;
  ProbeImages train, test;
  FloatMatrix clean;  // features of the training images
  std::string error;
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
  std::map<std::string, std::optional<double>> found;  // nothing: scored, but none is clearly best
  std::vector<FailedModel> failed;
  std::vector<std::string> notes;

  std::optional<double> of(const std::string& name) const {
    const auto one = found.find(name);
    return one == found.end() ? std::nullopt : one->second;
  }

  // Zero, and every positive one once.
  std::vector<double> all() const {
    std::set<double> distinct = {0.0};
    for (const auto& [name, epsilon] : found) distinct.insert(epsilon.value_or(0.0));
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
      if (one && !best.found.contains(model.name)) best.found[model.name] = one;
    if (best.found.contains(model.name)) continue;
    best.found[model.name] = std::nullopt;
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
      if (epsilon > 0.0) {
        attacks_.push_back({epsilon, request.steps, request.final_steps, request.restarts,
                            request.queries, request.seed});
      }
    }
  }

  RobustProbeResult run() {
    for (const NetworkSource& network : hub_.networks) networks_.push_back(opened(network));
    for (std::size_t n = 0; n < networks_.size(); ++n)
      for (const double epsilon : epsilons_of(networks_[n].source->name))
        for (Index seed = 0; seed < request_.runs; ++seed) jobs_.push_back({n, epsilon, seed});
    heads_.resize(jobs_.size());
    results_.resize(jobs_.size());
    errors_.resize(jobs_.size());
    plan();
    pool_.run(count(networks_), [this](Index n) { look(static_cast<std::size_t>(n)); });
    pool_.run(count(jobs_), [this](Index k) { run_job(static_cast<std::size_t>(k)); });
    pool_.run(count(networks_) * kKinds, [this](Index k) {
      corrupt(static_cast<std::size_t>(k / kKinds), static_cast<std::size_t>(k % kKinds));
    });
    return collected();
  }

 private:
  static constexpr auto kKinds = static_cast<Index>(kCorruptions.size());

  template <typename List>
  static Index count(const List& list) {
    return static_cast<Index>(list.size());
  }

  ProbedNetwork opened(const NetworkSource& network) const {
    const Preprocessing preprocessing =
        with_input_size(network.preprocessing, request_.images.input_size);
    return {&network,
            pixel_map(preprocessing),
            probe_images(data_.train.images, data_.targets.labels, preprocessing),
            probe_images(data_.test->images, data_.test_targets->labels, preprocessing),
            {},
            {}};
  }

  // To train against. Every head is attacked with those of all networks.
  std::vector<double> epsilons_of(const std::string& name) const {
    if (!best_) return request_.epsilons;
    if (!best_->found.contains(name)) return {};  // it could not be scored
    const double best = best_->of(name).value_or(0.0);
    return best > 0.0 ? std::vector{0.0, best} : std::vector{0.0};
  }

  // The passes that each task costs at most, a backward one counting as two: networks, then jobs,
  // then kinds of corruption.
  void plan() {
    const auto train = static_cast<double>(data_.rows.size());
    const auto test = static_cast<double>(data_.test_targets->labels.size());
    const auto steps = static_cast<double>(request_.steps);
    costs_.assign(networks_.size(), train);
    for (const RobustJob& job : jobs_) {
      const double training =
          job.epsilon > 0.0 ? train * (3.0 * steps + static_cast<double>(request_.epochs)) : 0.0;
      costs_.push_back(training + test * 4.0 * steps * static_cast<double>(attacks_.size()));
    }
    costs_.insert(costs_.end(), networks_.size() * kCorruptions.size(), test * kSeverities);
    done_.assign(costs_.size(), 0.0);
  }

  void look(std::size_t n) {
    try {
      ProbedNetwork& network = networks_[n];
      const std::unique_ptr<Trainer> trainer = network.source->train(1);
      network.clean = clean_features(*trainer, network.train, network.map, request_.batch);
    } catch (const std::exception& error) {  // a backend may throw anything
      networks_[n].error = error.what();
    }
    tell(n, 1.0, networks_[n].source->name);
  }

  void run_job(std::size_t i) {
    errors_[i] = networks_[jobs_[i].network].error;
    try {
      if (errors_[i].empty()) probe(i);
    } catch (const std::exception& error) {
      errors_[i] = error.what();
    }
    tell_job(i, 1.0);
  }

  void probe(std::size_t i) {
    const RobustJob& job = jobs_[i];
    const ProbedNetwork& network = networks_[job.network];
    const double started = monotonic_seconds();
    const std::unique_ptr<Trainer> trainer = network.source->train(1);
    const std::uint64_t seed = mixed_seed(request_.seed, static_cast<std::uint64_t>(job.seed));
    const RobustProbeOptions options{.attack = {job.epsilon, request_.steps},
                                     .classes = data_.targets.outputs,
                                     .epochs = request_.epochs,
                                     .batch = request_.batch,
                                     .rate = request_.rate,
                                     .seed = seed,
                                     .keep_shifts = shifts_fit(network)};
    constexpr double trained = 0.5;  // of the job
    const double share = job.epsilon > 0.0 ? trained : 0.0;
    heads_[i] = train_robust_probe(*trainer, network.train, network.clean, network.map, options,
                                   [&](double part) { tell_job(i, share * part); });
    RobustAccuracy accuracy =
        attack_probe(*trainer, network.test, network.map, heads_[i], attacks_, request_.batch,
                     [&](double part) { tell_job(i, share + (1.0 - share) * part); });
    accuracy.corruptions.resize(kCorruptions.size());
    results_[i] = {job.epsilon, job.seed, std::move(accuracy), monotonic_seconds() - started};
  }

  // The attacked training images of as many jobs as run at a time, in half of the memory.
  bool shifts_fit(const ProbedNetwork& network) const {
    const Index first = 0;
    const Index bytes = network.train.read(std::span(&first, 1)).length() * Index{sizeof(float)};
    return request_.memory_limit == 0 ||
           bytes * count(data_.rows) * pool_.threads() <= request_.memory_limit / 2;
  }

  void corrupt(std::size_t n, std::size_t kind) {
    ProbedNetwork& network = networks_[n];
    std::vector<std::size_t> own;
    std::vector<LinearHead> heads;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (jobs_[i].network != n || !errors_[i].empty()) continue;
      own.push_back(i);
      heads.push_back(heads_[i]);
    }
    if (heads.empty()) return;
    try {
      const std::unique_ptr<Trainer> trainer = network.source->train(1);
      for (int severity = 1; severity <= kSeverities; ++severity) {
        const std::vector<double> found =
            corrupted_accuracies(*trainer, network.test, network.map, heads, kCorruptions[kind],
                                 severity, request_.batch, request_.seed);
        for (std::size_t k = 0; k < own.size(); ++k)
          results_[own[k]].accuracy.corruptions[kind][static_cast<std::size_t>(severity - 1)] =
              found[k];
        tell(networks_.size() + jobs_.size() + n * kCorruptions.size() + kind,
             static_cast<double>(severity) / kSeverities,
             fmt::format("{} {}", network.source->name, corruption_name(kCorruptions[kind])));
      }
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex_);
      network.error = error.what();
    }
  }

  void tell_job(std::size_t i, double part) {
    const RobustJob& job = jobs_[i];
    tell(networks_.size() + i, part,
         fmt::format("{} epsilon {} seed {}", networks_[job.network].source->name, job.epsilon,
                     job.seed));
  }

  void tell(std::size_t task, double part, const std::string& what) {
    const std::lock_guard lock(mutex_);
    done_[task] = part * costs_[task];
    if (!progress_) return;
    const double all = std::accumulate(costs_.begin(), costs_.end(), 0.0);
    progress_(std::accumulate(done_.begin(), done_.end(), 0.0) / all, what);
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
      const ProbedNetwork& network = networks_[jobs_[i].network];
      const std::string& name = network.source->name;
      if (errors_[i].empty()) errors_[i] = network.error;
      if (!errors_[i].empty()) {
        const bool known = std::any_of(out.failed.begin(), out.failed.end(),
                                       [&](const FailedModel& one) { return one.name == name; });
        if (!known) out.failed.push_back({name, errors_[i]});
        continue;
      }
      if (out.models.empty() || out.models.back().name != name) {
        out.models.push_back({name, best_ ? best_->of(name) : std::nullopt, {}});
        const std::filesystem::path& file = network.source->file;
        out.inputs.push_back({file, file_digest(file)});
      }
      out.models.back().heads.push_back(results_[i]);
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
  std::vector<StrongAttack> attacks_;
  std::vector<ProbedNetwork> networks_;
  std::vector<RobustJob> jobs_;
  std::vector<LinearHead> heads_;
  std::vector<RobustHeadResult> results_;
  std::vector<std::string> errors_;
  std::mutex mutex_;
  std::vector<double> costs_, done_;  // of all tasks, in passes
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
