#include "tune/teachers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "assay/tune.h"
#include "core/clock.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/read_samples.h"
#include "data/subset.h"
#include "hub/networks.h"
#include "hub/open_rows.h"
#include "images/images_digest.h"
#include "linalg/gram.h"
#include "metrics/logme.h"
#include "metrics/make_problem.h"
#include "tune/penalty.h"

namespace assay {
namespace {

// f'm of every column of `features`, some at a time: they are floats, the product is in double.
Eigen::MatrixXf predicted(const Matrix& m, const Eigen::MatrixXf& features) {
  constexpr Index block = 1024;
  Eigen::MatrixXf out(m.cols(), features.cols());
  for (Index first = 0; first < features.cols(); first += block) {
    const Index count = std::min(block, features.cols() - first);
    const Matrix part = features.middleCols(first, count).cast<double>();
    out.middleCols(first, count) = product(m, true, part, false).cast<float>();
  }
  return out;
}

}  // namespace

bool needs_teachers(const TuneRequest& request) {
  return !request.targets_file.empty() ||
         std::any_of(request.methods.begin(), request.methods.end(),
                     [](TuneMethod method) { return method != TuneMethod::finetune; });
}

Teachers::Teachers(ThreadPool& pool, const TuneRequest& request, const TrainingImages& data,
                   const ProgressCallback& progress)
    : pool_(pool),
      request_(request),
      data_(data),
      progress_(progress),
      hub_(require_networks(request.inputs)),
      input_{data.train.images, data.name, images_digest(pool, *data.train.images)},
      failed_(hub_.failed),
      inputs_{{request.data.data, input_.digest}},
      notes_(hub_.notes) {
  // Plain fine-tuning of a network that is named has no use for the others.
  if (!needs_teachers(request) && request.target != "best") {
    const auto other = [&](const NetworkSource& one) { return one.name != request.target; };
    if (!std::all_of(hub_.networks.begin(), hub_.networks.end(), other))
      std::erase_if(hub_.networks, other);
  }
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

Teachers::Fitted Teachers::fit(const NetworkSource& source, const ProgressCallback& progress) {
  const ExtractedModel model = extract(source, 1, progress);
  const Rows rows = rows_of_subset(*open_rows(model.outputs.front().shards), data_.rows);
  const Problem problem =
      make_problem(pool_, *rows, data_.fit_targets(), /*center=*/false, request_.memory_limit);
  const double value = logme(problem).value;
  return {&source, model.weights.digest, fit_logme(problem, *rows).weights, value};
}

double Teachers::mean_square(const std::string& name) {
  const ExtractedModel model = extract(*fitted_.at(name).source, 1, progress_);
  const Rows rows = rows_of_subset(*open_rows(model.outputs.front().shards), data_.rows);
  return read_float_samples(pool_, *rows).cast<double>().squaredNorm() /
         static_cast<double>(rows->rows());
}

const NetworkSource& Teachers::source(const std::string& name) const {
  const auto found = fitted_.find(name);
  if (found != fitted_.end()) return *found->second.source;
  std::vector<std::string> names;
  for (const RankedNetwork& one : ranking_) names.push_back(one.name);
  for (const FailedModel& one : failed_)
    if (one.name == name) fail_input(fmt::format("{}: cannot be tuned: {}", name, one.error));
  const std::string near = closest_match(name, names);
  fail_input(fmt::format("no network '{}'{}; there are {}", name,
                         near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near),
                         fmt::join(names, ", ")));
}

const Matrix& Teachers::posterior_mean(const std::string& name) const { return fitted_.at(name).m; }

WeightedSet Teachers::weighted(const TeacherSet& set) const {
  WeightedSet out{set.label, set.names, {}};
  std::vector<double> scores;
  for (const std::string& name : set.names) scores.push_back(fitted_.at(name).logme);
  out.weights = teacher_weights(scores, request_.temperature);
  return out;
}

const Eigen::MatrixXf& Teachers::features(const std::string& name) {
  const auto known = features_.find(name);
  if (known != features_.end()) return known->second;
  const double started = monotonic_seconds();
  const Index views = request_.settings.views;
  const ExtractedModel model = extract(*fitted_.at(name).source, views, progress_);
  const Rows rows = open_rows(model.outputs.front().shards);
  Index held = rows->rows() * rows->cols() * Index{sizeof(float)};
  for (const auto& [other, values] : features_) held += values.size() * Index{sizeof(float)};
  require_memory(name, "the features of all teachers so far", held, request_.memory_limit,
                 "take fewer `teachers` or `views`");
  const Eigen::MatrixXf& out =
      features_.emplace(name, read_float_samples(pool_, *rows)).first->second;
  seconds_ += monotonic_seconds() - started;
  return out;
}

const Eigen::MatrixXf& Teachers::predictions(const std::string& name) {
  const auto known = predictions_.find(name);
  if (known != predictions_.end()) return known->second;
  const Eigen::MatrixXf& seen = features(name);
  const double started = monotonic_seconds();
  const Eigen::MatrixXf& out =
      predictions_.emplace(name, predicted(fitted_.at(name).m, seen)).first->second;
  // Only these two methods read features again.
  const auto reads_features = [](TuneMethod method) {
    return method == TuneMethod::distill || method == TuneMethod::prior;
  };
  if (std::none_of(request_.methods.begin(), request_.methods.end(), reads_features))
    features_.erase(name);
  seconds_ += monotonic_seconds() - started;
  return out;
}

TeacherTable Teachers::mixed_predictions(const WeightedSet& set) {
  TeacherTable out{Eigen::MatrixXf::Zero(data_.targets.outputs,
                                         data_.train.images->count() * request_.settings.views),
                   request_.settings.views};
  for (std::size_t k = 0; k < set.names.size(); ++k)
    out.values += static_cast<float>(set.weights[k]) * predictions(set.names[k]);
  return out;
}

std::unique_ptr<Penalty> Teachers::penalty(TuneMethod method, const std::string& target,
                                           const WeightedSet& set) {
  const Index views = request_.settings.views;
  if (method == TuneMethod::b_tuning)
    return bayesian_penalty(posterior_mean(target), mixed_predictions(set));
  if (method == TuneMethod::distill) {
    std::vector<TeacherTable> tables;
    for (const std::string& name : set.names) tables.push_back({features(name), views});
    return distillation_penalty(std::move(tables), mean_square(target));
  }
  if (method != TuneMethod::prior) return nullptr;
  std::vector<WeightedTeacher> tables;
  for (std::size_t k = 0; k < set.names.size(); ++k)
    tables.push_back({{features(set.names[k]), views}, set.weights[k]});
  constexpr std::size_t most_rows = 256;
  std::vector<Index> rows = data_.rows;
  rows.resize(std::min(rows.size(), most_rows));
  const double temperature = prior_temperature(tables, rows);
  return prior_penalty(std::move(tables), temperature);
}

std::string Teachers::digests(const WeightedSet& set) const {
  std::string out;
  for (std::size_t k = 0; k < set.names.size(); ++k)
    out += fmt::format(" {} {}", fitted_.at(set.names[k]).digest, set.weights[k]);
  return out;
}

Teachers rank_teachers(ThreadPool& pool, const TuneRequest& request, const TrainingImages& data,
                       const ProgressCallback& progress) {
  Teachers teachers(pool, request, data, progress);
  teachers.rank(progress);
  return teachers;
}

}  // namespace assay
