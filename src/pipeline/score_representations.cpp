#include "assay/pipeline/score_representations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>

#include "assay/core/error.h"
#include "assay/core/text.h"
#include "assay/io/digest.h"
#include "identity_cache.h"
#include "representation_file.h"

namespace assay {
namespace {

void require_numbers(const std::vector<double>& values, const std::string& option, double limit,
                     const std::string& expected) {
  if (values.empty()) fail_input(fmt::format("{}: expected at least one number", option));
  for (const double value : values) {
    if (std::isfinite(value) && value >= 0.0 && value < limit) continue;
    fail_input(fmt::format("{} {}: expected {}", option, value, expected));
  }
  if (std::set<double>(values.begin(), values.end()).size() != values.size())
    fail_input(fmt::format("{}: a number is listed twice", option));
}

void check(const RobustRequest& request) {
  constexpr double unlimited = HUGE_VAL;
  require_numbers(request.epsilons, "--epsilon", request.relative ? 1.0 : unlimited,
                  request.relative ? "0 or more and less than 1: a share of half the distance "
                                     "between the classes (--absolute for a distance)"
                                   : "a distance, 0 or more");
  require_numbers(request.thresholds, "--threshold", 1.0, "an accuracy, 0 or more and less than 1");
  if (!(request.class_prior > 0.0) || !(request.class_prior < 1.0))
    fail_input(
        fmt::format("--class-prior {}: expected a share between 0 and 1", request.class_prior));
  if (request.representations.empty()) fail_input("no representations to score");
  std::set<std::string> names;
  for (const auto& path : request.representations) {
    if (!names.insert(path.stem().string()).second)
      fail_input(fmt::format("{}: another file has the name '{}' too; rename one", path.string(),
                             path.stem().string()));
  }
}

std::vector<Budget> budgets_of(const RobustRequest& request) {
  std::vector<Budget> out;
  for (const double epsilon : request.epsilons)
    out.push_back({epsilon, request.relative, request.norm, request.eigenbasis});
  return out;
}

void add_scores(RobustModel& model, const RobustRequest& request, const IdentityScores& identity) {
  for (std::size_t t = 0; t < request.thresholds.size(); ++t) {
    const double threshold = request.thresholds[t];
    std::optional<double> best;
    double highest = 0.0;
    for (std::size_t e = 0; e < request.epsilons.size(); ++e) {
      RobustScore score;
      score.epsilon = request.epsilons[e];
      score.threshold = threshold;
      score.value = synbench_value(model.points[e], threshold);
      score.expected = synbench_expected(model.points[e], threshold);
      if (const auto& perfect = identity[e][t]) {
        score.identity = perfect->value;
        score.identity_error = perfect->standard_error;
        if (score.value && perfect->value > 0.0) {
          score.calibrated = *score.value / perfect->value;
          score.calibrated_sd =
              std::hypot(perfect->spread, perfect->standard_error) / perfect->value;
        }
      }
      if (score.calibrated && *score.calibrated > highest) {
        highest = *score.calibrated;
        best = score.epsilon;
      }
      model.scores.push_back(score);
    }
    model.best_epsilons.push_back(best);
  }
}

Index count(const std::vector<ScalePoint>& points, PointStatus status) {
  return std::count_if(points.begin(), points.end(),
                       [&](const ScalePoint& point) { return point.status == status; });
}

void add_notes(RobustModel& model, const RobustRequest& request) {
  constexpr Index enough = 5;  // samples per dimension
  if (model.train < enough * model.dim) {
    model.notes.push_back(fmt::format(
        "{} samples for {} dimensions: below 5 per dimension the plain value is far too low; read "
        "the calibrated one",
        with_thousands(model.train), with_thousands(model.dim)));
  }
  if (const Index empty = count(model.points.front(), PointStatus::degenerate); empty > 0) {
    model.notes.push_back(fmt::format(
        "at {} of {} scales the representation does not vary, or not between the classes; they "
        "count as accuracy 0",
        empty, model.scales.size()));
  }
  for (std::size_t e = 0; e < request.epsilons.size(); ++e) {
    const Index dropped = count(model.points[e], PointStatus::out_of_reach);
    const Index open = count(model.points[e], PointStatus::not_converged);
    if (dropped > 0) {
      model.notes.push_back(fmt::format(
          "epsilon {}: {} of {} scales are left out, their classes are no further apart",
          request.epsilons[e], dropped, model.scales.size()));
    }
    if (open > 0) {
      model.notes.push_back(
          fmt::format("epsilon {}: the classifiers of {} of {} scales did not converge",
                      request.epsilons[e], open, model.scales.size()));
    }
  }
}

class Scorer {
 public:
  Scorer(ThreadPool& pool, const RobustRequest& request, const ProgressCallback& progress)
      : pool_(pool), request_(request), progress_(progress), budgets_(budgets_of(request)) {}

