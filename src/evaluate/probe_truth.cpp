#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <numeric>
#include <utility>

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
#include "evaluate/truth_fields.h"
#include "hub/hub_or_files.h"
#include "hub/open_rows.h"
#include "parts/data_digest.h"
#include "parts/shared_units.h"

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

// One model measured, and the files of features behind it.
struct TruthUnit {
  MeasuredModel model;
  std::vector<FileDigest> read;
};

template <class Archive>
void fields(Archive& archive, TruthUnit& unit) {
  auto& [model, read] = unit;
  archive(model, read);
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
    measure_all(result);
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
  WorkList work() const {
    WorkList list{"truth", {}, targets_digest(targets_)};
    if (!tests_.models.empty()) list.data += " " + targets_digest(test_targets_);
    for (const Model& files : models_.models) list.units.push_back(files.name);
    return list;
  }

  void measure_all(TruthResult& result) {
    SharedUnits<TruthUnit> units(request_.share, work());
    measured_here_ = static_cast<double>(units.count());
    const auto count = static_cast<Index>(models_.models.size());
    for (Index i = 0; i < count; ++i) {
      if (!units.mine(i)) continue;
      units.run(i, [&] {
        read_.clear();
        MeasuredModel model = measure(models_.models[static_cast<std::size_t>(i)]);
        return TruthUnit{std::move(model), std::exchange(read_, {})};
      });
      ++finished_;
    }
    units.complete();
    read_.clear();
    for (Index i = 0; i < count; ++i) {
      try {
        TruthUnit unit = units.take(i);
        result.models.push_back(std::move(unit.model));
        std::ranges::move(unit.read, std::back_inserter(read_));
      } catch (const Error& error) {
        result.failed.push_back({models_.models[static_cast<std::size_t>(i)].name, error.what()});
      }
    }
  }

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

  MeasuredModel measure(const Model& files) {
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
        progress_((finished_ + done / static_cast<double>(request_.runs)) / measured_here_,
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
  double measured_here_ = 1.0;    // models
  double finished_ = 0.0;
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
