#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/hub.h"
#include "assay/learning.h"
#include "assay/progress.h"
#include "assay/targets.h"
#include "assay/thread_pool.h"
#include "assay/types.h"
#include "assay/work_share.h"

namespace assay {

enum class ProbeKind { linear, mlp, ridge };

struct ProbeSettings {
  ProbeKind kind = ProbeKind::linear;
  // linear and ridge: the sum of losses + l2 / 2 |theta|^2. Nothing: chosen for every probe by what
  // it makes of training rows held out (choose_l2.h).
  std::optional<double> l2 = std::nullopt;
  MlpOptions mlp = {};  // mlp only
};

struct ProbeOutcome {
  double loss = 0.0;                              // nats, or squared error averaged over targets
  std::optional<double> accuracy = std::nullopt;  // classes only
  Index updates = 0;                              // mlp: done; linear: steps of the solver
  bool converged = true;                          // linear: to tolerance
  std::optional<double> l2 = std::nullopt;        // linear and ridge: the penalty it has
  // Of every row it was judged by, in their order: what intervals come from. Empty: not known.
  std::vector<float> row_losses = {};
  std::vector<std::uint8_t> row_right = {};  // classes: 1 or 0
};

// One probe: trained on `n` rows, which `seed` drew, and judged on the validation rows.
struct ProbeRun {
  Index seed = 0;
  Index n = 0;
  double loss = 0.0;
  std::optional<double> accuracy = std::nullopt;
};

// The loss-data curve of one representation: validation loss against the number of training rows.
struct LossCurve {
  std::string name;
  std::vector<ProbeRun> runs;  // in any order; each (seed, n) once
};

// A 95 % interval: the luck of the rows drawn to train on and of those drawn to judge by.
struct Range {
  double low = 0.0;
  double high = 0.0;
};

// All seeds at one size.
struct CurvePoint {
  Index n = 0;
  double loss = 0.0;                             // mean over seeds
  std::optional<double> loss_sd = std::nullopt;  // over seeds (n - 1); nothing for one seed
  std::optional<Range> loss_range = std::nullopt;
  std::optional<double> accuracy = std::nullopt;  // mean; nothing unless every run has one
  Index seeds = 0;
};

// Which loss stands for the rows (n_{k-1}, n_k] of a curve measured at n_1 < n_2 < ...
enum class Rule {
  left,    // the probe of n_{k-1} rows codes them, the first ones at chance: the paper, Appendix C
  right,   // the probe of n_k rows, which has seen them: what public code does
  linear,  // the straight line between the two; the first interval has the first loss
};

enum class LossKind { nll, zero_one, mse };

// A measure at a tolerance.
struct ToleranceMeasure {
  double epsilon = 0.0;
  double value = 0.0;
  bool lower_bound = false;  // the data do not suffice: the truth is at least `value`
  // Over seeds, each with its own curve; nothing for fewer than two seeds that have every size,
  // nor for a sample complexity that some seed does not reach.
  std::optional<double> sd = std::nullopt;
  std::optional<Range> range = std::nullopt;  // of the largest n alone
  bool high_is_bound = false;                 // some resampled curves do not reach it
};

// What the curve says when it ends at n rows. In the paper's equations, with L the mean loss:
struct Measures {
  Index n = 0;
  double va = 0.0;  // Eq. 2: L(n)
  std::optional<double> va_sd = std::nullopt;
  std::optional<double> mi = std::nullopt;  // Eq. 4: H(Y) - L(n), a lower bound in nats
  double mdl = 0.0;                         // Eq. 7: the integral of L from 0 to n
  std::optional<double> mdl_sd = std::nullopt;
  std::optional<Range> va_range = std::nullopt;  // these two of the largest n alone
  std::optional<Range> mdl_range = std::nullopt;
  std::vector<ToleranceMeasure> sdl = {};  // Eq. 11: the integral of [L - epsilon]_+
  std::vector<ToleranceMeasure> esc = {};  // Eq. 12: the smallest measured n with L <= epsilon
};

struct MeasuredCurve {
  std::string name;
  std::vector<CurvePoint> points;
  std::vector<Measures> at;  // one per point: as if the data ended there
  bool monotone = true;      // false: the mean loss rises somewhere
};

// Curves measured alike, for reports.
struct MeasuredCurves {
  LossKind loss = LossKind::nll;
  Rule rule = Rule::left;
  std::optional<double> chance = std::nullopt;
  std::optional<double> label_entropy = std::nullopt;
  std::vector<double> epsilons = {};
  std::vector<MeasuredCurve> models = {};
};

// The sizes between which the non-increasing fit of a curve falls to epsilon: above it with `low`
// rows (0: nothing was measured before), at most epsilon with `high`. Nothing when it never does.
struct Bracket {
  Index low = 0;
  Index high = 0;
};

// Where an answer comes from.
enum class Reach {
  measured,       // the measured curve falls to the target
  extrapolated,   // fits foretell that it would, with at most kFarthest times the rows
  far,            // not with so many, as far as can be foretold
  not_reachable,  // nor with any: 97.5 % of the fits level off above the target
};

// Forecasts go no further than so many times the largest n measured.
inline constexpr double kFarthest = 10.0;

// How many rows to train on a target needs: the n at which the expected loss, over training sets
// drawn anew, falls to it.
struct LabelsNeeded {
  double rows = 0.0;         // or, as a lower bound, the largest n measured
  bool lower_bound = false;  // neither reached nor foretold
  bool upper_bound = false;  // reached at the smallest n measured already
  // A 95 % interval: rows drawn to train on and to judge by and, beyond the data, which curve it
  // is. Nothing for fewer than two seeds.
  std::optional<double> low = std::nullopt;
  std::optional<double> high = std::nullopt;
  bool high_is_bound = false;  // at least `high`: resampled curves reach it nowhere
  Reach reach = Reach::measured;
  // With the rows that judge, where they are a share of those labelled: rows / (1 - share).
  std::optional<double> with_validation = std::nullopt;
  std::optional<double> levels_off = std::nullopt;  // the loss that more rows would not get below
  std::optional<Range> levels_off_range = std::nullopt;
};

// The loss foretold for sizes that were not measured: the median of the fits, and 95 % of them.
struct ForecastPoint {
  double n = 0.0;
  double loss = 0.0;
  Range range = {};
};

// Whether one model needs fewer rows than another for a target, by curves resampled together.
struct NeedsFewer {
  std::string first;
  std::string second;
  double share = 0.5;  // of the resamples, ties counted half
  bool for_accuracy = false;
};

struct SurplusCertificate {
  double value = 0.0;  // sum over n = 1 ... M of [L_n - epsilon]_+
  bool tight = false;  // L_M <= epsilon / 2: with confidence 1 - delta epsilon is reached by M rows
};

struct ComplexityCertificate {
  Index rows = 0;        // with confidence 1 - delta, epsilon is reached with that many
  bool reached = false;  // false: no size tested had a mean loss of at most epsilon / 2
  std::vector<Index> visited = {};
};

// What a learner of the caller's own is asked to do: learn from these rows and be judged by those,
// both by their numbers in the data. Validation data of their own have numbers of their own.
struct LearnerTask {
  Index seed = 0;
  std::span<const Index> train;
  std::span<const Index> validation;
};

// Gives the loss on the validation rows, and the accuracy where it has one. Called from one thread
// at a time, seed after seed and by ascending sizes.
using Learner = std::function<ProbeOutcome(const LearnerTask&)>;

struct CurveRequest {
  std::vector<std::filesystem::path> inputs;
  std::filesystem::path labels;
  Hub hub = {};                                  // in place of the files
  Hub validation_hub = {};                       // in place of those below
  std::map<std::string, Learner> learners = {};  // take part by these names, beside the models
  std::vector<std::filesystem::path> validation_inputs;  // the same models; empty: split the rows
  std::filesystem::path validation_labels;
  double validation_share = 0.2;          // of the rows, where there are no validation features
  std::filesystem::path groups;           // one id per row, or empty: rows of a group stay together
  std::optional<Targets> group_ids = {};  // in place of the file
  std::optional<ProbeKind> probe;         // nothing: linear for classes, ridge for values
  std::optional<double> l2 = {};          // nothing: chosen for every probe
  MlpOptions mlp = {};
  std::vector<Index> sizes;  // empty: log-uniform
  Index size_count = 10;
  Index seeds = 4;
  std::optional<LossKind> loss;  // nothing: nll for classes, mse for values
  Rule rule = Rule::left;
  std::vector<double> epsilons;  // empty: one, the median final loss of the models
  int refine_levels = 0;
  std::optional<double> certify;  // delta
  Index certify_rows = 0;         // M; 0: the sample complexity of epsilon / 2 as measured
  std::optional<double> target_loss;
  std::optional<double> target_accuracy;
  std::filesystem::path journal;         // a directory; empty: none
  std::filesystem::path export_subsets;  // a directory; empty: none
  std::uint64_t seed = 0;
  Index memory_limit = 0;
  WorkShare* share = nullptr;  // who measures which models; null: this process measures all
};

// Guarantees for one model and tolerance, or why there are none.
struct CurveCertificate {
  double epsilon = 0.0;
  double delta = 0.0;
  Index most_rows = 0;       // M
  Index blocks = 0;          // K, independent draws of M + 1 rows
  Index rows_available = 0;  // (M + 1) K are needed
  std::string refused = {};  // empty: done
  SurplusCertificate surplus = {};
  double radius = 0.0;  // Theorem 4's
  ComplexityCertificate complexity = {};

