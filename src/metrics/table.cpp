#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "assay/error.h"
#include "assay/metric.h"
#include "core/text.h"
#include "metrics/accuracy.h"
#include "metrics/cka.h"
#include "metrics/gbc.h"
#include "metrics/hscore.h"
#include "metrics/knn.h"
#include "metrics/leep.h"
#include "metrics/linear.h"
#include "metrics/logme.h"
#include "metrics/ncc_loo.h"
#include "metrics/ncti.h"
#include "metrics/nonlinear_gain.h"
#include "metrics/pactran.h"
#include "metrics/ridge_loo.h"
#include "metrics/sfda.h"
#include "metrics/transrate.h"

namespace assay {
namespace {

constexpr auto kHigher = Direction::higher_is_better;
constexpr auto kLower = Direction::lower_is_better;

constexpr std::string_view kClasses = "classes";
constexpr std::string_view kAny = "classes, multi-label or regression targets";
constexpr std::string_view kSource = "classes, source probabilities (probs.*)";

constexpr std::string_view kLogme = "You et al., Ranking and Tuning Pre-trained Models, JMLR 2022";
constexpr std::string_view kPactran = "Ding et al., PACTran, ECCV 2022";

// What is fitted to draws of samples that do not fit (Metric::most_rows): for metrics that cost
// tens of times what a logistic regression does.
constexpr Index kFewRows = Index{1} << 13;

// The order in which linear and pactran_gauss_grid list their values.
constexpr std::array<std::string_view, 3> kBetaNames = {"beta = 0.1 N", "beta = 1 N",
                                                        "beta = 10 N"};
constexpr std::array<std::string_view, 12> kGrid = {
    "beta = 0.1 N, sigma0^2 = 1/D",   "beta = 0.1 N, sigma0^2 = 10/D",
    "beta = 0.1 N, sigma0^2 = 100/D", "beta = 0.1 N, sigma0^2 = 1000/D",
    "beta = 1 N, sigma0^2 = 1/D",     "beta = 1 N, sigma0^2 = 10/D",
    "beta = 1 N, sigma0^2 = 100/D",   "beta = 1 N, sigma0^2 = 1000/D",
    "beta = 10 N, sigma0^2 = 1/D",    "beta = 10 N, sigma0^2 = 10/D",
    "beta = 10 N, sigma0^2 = 100/D",  "beta = 10 N, sigma0^2 = 1000/D"};

// The order in which ncti lists its parts.
constexpr std::array<std::string_view, 3> kCollapseParts = {"vc", "seli", "ncc"};

constexpr std::array kMetrics = {
    Metric{.name = "accuracy",
           .title = "predicted accuracy",
           .summary = "test accuracy to expect of a tuned linear probe trained on all rows",
           .reference = "Assay",
           .unit = "accuracy",
           .needs = kAny,
           .direction = kHigher,
           .replication = Replication::per_sample,
           .classes_only = false,
           .from_samples = accuracy},
    Metric{.name = "cka",
           .title = "label alignment",
           .summary = "centred kernel alignment of the features with the classes",
           .reference = "Cortes et al., Algorithms for Learning Kernels, JMLR 2012",
           .unit = "alignment",
           .needs = kClasses,
           .direction = kHigher,
           .replication = Replication::moments,
           .from_moments = cka},
    Metric{.name = "gbc",
           .title = "Bhattacharyya separability",
           .summary = "minus the overlap of the classes as spherical Gaussians",
           .reference = "Pandy et al., CVPR 2022",
           .unit = "pairs",
           .needs = kClasses,
           .direction = kHigher,
           .replication = Replication::on_request,
           .from_samples = gbc},
    Metric{
        .name = "hscore",
        .title = "H-score",
        .summary = "variance between classes, counted in directions of the features",
        .reference = "Bao et al., ICIP 2019",
        .unit = "directions",
        .needs = kClasses,
        .direction = kHigher,
        .replication = Replication::moments,
        .not_for_numbers =
            "of numbers its linear form is the R2 of the rows it was fitted to, which grows with "
            "the dimension whatever the features know; ridge_loo is the R2 of rows left out",
        .relative_error = true,
        .from_moments = hscore},
    Metric{.name = "hscore_shrunk",
           .title = "shrunk H-score",
           .summary = "H-score with Ledoit and Wolf's shrunk covariance",
           .reference = "Ibrahim et al., Newer is not always better, ECML 2022",
           .unit = "directions",
           .needs = kClasses,
           .direction = kHigher,
           .replication = Replication::moments,
           .not_for_numbers = "of numbers its linear form is the R2 of the rows it was fitted to; "
                              "ridge_loo is that of rows left out",
           .fourth_moments = true,
           .relative_error = true,
           .from_moments = hscore_shrunk},
    Metric{.name = "knn",
           .title = "5 nearest neighbours",
           .summary = "leave-one-out accuracy of the 5 nearest neighbours by cosine",
           .reference = "a standard baseline",
           .unit = "accuracy",
           .needs = kAny,
           .direction = kHigher,
           .replication = Replication::per_sample,
           .classes_only = false,
           .votes_on_classes_only = true,
           .streamed_memory = knn_memory,
           .from_samples = knn},
    Metric{.name = "laplace",
           .title = "Laplace evidence",
           .summary = "Laplace-approximated evidence of logistic regression, best prior precision",
           .reference = "Immer et al., ICML 2021",
           .unit = "nats/sample",
           .needs = kClasses,
           .direction = kHigher,
           .replication = Replication::on_request,
           .not_for_numbers =
               "of numbers the Laplace approximation is exact and is the evidence of logme",
           .most_rows = kFewRows,
           .from_samples = laplace},
    Metric{.name = "leep",
           .title = "LEEP",
           .summary = "log-likelihood of the labels given the source model's classes",
           .reference = "Nguyen et al., LEEP, ICML 2020",
           .unit = "nats/sample",
           .needs = kSource,
           .direction = kHigher,
           .replication = Replication::refit,
           .soft_labels = true,
           .from_probabilities = leep},
    Metric{.name = "linear",
           .title = "LINEAR",
           .summary = "regularised training loss of logistic regression",
           .reference = kPactran,
           .unit = "nats/sample",
           .needs = kClasses,
           .direction = kLower,
           .replication = Replication::on_request,
           .setting_judge = "linear_valid",
           .settings = kBetaNames,
           .default_setting = 2,
           .from_samples = linear},
    Metric{.name = "linear_valid",
           .title = "LINEAR-VALID",
           .summary = "error of logistic regression on a held-out half",
           .reference = kPactran,
           .unit = "error",
           .needs = kAny,
           .direction = kLower,
           .replication = Replication::per_sample,
           .classes_only = false,
           .from_samples = linear_valid},
    Metric{.name = "logme",
           .title = "LogME",
           .summary = "log of the maximum evidence of the targets given the features",
           .reference = kLogme,
           .unit = "nats/sample",
           .needs = kAny,
           .direction = kHigher,
           .replication = Replication::moments,
           .classes_only = false,
           .from_moments = logme},
    Metric{.name = "ncc_loo",
           .title = "nearest class mean",
           .summary = "leave-one-out accuracy of the nearest class mean, standardised features",
           .reference = "a standard baseline (leave-one-out in closed form is ours)",
           .unit = "accuracy",
           .needs = kClasses,
           .direction = kHigher,
           .replication = Replication::per_sample,
           .streamed_memory = ncc_loo_memory,
           .from_samples = ncc_loo},
    Metric{.name = "nce",
           .title = "NCE",
           .summary = "minus the entropy of the labels given the source model's decision",
           .reference = "Tran et al., ICCV 2019",
           .unit = "nats/sample",
           .needs = kSource,
           .direction = kHigher,
           .replication = Replication::refit,
           .from_probabilities = nce},
    Metric{.name = "ncti",
           .title = "neural collapse",
           .summary = "nearness to neural collapse, three parts compared across the hub",
           .reference = "Wang et al., ICCV 2023",
           .unit = "index",
           .needs = kClasses,
           .direction = kHigher,
           .replication = Replication::on_request,
           .settings = kCollapseParts,
           .sums_parts = true,
           .from_samples = ncti},
    Metric{.name = "nleep",
           .title = "N-LEEP",
           .summary = "LEEP on the posteriors of a Gaussian mixture",
           .reference = "Li et al., Ranking Neural Checkpoints, CVPR 2021",
           .unit = "nats/sample",
           .needs = kClasses,
           .direction = kHigher,
           .replication = Replication::on_request,
           .most_rows = kFewRows,
           .from_samples = nleep},
    Metric{.name = "nonlinear_gain",
           .title = "nonlinear gain",
           .summary = "leave-one-out accuracy that curvature adds to a linear classifier",
           .reference = "Assay",
           .unit = "accuracy gained",
           .needs = kClasses,
           .direction = kHigher,
           .replication = Replication::per_sample,
           .from_samples = nonlinear_gain},
    Metric{.name = "npactran_dirichlet",
           .title = "N-PACTran-Dirichlet",
           .summary = "PACTran-Dirichlet on the posteriors of a Gaussian mixture",
           .reference = kPactran,
           .unit = "nats/sample",
           .needs = kClasses,
           .direction = kLower,
           .replication = Replication::on_request,
           .most_rows = kFewRows,
           .from_samples = npactran_dirichlet},
    Metric{.name = "npactran_gamma",
           .title = "N-PACTran-Gamma",
           .summary = "PACTran-Gamma on the posteriors of a Gaussian mixture",
           .reference = kPactran,
           .unit = "nats/sample",
           .needs = kClasses,
           .direction = kLower,
           .replication = Replication::on_request,
           .most_rows = kFewRows,
           .from_samples = npactran_gamma},
    Metric{.name = "pactran_dirichlet",
           .title = "PACTran-Dirichlet",
           .summary = "PAC-Bayes bound with Dirichlet priors on the source model's classes",
           .reference = kPactran,
           .unit = "nats/sample",
           .needs = kSource,
           .direction = kLower,
           .replication = Replication::on_request,
           .soft_labels = true,
           .from_probabilities = pactran_dirichlet},
    Metric{.name = "pactran_gamma",
           .title = "PACTran-Gamma",
           .summary = "PAC-Bayes bound with Gamma priors on the source model's classes",
           .reference = kPactran,
           .unit = "nats/sample",
           .needs = kSource,
           .direction = kLower,
           .replication = Replication::on_request,
           .soft_labels = true,
           .any_weights = true,
           .from_probabilities = pactran_gamma},
    Metric{.name = "pactran_gauss",
           .title = "PACTran-Gauss",
           .summary = "PAC-Bayes bound of logistic regression: risk plus flatness",
           .reference = kPactran,
           .unit = "nats/sample",
           .needs = kClasses,
           .direction = kLower,
           .replication = Replication::on_request,
           .parts = {"fr", "rer"},
           .from_samples = pactran_gauss},
    Metric{.name = "pactran_gauss_grid",
           .title = "PACTran-Gauss (grid)",
           .summary = "PACTran-Gauss, its two parameters chosen across the hub",
           .reference = kPactran,
           .unit = "nats/sample",
           .needs = kClasses,
           .direction = kLower,
           .replication = Replication::on_request,
           .setting_judge = "linear_valid",
           .settings = kGrid,
           .default_setting = 10,
           .setting_parts = {"fr", "rer"},
           .from_samples = pactran_gauss_grid},
    Metric{.name = "ridge_loo",
           .title = "ridge leave-one-out",
           .summary = "leave-one-out accuracy of a ridge classifier, in closed form",
           .reference = "Assay",
           .unit = "accuracy",
           .needs = kAny,
           .direction = kHigher,
           .replication = Replication::per_sample,
           .classes_only = false,
           .streamed_memory = ridge_loo_memory,
           .from_samples = ridge_loo},
    Metric{.name = "sfda",
           .title = "self-challenging Fisher",
           .summary = "mean posterior of a shrunk discriminant fitted to samples made harder",
           .reference = "Shao et al., Not All Models Are Equal, ECCV 2022",
           .unit = "probability",
           .needs = kClasses,
           .direction = kHigher,
           .replication = Replication::on_request,
           .from_samples = sfda},
    Metric{.name = "transrate",
           .title = "TransRate",
           .summary = "coding rate of the features minus that within classes",
           .reference = "Huang et al., ICML 2022",
           .unit = "nats",
           .needs = kClasses,
           .direction = kHigher,
           .replication = Replication::refit,
           .streamed_memory = transrate_memory,
           .from_samples = transrate},
};

// The answer we stand by when the user names no metric (the contract's list).
constexpr std::array<std::string_view, 4> kDefault = {"logme", "ridge_loo", "knn", "ncc_loo"};

// Asked for beside them, these count in the consensus too. All others measure what differs from
// accuracy by design, or are members of a family that is there already.
constexpr std::array<std::string_view, 2> kOtherVoters = {"linear_valid", "pactran_gauss"};

static_assert(std::ranges::is_sorted(kMetrics, {}, &Metric::name), "rows are sorted by name");

}  // namespace

std::span<const Metric> all_metrics() { return kMetrics; }

bool is_default(const Metric& metric) {
  return std::ranges::find(kDefault, metric.name) != kDefault.end();
}

bool may_vote(const Metric& metric) {
  return is_default(metric) || std::ranges::find(kOtherVoters, metric.name) != kOtherVoters.end();
}

const Metric& find_metric(std::string_view name) {
  const auto* const row = std::ranges::find(kMetrics, name, &Metric::name);
  if (row != kMetrics.end()) return *row;
  std::vector<std::string> names;
  for (const Metric& metric : kMetrics) names.emplace_back(metric.name);
  const std::string hint = closest_match(name, names);
  throw Error(ErrorCode::unknown,
              fmt::format("unknown metric '{}'{} run `assay metrics` for the list", name,
                          hint.empty() ? ";" : fmt::format("; did you mean '{}'?", hint)));
}

std::vector<const Metric*> parse_metrics(std::string_view list) {
  std::vector<const Metric*> chosen;
  const auto add = [&](const Metric& metric) {
    if (std::ranges::find(chosen, &metric) == chosen.end()) chosen.push_back(&metric);
  };
  for (const std::string& word : split_list(list)) {
    if (word == "all") {
      for (const Metric& metric : kMetrics) add(metric);
    } else if (word == "default") {
      for (const std::string_view name : kDefault) add(find_metric(name));
    } else {
      add(find_metric(word));
    }
  }
  return chosen;
}

}  // namespace assay