  RobustModel score(const std::filesystem::path& path, double done_before) {
    const double started = monotonic_seconds();
    const RepresentationFile file(path, request_.memory_limit);
    RobustModel model;
    model.name = path.stem().string();
    model.dim = file.dim();
    model.train = file.train_count();
    model.test = file.test_count();
    model.scales = file.scales();
    measure(model, file, done_before);
    const CachedIdentity perfect = cached_identity(pool_, setting_of(model), request_.cache);
    add_scores(model, request_, perfect.scores);
    add_notes(model, request_);
    if (!perfect.note.empty()) model.notes.push_back(perfect.note);
    model.seconds = monotonic_seconds() - started;
    return model;
  }

 private:
  void measure(RobustModel& model, const RepresentationFile& file, double done_before) {
    const std::size_t scales = file.scales().size();
    model.points.assign(budgets_.size(), std::vector<ScalePoint>(scales));
    std::mutex mutex;
    double finished = 0.0;
    pool_.run(static_cast<Index>(scales), [&](Index task) {
      const auto s = static_cast<std::size_t>(task);
      const std::vector<ScalePoint> points =
          measure_scale(pool_, file.scales()[s], file.train(pool_, s), file.test(pool_, s),
                        budgets_, request_.class_prior);
      for (std::size_t e = 0; e < points.size(); ++e) model.points[e][s] = points[e];
      const std::lock_guard lock(mutex);
      ++finished;
      const auto files = static_cast<double>(request_.representations.size());
      if (progress_)
        progress_((done_before + finished / static_cast<double>(scales)) / files, model.name);
    });
  }

  SynbenchSetting setting_of(const RobustModel& model) const {
    return {.dim = model.dim,
            .train = model.train,
            .test = model.test,
            .scales = model.scales,
            .budgets = budgets_,
            .thresholds = request_.thresholds,
            .class_prior = request_.class_prior,
            .seed = request_.seed};
  }

  ThreadPool& pool_;
  const RobustRequest& request_;
  const ProgressCallback& progress_;
  std::vector<Budget> budgets_;
};

}  // namespace

RobustResult score_representations(ThreadPool& pool, const RobustRequest& request,
                                   const ProgressCallback& progress) {
  check(request);
  Scorer scorer(pool, request, progress);
  RobustResult out;
  double done = 0.0;
  for (const std::filesystem::path& path : request.representations) {
    try {
      out.models.push_back(scorer.score(path, done));
      out.inputs.push_back({path, file_digest(path)});
    } catch (const Error& error) {
      if (request.representations.size() == 1) throw;
      out.failed.push_back({path.stem().string(), error.what()});
    }
    ++done;
  }
  if (out.models.empty()) {
    fail_input(fmt::format("none of the {} files can be scored; the first, {}: {}",
                           out.failed.size(), out.failed.front().name, out.failed.front().error));
  }
  return out;
}

}  // namespace assay
