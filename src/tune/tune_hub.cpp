#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "assay/tune.h"
#include "images/images_digest.h"
#include "tune/epochs_in_budget.h"
#include "tune/search.h"
#include "tune/teacher_sets.h"
#include "tune/teachers.h"
#include "tune/tune_methods.h"
#include "tune/tune_summary.h"
#include "tune/write_tuned.h"

namespace assay {
namespace {

bool same_tensors(const Trainer& a, const Trainer& b) {
  const auto equal = [](const StateTensor& x, const StateTensor& y) {
    return x.name == y.name && x.size == y.size;
  };
  const auto& first = a.tensors(StateKind::parameters);
  const auto& second = b.tensors(StateKind::parameters);
  return std::equal(first.begin(), first.end(), second.begin(), second.end(), equal);
}

void require_judge(const TrainingImages& data) {
  if (data.test || !data.validation.empty()) return;
  fail_input(
      fmt::format("{}: has no test part and nothing is held back to validate on; split it, e.g. "
                  "with `split` 0.8",
                  data.name));
}

class Tuning {
 public:
  Tuning(ThreadPool& pool, const TuneRequest& request, const ProgressCallback& progress,
         const TrainingImages& data)
      : pool_(pool),
        request_(request),
        settings_(request.settings),
        progress_(progress),
        data_(data),
        input_{data.train.images, data.name, images_digest(pool, *data.train.images)},
        teachers_(rank_teachers(pool, request, data, input_, needed_networks(request), progress)),
        context_(context_of(data)) {}

  TuneResult run() {
    choose_target();
    choose_sets();
    if (!request_.targets_file.empty()) export_targets();
    if (settings_.epochs > 0) train_all();
    describe();
    return std::move(result_);
  }

 private:
  // Plain fine-tuning of a network that is named has no use for the others.
  static std::vector<std::string> needed_networks(const TuneRequest& request) {
    if (needs_teachers(request) || request.target == "best") return {};
    return {request.target};
  }

  TuneContext context_of(const TrainingImages& data) const {
    return {&data, &settings_, request_.data.options.input_size, training_digest(pool_, data)};
  }

  void choose_target() {
    result_.ranking = teachers_.ranking();
    const bool best = request_.target == "best";
    target_ = &teachers_.source(best ? result_.ranking.front().name : request_.target);
    result_.target = target_->name;
  }

  // The target is one of the pool, as in the paper.
  void choose_sets() {
    if (!needs_teachers(request_)) return;
    std::vector<std::string> names;
    for (const RankedNetwork& one : result_.ranking) names.push_back(one.name);
    for (const TeacherSet& set : choose_teachers(request_.teachers, names)) {
      chosen_sets_.push_back(set);
      result_.teacher_sets.push_back(teachers_.weighted(set));
    }
  }

  void export_targets() {
    if (result_.teacher_sets.size() > 1)
      fail_input(
          "`targets` writes the predictions of one set of teachers; name one with "
          "`teachers`");
    const WeightedSet& set = result_.teacher_sets.front();
    write_targets(request_.targets_file, teachers_.mixed_predictions(set), settings_.views, data_,
                  set, teachers_.posterior_mean(target_->name), teachers_.intercept(target_->name));
  }

  void train_all() {
    std::vector<std::unique_ptr<Penalty>> penalties;
    std::vector<TuneJob> jobs = make_jobs(teachers_, penalties);
    if (jobs.empty()) return;
    if (settings_.budget_minutes) {
      settings_.epochs =
          epochs_in_budget(jobs, context_, settings_.network_threads > 1 ? 1 : pool_.threads());
      result_.notes.push_back(fmt::format("{} epochs were chosen for {} minutes", settings_.epochs,
                                          *settings_.budget_minutes));
    }
    SearchedRuns found;
    jobs = has_open_settings(jobs, settings_) ? searched(std::move(jobs), found)
                                              : with_only_settings(std::move(jobs), settings_);
    run_all_seeds(pool_, jobs, context_, share_of_progress(search_share_, 1.0), found);
    if (found.runs.empty() && !found.failed.empty())
      fail_input(fmt::format("no run ended well: {}", found.failed.front().error));
    result_.runs = std::move(found.runs);
    result_.searched = std::move(found.searched);
    result_.failed = std::move(found.failed);
    if (!request_.out.empty()) write_tuned_hub(request_.out, result_.runs, *target_, context_);
    result_.summaries = tune_summaries(result_.runs);
    remove_checkpoints(found);
  }

