#include "tune/teachers.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "assay/error.h"
#include "assay/tune.h"
#include "core/clock.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/subset.h"
#include "hub/networks.h"
#include "hub/open_rows.h"
#include "linalg/gram.h"
#include "metrics/left_out_fit.h"
#include "metrics/logme.h"
#include "metrics/make_problem.h"
#include "tune/penalty.h"

namespace assay {

bool needs_teachers(const TuneRequest& request) {
  return !request.targets_file.empty() ||
         std::any_of(request.methods.begin(), request.methods.end(),
                     [](TuneMethod method) { return method != TuneMethod::finetune; });
}

namespace {

[[noreturn]] void fail_unknown(const std::string& name, const std::vector<std::string>& names) {
  const std::string near = closest_match(name, names);
  fail_input(fmt::format("no network '{}'{}; there are {}", name,
                         near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near),
                         fmt::join(names, ", ")));
}

// Before the networks are run, which may take hours.
void require_known_target(const std::string& target, const NetworkSources& hub) {
  if (target.empty() || target == "best") return;
  std::vector<std::string> names;
  for (const NetworkSource& one : hub.networks) names.push_back(one.name);
  for (const FailedModel& one : hub.failed) names.push_back(one.name);
  if (std::ranges::find(names, target) == names.end()) fail_unknown(target, names);
}

}  // namespace

Teachers::Teachers(ThreadPool& pool, const TuneRequest& request, const TrainingImages& data,
                   const ImageInput& input, const std::vector<std::string>& only,
                   const ProgressCallback& progress)
    : pool_(pool),
      request_(request),
      data_(data),
      progress_(progress),
      hub_(require_networks(request.inputs)),
      input_(input),
      targets_(data.fit_targets()),
      failed_(hub_.failed),
      inputs_{{request.data.data, input_.digest}},
      notes_(hub_.notes) {
  require_known_target(request.target, hub_);
  const auto left = [&](const NetworkSource& one) {
    return std::find(only.begin(), only.end(), one.name) == only.end();
  };
  if (!std::all_of(hub_.networks.begin(), hub_.networks.end(), left))
    std::erase_if(hub_.networks, left);
}

void Teachers::rank(const ProgressCallback& progress) {
  const auto count = static_cast<double>(hub_.networks.size());
  double finished = 0.0;
  for (const NetworkSource& source : hub_.networks) {
    const ProgressCallback within = [&](double done, const std::string& what) {
      if (progress) progress((finished + done) / count, what);
    };
    try {
      Fitted fitted = fit(source, within);
      ranking_.push_back({source.name, fitted.logme, fitted.m.rows()});
      inputs_.push_back({source.file, fitted.digest});
      fitted_.emplace(source.name, std::move(fitted));
    } catch (const std::exception& error) {  // a backend may throw anything
      failed_.push_back({source.name, error.what()});
    }
    ++finished;
  }
  if (ranking_.empty())
    fail_input(fmt::format("no network could be run: {}", failed_.front().error));
  std::stable_sort(
      ranking_.begin(), ranking_.end(),
      [](const RankedNetwork& a, const RankedNetwork& b) { return a.logme > b.logme; });
}

ExtractedModel Teachers::extract(const NetworkSource& source, Index views,
                                 const ProgressCallback& progress) {
  ExtractOptions options = request_.data.options;
  options.layer = "features";
  options.views = views;
  options.seed = request_.settings.seed;
  options.least_area = request_.settings.least_area;
  ExtractedModel model = extract_network(pool_, source, input_, options, progress);
  if (model.rebuilt > 0)
    notes_.push_back(fmt::format("{}: {} damaged shard(s) in the cache were made anew", model.name,
                                 model.rebuilt));
  return model;
}

Rows Teachers::whole_images(const std::string& name) {
  const ExtractedModel model = extract(*fitted_.at(name).source, 1, progress_);
  return view_of_subset(open_rows(model.outputs.front().shards), data_.rows);
}

Rows Teachers::all_views(const std::string& name) {
  const ExtractedModel model =
      extract(*fitted_.at(name).source, request_.settings.views, progress_);
  return open_rows(model.outputs.front().shards);
}

// Centred where `rank` centres.
Problem Teachers::problem_of(const RowSource& rows) {
  return make_problem(pool_, rows, targets_, centered_by_default(targets_.kind),
                      request_.memory_limit);
}

Teachers::Fitted Teachers::fit(const NetworkSource& source, const ProgressCallback& progress) {
  const ExtractedModel model = extract(source, 1, progress);
  const Rows rows = view_of_subset(open_rows(model.outputs.front().shards), data_.rows);
  const Problem problem = problem_of(*rows);
  const double value = logme(problem).value;
  LogmeFit fit = fit_logme(problem, *rows);
  return {&source, model.weights.digest, std::move(fit.weights), std::move(fit.intercept), value};
}

