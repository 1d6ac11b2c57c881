#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/core/parallel.h"
#include "assay/core/progress.h"
#include "assay/data/rows.h"
#include "assay/data/targets.h"
#include "assay/extract/hub_networks.h"
#include "assay/hub/failed_model.h"
#include "assay/stats/paired_test.h"
#include "assay/tune/train.h"

namespace assay {

enum class TuneMethod { finetune, b_tuning, distill, zoo, prior };
std::string method_name(TuneMethod method);  // "b-tuning"
// "all", or names. Throws Error for others.
std::vector<TuneMethod> parse_methods(const std::string& text);

// How networks are trained, whatever for. Several rates, decays or lambdas are a search: the
// combination that validates best with the first seed is used for all of them.
struct TuneSettings {
  Index runs = 1;  // seeds
  Index epochs = 10;
  Index batch = 48;
  std::vector<double> rates = {1e-3};
  std::vector<double> decays = {5e-4};
  std::vector<double> lambdas;  // empty: each method's own
  RateSchedule schedule = RateSchedule::step;
  double validation_share = 0.1;
  Index views = 4;          // of every training image, 1: the image as it is
  double least_area = 0.6;  // of the crops that views are
  int network_threads = 1;  // of the framework; with 1, runs share the pool
  std::uint64_t seed = 0;
  std::filesystem::path checkpoints;  // folder; empty: none are kept
};

struct TuneRequest {
  std::vector<std::filesystem::path> inputs;
  DataRequest data;    // its `options.views` are not read
  std::string target;  // a name, or "best"
  std::string teachers = "top:3";
  std::vector<TuneMethod> methods = {TuneMethod::b_tuning};
  double temperature = 0.1;  // of the teachers' weights
  TuneSettings settings;
  std::filesystem::path targets_file;  // empty, or where to write the teachers' predictions
  std::filesystem::path out;           // empty, or the folder for tuned networks
  Index memory_limit = 0;
};

struct RankedNetwork {
  std::string name;
  double logme = 0.0;
  Index dim = 0;
};

// Teachers of one set with their weights pi.
struct WeightedSet {
  std::string label;
  std::vector<std::string> names;
  std::vector<double> weights;
};

struct TuneRun {
  TuneMethod method = TuneMethod::finetune;
  std::string teachers;  // label of their set; empty: none
  std::uint64_t seed = 0;
  double rate = 0.0, decay = 0.0, lambda = 0.0;
  TrainResult training;  // without the weights
  std::optional<Quality> test;
  std::filesystem::path file;  // of the tuned network, where one was written
  double seconds = 0.0;
  Index dim = 0;      // of its features
  Index variant = 0;  // equal for runs that differ in the seed alone
};

struct TuneSummary {
  TuneMethod method = TuneMethod::finetune;
  std::string teachers;
  std::vector<double> values;  // accuracy or mean squared error, one per seed
  double mean = 0.0;
  std::optional<double> sd;
  std::optional<PairedTest> against_finetune;
  double seconds_per_epoch = 0.0;  // median
};

struct TuneResult {
  std::string dataset;
  std::string target;
  bool classes = true;
  bool tested = true;  // values are of the test part; false: of the validation rows
  Index train = 0, validation = 0, test = 0;  // images
  std::vector<RankedNetwork> ranking;         // best first, the target included
  std::vector<WeightedSet> teacher_sets;
  std::vector<TuneRun> runs;
  std::vector<TuneRun> searched;  // runs that only chose a setting
  std::vector<TuneSummary> summaries;
  double teacher_seconds = 0.0;  // features and predictions of the teachers, once
  std::vector<FailedModel> failed;
  std::vector<std::string> notes;
  std::vector<FileDigest> inputs;
};

// Ranks the hub's networks by LogME, lets the chosen ones teach the target, and trains it by every
// method and with every seed. Teachers enter by predictions and features that are computed before
// the first step. Throws Error when the data or the target cannot be used, or no run ended well.
TuneResult tune_hub(ThreadPool& pool, const TuneRequest& request, const ProgressCallback& progress);

}  // namespace assay