  // Teachers of the search have not seen the rows held back from it either.
  std::vector<TuneJob> searched(std::vector<TuneJob> jobs, SearchedRuns& found) {
    if (settings_.validation_share == 0.0)
      fail_input(
          "settings are chosen on rows held back: let `validation` be more than 0, or name one "
          "`lr` and one `lambda`");
    const PlannedEpochs planned = planned_epochs(jobs, settings_);
    search_share_ =
        static_cast<double>(planned.search) / static_cast<double>(planned.search + planned.runs);
    const TrainingImages data = with_held_back(data_, settings_.validation_share, settings_.seed);
    Teachers teachers =
        rank_teachers(pool_, request_, data, input_, names_in_use(), share_of_progress(0.0, 0.0));
    std::vector<std::unique_ptr<Penalty>> penalties;
    const TuneContext context = context_of(data);
    const std::vector<TuneJob> chosen =
        search_settings(pool_, make_jobs(teachers, penalties), context,
                        share_of_progress(0.0, search_share_), found);
    result_.searched_validation = std::ssize(data.validation);
    std::vector<TuneJob> out;
    for (const TuneJob& one : chosen) {
      for (TuneJob& job : jobs) {
        if (job.variant != one.variant) continue;
        job.rate = one.rate;
        job.decay = one.decay;
        job.lambda = one.lambda;
        job.ratio = one.ratio;
        out.push_back(std::move(job));
      }
    }
    return out;
  }

  std::vector<std::string> names_in_use() const {
    std::vector<std::string> names = {target_->name};
    for (const TeacherSet& set : chosen_sets_)
      names.insert(names.end(), set.names.begin(), set.names.end());
    return names;
  }

  ProgressCallback share_of_progress(double from, double to) const {
    return [this, from, to](double done, const std::string& what) {
      if (progress_) progress_(from + (to - from) * done, what);
    };
  }

  std::filesystem::path file_for(TuneMethod method, const std::string& set) const {
    if (request_.out.empty()) return {};
    std::string name = fmt::format("{}-{}", target_->name, method_name(method));
    if (!set.empty() && result_.teacher_sets.size() > 1) name += "-" + set;
    std::replace(name.begin(), name.end(), '/', '_');
    return request_.out / (name + "-seed0.pt");
  }

  // The same jobs under the same numbers, whatever rows the teachers were fitted to.
  std::vector<TuneJob> make_jobs(Teachers& teachers,
                                 std::vector<std::unique_ptr<Penalty>>& penalties) {
    std::vector<TuneJob> jobs;
    Index variant = 0;
    for (const TuneMethod method : request_.methods) {
      if (!has_teachers(method)) {
        jobs.push_back({.network = target_,
                        .method = method,
                        .variant = variant++,
                        .file = file_for(method, "")});
        continue;
      }
      for (const TeacherSet& chosen : chosen_sets_) {
        const WeightedSet set = teachers.weighted(chosen);
        TuneJob job{.network = target_,
                    .method = method,
                    .teachers = set.label,
                    .teacher_digests = teachers.digests(set),
                    .variant = variant++,
                    .file = file_for(method, set.label)};
        if (method == TuneMethod::zoo && !find_zoo(set, job)) continue;
        penalties.push_back(teachers.penalty(method, target_->name, set));
        job.penalty = penalties.back().get();
        jobs.push_back(std::move(job));
      }
    }
    return jobs;
  }

  // Only networks of the target's own architecture can be mixed with it.
  bool find_zoo(const WeightedSet& set, TuneJob& job) {
    const std::unique_ptr<Trainer> own = target_->train(1);
    for (const std::string& name : set.names) {
      if (name == target_->name) continue;
      const NetworkSource& other = teachers_.source(name);
      try {
        if (same_tensors(*own, *other.train(1))) job.zoo.push_back(&other);
      } catch (const Error&) {  // cannot be trained: no candidate
        continue;
      }
    }
    if (!job.zoo.empty()) return true;
    const std::string reason =
        fmt::format("zoo mixes networks of one architecture, and none of {} has that of {}",
                    set.label, target_->name);
    if (request_.methods.size() == 1) fail_input(reason);
    const std::string note = reason + "; left out";
    if (std::find(result_.notes.begin(), result_.notes.end(), note) == result_.notes.end())
      result_.notes.push_back(note);
    return false;
  }

  void describe() {
    result_.dataset = data_.name;
    result_.kind = data_.targets.kind;
    result_.epochs = settings_.epochs;
    result_.tested = data_.test.has_value();
    result_.train = static_cast<Index>(data_.rows.size());
    result_.validation = static_cast<Index>(data_.validation.size());
    result_.test = data_.test ? data_.test->images->count() : 0;
    result_.teacher_seconds = teachers_.seconds();
    result_.failed.insert(result_.failed.begin(), teachers_.failed().begin(),
                          teachers_.failed().end());
    result_.inputs = teachers_.inputs();
    const auto& notes = teachers_.notes();
    result_.notes.insert(result_.notes.end(), notes.begin(), notes.end());
  }

  ThreadPool& pool_;
  const TuneRequest& request_;
  TuneSettings settings_;  // with the epochs that a budget allows
  const ProgressCallback& progress_;
  const TrainingImages& data_;
  ImageInput input_;
  Teachers teachers_;
  TuneContext context_;
  const NetworkSource* target_ = nullptr;
  std::vector<TeacherSet> chosen_sets_;
  double search_share_ = 0.0;  // of all epochs
  TuneResult result_;
};

}  // namespace

TuneResult tune_hub(ThreadPool& pool, const TuneRequest& request,
                    const ProgressCallback& progress) {
  const TrainingImages data = open_training_images(
      images_of(request.data), request.settings.validation_share, request.settings.seed);
  require_judge(data);
  return Tuning(pool, request, progress, data).run();
}

}  // namespace assay