const NetworkSource& Teachers::source(const std::string& name) const {
  const auto found = fitted_.find(name);
  if (found != fitted_.end()) return *found->second.source;
  std::vector<std::string> names;
  for (const RankedNetwork& one : ranking_) names.push_back(one.name);
  for (const FailedModel& one : failed_)
    if (one.name == name) fail_input(fmt::format("{}: cannot be tuned: {}", name, one.error));
  fail_unknown(name, names);
}

const Matrix& Teachers::posterior_mean(const std::string& name) const { return fitted_.at(name).m; }

const Vector& Teachers::intercept(const std::string& name) const {
  return fitted_.at(name).intercept;
}

WeightedSet Teachers::weighted(const TeacherSet& set) const {
  WeightedSet out{set.label, set.names, {}};
  std::vector<double> scores;
  for (const std::string& name : set.names) scores.push_back(fitted_.at(name).logme);
  out.weights = teacher_weights(scores, request_.temperature);
  return out;
}

PredictViews Teachers::predictor(const std::string& name) {
  if (request_.teacher_fit == TeacherFit::in_sample) {
    const Fitted& fitted = fitted_.at(name);
    return [&fitted](const Matrix& samples, Index /*first_row*/) {
      return Matrix(product(fitted.m, true, samples, false).colwise() + fitted.intercept);
    };
  }
  const Rows rows = whole_images(name);
  const Problem problem = problem_of(*rows);
  const auto left = std::make_shared<const LeftOutFit>(fit_logme(problem, *rows));
  return [this, left](const Matrix& samples, Index first_row) {
    std::vector<Index> part(static_cast<std::size_t>(samples.cols() / request_.settings.views));
    std::iota(part.begin(), part.end(), first_row);
    return left->predictions(samples, request_.settings.views,
                             target_matrix(targets_, part).transpose());
  };
}

std::shared_ptr<const TeacherPredictions> Teachers::predictions(const std::string& name) {
  const auto known = predictions_.find(name);
  if (known != predictions_.end()) return known->second;
  const double started = monotonic_seconds();
  const Index views = request_.settings.views;
  const Index outputs = data_.targets.outputs;
  require_memory(name, "what all teachers so far say of every image and view",
                 static_cast<Index>(predictions_.size() + 1) *
                     prediction_bytes(std::ssize(data_.rows), views, outputs),
                 request_.memory_limit, "take fewer `teachers` or `views`");
  const Rows features = all_views(name);
  auto found = std::make_shared<const TeacherPredictions>(
      predict_views(pool_, *features, data_.rows, views, outputs, predictor(name)));
  seconds_ += monotonic_seconds() - started;
  return predictions_.emplace(name, std::move(found)).first->second;
}

TeacherTable Teachers::mixed_predictions(const WeightedSet& set) {
  std::vector<WeightedPredictions> teachers;
  for (std::size_t k = 0; k < set.names.size(); ++k)
    teachers.push_back({predictions(set.names[k]), set.weights[k]});
  return mixed_table(std::move(teachers));
}

std::unique_ptr<Penalty> Teachers::penalty(TuneMethod method, const std::string& target,
                                           const WeightedSet& set) {
  if (method == TuneMethod::b_tuning)
    return bayesian_penalty(posterior_mean(target), mixed_predictions(set), intercept(target));
  if (method != TuneMethod::distill && method != TuneMethod::prior) return nullptr;
  const double started = monotonic_seconds();
  std::vector<TeacherTable> tables;
  for (const std::string& name : set.names)
    tables.push_back(feature_table(all_views(name), data_.rows, request_.settings.views));
  seconds_ += monotonic_seconds() - started;
  if (method == TuneMethod::distill)
    return distillation_penalty(std::move(tables), mean_square_of(*whole_images(target)));
  std::vector<WeightedTeacher> weighted;
  for (std::size_t k = 0; k < tables.size(); ++k)
    weighted.push_back({std::move(tables[k]), set.weights[k]});
  constexpr std::size_t most_rows = 256;
  std::vector<Index> rows = data_.rows;
  rows.resize(std::min(rows.size(), most_rows));
  const double temperature = prior_temperature(weighted, rows);
  return prior_penalty(std::move(weighted), temperature);
}

std::string Teachers::digests(const WeightedSet& set) const {
  std::string out = request_.teacher_fit == TeacherFit::leave_one_out ? "left-out" : "in-sample";
  for (std::size_t k = 0; k < set.names.size(); ++k)
    out += fmt::format(" {} {}", fitted_.at(set.names[k]).digest, set.weights[k]);
  return out;
}

Teachers rank_teachers(ThreadPool& pool, const TuneRequest& request, const TrainingImages& data,
                       const ImageInput& input, const std::vector<std::string>& only,
                       const ProgressCallback& progress) {
  Teachers teachers(pool, request, data, input, only, progress);
  teachers.rank(progress);
  return teachers;
}

}  // namespace assay