  Index rows_needed() const { return (most_rows + 1) * blocks; }
};

// The penalties that probes of one size chose: their geometric mean over seeds.
struct ChosenPenalty {
  Index n = 0;
  double l2 = 0.0;
};

struct CurveModel {
  std::string name;
  Index dim = 0;                                      // 0: a learner, which is no representation
  LossCurve curve;                                    // the common sizes
  LossCurve refined = {};                             // and those that --refine added
  std::vector<std::optional<Bracket>> brackets = {};  // per epsilon, with --refine
  std::vector<CurveCertificate> certificates = {};
  std::optional<LabelsNeeded> for_loss = std::nullopt;
  std::optional<LabelsNeeded> for_accuracy = std::nullopt;
  std::vector<ForecastPoint> forecast = {};  // beyond the largest n; empty for fewer than two seeds
  std::vector<ChosenPenalty> penalties = {};  // linear and ridge without `l2`
  double mean_updates = 0.0;                  // of the probes
  Index not_converged = 0;                    // probes
};

struct CurveResult {
  ProbeSettings probe;
  Index train_rows = 0;         // of the largest probes
  Index validation_rows = 0;    // of each seed
  bool own_validation = false;  // else every seed has a split of its own
  Index groups = 0;             // that rows stay together in; 0: none
  Index classes = 0;            // 0: regression
  bool chose_epsilon = false;   // from the curves themselves
  std::optional<double> target_loss;
  std::optional<double> target_accuracy;
  MeasuredCurves curves;
  std::vector<CurveModel> models;            // in the order of curves.models
  std::vector<NeedsFewer> needs_fewer = {};  // the best for each target against every other
  std::vector<FailedModel> failed;
  std::vector<FileDigest> inputs;
  Index probes = 0;                  // in all
  Index resumed = 0;                 // of them found in the journal
  std::string journal_problem = {};  // why it could not be kept, if so
};

// Measures the loss-data curve of every model of a hub. Probes are independent tasks of the pool;
// each finished one is journalled, so that a run that was stopped goes on where it was, and more
// seeds or sizes only add theirs. Results depend on neither threads nor interruptions.
// A model that fails is listed in `failed`; throws Error when none is left or the labels are at
// fault.
CurveResult curve_hub(ThreadPool& pool, const CurveRequest& request,
                      const ProgressCallback& progress);

}  // namespace assay
