#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <numeric>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/hub.h"
#include "assay/truth.h"
#include "core/memory.h"
#include "core/split.h"
#include "core/text.h"
#include "data/check_targets.h"
#include "data/read_samples.h"
#include "evaluate/probe_quality.h"
#include "hub/hub_or_files.h"
#include "hub/open_rows.h"

namespace assay {
namespace {

Targets checked_targets(Targets targets) {
  if (targets.kind == TargetKind::classes) require_classes(targets, "a linear probe");
  return targets;
}

// By class, or any rows where there are no classes.
Split split_rows(const Targets& targets, double share, std::uint64_t seed) {
  if (targets.kind == TargetKind::classes) return stratified_split(targets.labels, share, seed);
  const std::vector<Label> alike(static_cast<std::size_t>(targets.rows()), 0);
  return stratified_split(alike, share, seed);
}

class TruthProbe {
 public:
  TruthProbe(ThreadPool& pool, const TruthRequest& request, const ProgressCallback& progress)
      : pool_(pool),
        request_(request),
        progress_(progress),
        models_(models_from(request.hub, request.inputs, request.labels)),
        targets_(checked_targets(targets_from(request.hub, request.labels))) {
    if (!request.test_hub.models.empty() || !request.test_inputs.empty()) {
      tests_ = models_from(request.test_hub, request.test_inputs, request.test_labels);
      test_targets_ =
          recoded(checked_targets(targets_from(request.test_hub, request.test_labels)), targets_);
    }
  }

  TruthResult run() {
    TruthResult result;
    result.unit = probe_unit(targets_.kind);
    result.failed = request_.hub.failed;
    result.inputs = request_.hub.inputs;
    const std::size_t failed_before = result.failed.size();
    for (const Model& files : models_.models) {
      try {
        result.models.push_back(
            measure(files, result.models.size() + result.failed.size() - failed_before));
      } catch (const Error& error) {
        result.failed.push_back({files.name, error.what()});
      }
    }
    if (result.models.empty()) {
      fail_input(fmt::format("nothing could be measured: {}", result.failed.front().error));
    }
    for (const std::filesystem::path& file : {request_.labels, request_.test_labels}) {
      if (!file.empty()) result.inputs.push_back({file, file_digest(file)});
    }
    std::ranges::move(read_, std::back_inserter(result.inputs));
    return result;
  }

 private:
  ProbedSamples load(const Model& files, const Targets& targets) {
    const Rows rows = open_rows(files);
    if (rows->rows() != targets.rows()) {
      fail_input(fmt::format("{}: {} rows, but {} has {} labels; one label per row is expected",
                             rows->where(), rows->rows(), targets.where, targets.rows()));
    }
    const Index own = Index{sizeof(double)} * rows->rows() * rows->cols();
    require_memory(rows->where(), "measuring its accuracy", own + run_memory(rows->rows(), own),
                   request_.memory_limit);
    Matrix samples = read_samples(pool_, *rows);
    if (request_.hub.models.empty()) std::ranges::move(rows->digests(), std::back_inserter(read_));
    return {std::move(samples), targets};
  }

  // Of one run: copies of the samples it trains and tests on, and what fitting them takes.
  Index run_memory(Index rows, Index bytes) const {
    const Index dim = bytes / Index{sizeof(double)} / rows;
    return bytes + samples_memory(rows, dim, targets_.columns());
  }

  // Side by side, one per thread, if memory allows.
  void for_runs(const ProbedSamples& all, const ProbedSamples& test,
                const std::function<void(Index run)>& work) {
    const Index held = Index{sizeof(double)} * (all.features.size() + test.features.size());
    const Index fitting =
        std::max<Index>(1, (request_.memory_limit - held) / run_memory(all.features.cols(), held));
    const Index together = fitting >= pool_.threads() ? request_.runs : fitting;
    for (Index first = 0; first < request_.runs; first += together) {
      pool_.run(std::min(together, request_.runs - first), [&](Index i) { work(first + i); });
    }
  }

  MeasuredModel measure(const Model& files, std::size_t finished) {
    const ProbedSamples all = load(files, targets_);
    const bool split = tests_.models.empty();
    const ProbedSamples fixed_test =
        split ? ProbedSamples{} : load(same_model_in(models_, files, tests_), test_targets_);
    if (!split && fixed_test.features.rows() != all.features.rows()) {
      fail_input(fmt::format("{}: {} dimensions in training, {} in test features", files.name,
                             all.features.rows(), fixed_test.features.rows()));
    }
    MeasuredModel out{files.name, all.features.rows(), 0, 0,
                      std::vector<double>(static_cast<std::size_t>(request_.runs))};
    std::mutex mutex;
    double done = 0.0;
    for_runs(all, fixed_test, [&](Index run) {
      const std::uint64_t seed = request_.seed * 1000003 + static_cast<std::uint64_t>(run);
      const Split rows =
          split ? split_rows(all.targets, request_.test_share, seed + 7919) : Split{};
      const ProbedSamples train = split ? part_of(all, rows.train) : all;
      const ProbedSamples test = split ? part_of(all, rows.held_out) : fixed_test;
      if (train.targets.rows() == 0 || test.targets.rows() == 0)
        fail_input(fmt::format("{}: too few rows to split into training and test", files.name));
      out.accuracies[static_cast<std::size_t>(run)] = probe_quality(pool_, train, test, seed);
      const std::lock_guard lock(mutex);
      out.train = train.targets.rows();
      out.test = test.targets.rows();
      ++done;
      if (progress_) {
        progress_((static_cast<double>(finished) + done / static_cast<double>(request_.runs)) /
                      static_cast<double>(models_.models.size()),
                  files.name);
      }
    });
    return out;
  }

  ThreadPool& pool_;
  const TruthRequest& request_;
  const ProgressCallback& progress_;
  ModelList models_;
  ModelList tests_;
  Targets targets_;
  Targets test_targets_;
  std::vector<FileDigest> read_;  // files of features
};

}  // namespace

double MeasuredModel::mean() const {
  return std::accumulate(accuracies.begin(), accuracies.end(), 0.0) /
         static_cast<double>(accuracies.size());
}

std::optional<double> MeasuredModel::sd() const {
  if (accuracies.size() < 2) return std::nullopt;
  double squares = 0.0;
  for (const double value : accuracies) squares += (value - mean()) * (value - mean());
  return std::sqrt(squares / static_cast<double>(accuracies.size() - 1));
}

TruthResult probe_truth(ThreadPool& pool, const TruthRequest& request,
                        const ProgressCallback& progress) {
  return TruthProbe(pool, request, progress).run();
}

}  // namespace assay
