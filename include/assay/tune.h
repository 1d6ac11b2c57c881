#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/extract.h"
#include "assay/hub.h"
#include "assay/learning.h"
#include "assay/paired_test.h"
#include "assay/progress.h"
#include "assay/rows.h"
#include "assay/targets.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// What a network is after training: all that `saved` needs.
struct TunedWeights {
  std::vector<float> parameters;
  std::vector<float> buffers;
  std::vector<float> head_weight;  // outputs x features, row-major
  std::vector<float> head_bias;    // outputs
};

// How good outputs are. Classes: accuracy (and the mean cross-entropy); several labels per sample:
// mean average precision (and the mean binary cross-entropy); regression: the mean squared error.
struct Quality {
  std::optional<double> accuracy;  // or average precision; none for regression
  double loss = 0.0;

  bool better_than(const Quality& other) const;
};

struct EpochRecord {
  Index epoch = 0;                                          // from 1
  double train_loss = 0.0, task_loss = 0.0, penalty = 0.0;  // means over the epoch's batches
  // Lengths of the gradients of task loss and penalty (without lambda) with respect to the
  // target's features of a batch, means over the epoch; 0 without a penalty.
  double task_gradient = 0.0, penalty_gradient = 0.0;
  std::optional<Quality> validation = {};
  double seconds = 0.0;  // of training, without validation
};

struct TrainResult {
  std::vector<EpochRecord> epochs;
  TunedWeights weights;    // at the end
  Index resumed_from = 0;  // epochs that a checkpoint held
};

enum class TuneMethod { finetune, b_tuning, distill, zoo, prior };
std::string method_name(TuneMethod method);  // "b-tuning"
// "all", or names. Throws Error for others.
std::vector<TuneMethod> parse_methods(const std::string& text);

// The weight of what a method adds to the loss.
struct LambdaChoice {
  std::optional<TuneMethod> method;  // none: every method
  std::optional<double> value;       // none: found by a search
};
// "auto", "3", "1,10", "b-tuning:10,distill:auto". Throws Error for others.
std::vector<LambdaChoice> parse_lambdas(const std::string& text);

enum class TakenWeights {
  last,     // of the last epoch
  average,  // mean over the ends of the epochs in the last quarter, BatchNorm estimated anew
};

// How networks are trained, whatever for. What is not said is searched with a seed of its own on
// rows held back from training; then all of them are trained on with every seed:
//
// - several rates or decays (no rate: six from 1e-4 to 3e-2), by plain fine-tuning; all methods go
//   on with what it likes best;
// - lambdas: several, or for those that are not named the weights at which the penalty pulls at
//   the target's features r times as hard as the task loss, r = 0, 0.03, 0.1, 0.3, 1, 3.
struct TuneSettings {
  Index runs = 1;  // seeds
  Index epochs = 10;
  Index batch = 48;
  std::vector<double> rates = {1e-3};
  std::vector<double> decays = {5e-4};
  std::vector<LambdaChoice> lambdas;  // empty: all found by a search
  RateSchedule schedule = RateSchedule::step;
  TakenWeights taken = TakenWeights::last;
  std::optional<double> budget_minutes;  // chooses `epochs`
  double validation_share = 0.2;  // held back while searching; without a test part, to judge by
  Index views = 4;                // of every training image, 1: the image as it is
  double least_area = 0.6;        // of the crops that views are
  int network_threads = 1;        // of the framework; with 1, runs share the pool
  std::uint64_t seed = 0;
  std::filesystem::path checkpoints;  // folder; empty: none are kept
};

// What teachers predict for the rows that they were fitted to.
enum class TeacherFit {
  leave_one_out,  // each row by the fit to all others
  in_sample,      // by the fit to all, as in the paper
};

struct TuneRequest {
  std::vector<std::filesystem::path> inputs;
  DataRequest data;    // its `options.views` are not read
  std::string target;  // a name, or "best"
  std::string teachers = "top:3";
  std::vector<TuneMethod> methods = {TuneMethod::b_tuning};
  double temperature = 0.1;  // of the teachers' weights
  TeacherFit teacher_fit = TeacherFit::leave_one_out;
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
  std::string teachers = {};  // label of their set; empty: none
  std::uint64_t seed = 0;
  double rate = 0.0, decay = 0.0, lambda = 0.0;
  std::optional<double> ratio = {};  // r, where lambda was found by it
  TrainResult training = {};         // without the weights
  std::optional<Quality> test = {};
  std::filesystem::path file = {};  // of the tuned network, where one was written
  double seconds = 0.0;
  Index dim = 0;      // of its features
  Index variant = 0;  // equal for runs that differ in the seed alone
};

struct TuneSummary {
  TuneMethod method = TuneMethod::finetune;
  std::string teachers = {};
  std::vector<double> values = {};  // accuracy or mean squared error, one per seed
  double mean = 0.0;
  std::optional<double> sd = {};
  std::optional<double> standard_error = {};  // of the mean
  double lambda = 0.0;                        // that all its runs had
  std::optional<double> ratio = {};
  std::optional<PairedTest> against_finetune = {};
  double seconds_per_epoch = 0.0;  // median
};

struct TuneResult {
  std::string dataset;
  std::string target;
  TargetKind kind = TargetKind::classes;
  Index epochs = 0;
  bool tested = true;  // values are of the test part; false: of the validation rows
  Index train = 0, validation = 0, test = 0;  // images
  Index searched_validation = 0;       // training images held back while settings were searched
  std::vector<RankedNetwork> ranking;  // best first, the target included
  std::vector<WeightedSet> teacher_sets;
  std::vector<TuneRun> runs;
  std::vector<TuneRun> searched;  // runs that only chose a setting
  std::vector<TuneSummary> summaries;
  double teacher_seconds = 0.0;  // features and predictions of the teachers, once
  std::vector<FailedModel> failed;
  std::vector<std::string> notes;
  std::vector<FileDigest> inputs;
};

// Ranks the hub's networks by LogME, lets the chosen ones teach the target (which may be one of
// them), and trains it by every method and with every seed. Teachers enter by predictions and
// features that are computed before the first step. Throws Error when the data or the target cannot
// be used, or no run ended well.
TuneResult tune_hub(ThreadPool& pool, const TuneRequest& request, const ProgressCallback& progress);

// What B-Tuning (LogME paper, section 5) needs of its teachers: C numbers per sample, and the fixed
// m of the network to tune. Any trainer can add lambda / C * |targets - f_t' m - intercept|^2 to
// its loss.
struct TeacherTargets {
  std::vector<std::string> columns;  // class ids or target names
  Matrix targets;                    // n x C: sum_k pi_k f_k' m_k
  Matrix m;                          // D x C: of the network to tune, from its initial features
  Vector intercept;                  // C: its features say f'm + intercept; zeros for classes
  std::vector<double> logme;         // of every teacher, nats per sample
  std::vector<double> weights;       // pi, of every teacher
};

// pi = softmax(LogME / temperature). Throws Error when the temperature is not positive.
std::vector<double> teacher_weights(std::span<const double> logme, double temperature);

// `initial` are the features of the network to tune, before tuning. Throws Error when rows and
// targets do not match, as fit_features does, and when there is no teacher.
TeacherTargets teacher_targets(ThreadPool& pool, std::span<const Model> teachers,
                               const RowSource& initial, const Targets& targets, double temperature,
                               Index memory_limit, TeacherFit fit = TeacherFit::leave_one_out);

}  // namespace assay
