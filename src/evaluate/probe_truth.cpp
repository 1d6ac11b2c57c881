#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/hub.h"
#include "assay/truth.h"
#include "core/split.h"
#include "core/text.h"
#include "data/check_targets.h"
#include "data/read_samples.h"
#include "data/recode_labels.h"
#include "hub/hub_or_files.h"
#include "hub/open_rows.h"
#include "learn/linear_probe.h"

namespace assay {
namespace {

Targets classes_from(const Hub& hub, const std::filesystem::path& labels) {
  Targets targets = targets_from(hub, labels);
  require_classes(targets, "a linear probe");
  return targets;
}

class TruthProbe {
 public:
  TruthProbe(ThreadPool& pool, const TruthRequest& request, const ProgressCallback& progress)
      : pool_(pool),
        request_(request),
        progress_(progress),
        models_(models_from(request.hub, request.inputs, request.labels)),
        targets_(classes_from(request.hub, request.labels)) {
    if (!request.test_hub.models.empty() || !request.test_inputs.empty()) {
      tests_ = models_from(request.test_hub, request.test_inputs, request.test_labels);
      test_targets_ = classes_from(request.test_hub, request.test_labels);
    }
    test_labels_ = recode_labels(test_targets_, targets_);
  }

  TruthResult run() {
    TruthResult result;
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
  LabelledSamples load(const Model& files, const std::vector<Label>& labels,
                       const std::string& where) {
    const Rows rows = open_rows(files);
    if (rows->rows() != static_cast<Index>(labels.size())) {
      fail_input(fmt::format("{}: {} rows, but {} has {} labels; one label per row is expected",
                             rows->where(), rows->rows(), where, labels.size()));
    }
    require_samples_memory(*rows, request_.memory_limit);
    Matrix samples = read_samples(pool_, *rows);
    if (request_.hub.models.empty()) std::ranges::move(rows->digests(), std::back_inserter(read_));
    return {std::move(samples), labels};
  }

  MeasuredModel measure(const Model& files, std::size_t finished) {
    const LabelledSamples all = load(files, targets_.labels, targets_.where);
    const bool split = tests_.models.empty();
    const LabelledSamples fixed_test =
        split ? LabelledSamples{}
              : load(same_model_in(models_, files, tests_), test_labels_, test_targets_.where);
    if (!split && fixed_test.features.rows() != all.features.rows()) {
      fail_input(fmt::format("{}: {} dimensions in training, {} in test features", files.name,
                             all.features.rows(), fixed_test.features.rows()));
    }
    MeasuredModel out{files.name, all.features.rows(), 0, 0,
                      std::vector<double>(static_cast<std::size_t>(request_.runs))};
    std::mutex mutex;
    double done = 0.0;
    pool_.run(request_.runs, [&](Index run) {
      const std::uint64_t seed = request_.seed * 1000003 + static_cast<std::uint64_t>(run);
      const Split rows =
          split ? stratified_split(all.labels, request_.test_share, seed + 7919) : Split{};
      const LabelledSamples train = split ? part_of(all, rows.train) : all;
      const LabelledSamples test = split ? part_of(all, rows.held_out) : fixed_test;
      if (train.labels.empty() || test.labels.empty())
        fail_input(fmt::format("{}: too few rows to split into training and test", files.name));
      out.accuracies[static_cast<std::size_t>(run)] =
          linear_probe(pool_, train, test, targets_.columns(), seed).accuracy;
      const std::lock_guard lock(mutex);
      out.train = static_cast<Index>(train.labels.size());
      out.test = static_cast<Index>(test.labels.size());
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
  std::vector<Label> test_labels_;
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
