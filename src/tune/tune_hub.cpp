#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "assay/tune.h"
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
         const TrainingImages& data, Teachers& teachers)
      : pool_(pool), request_(request), progress_(progress), data_(data), teachers_(teachers) {}

  TuneResult run() {
    choose_target();
    choose_sets();
    if (!request_.targets_file.empty()) export_targets();
    const std::vector<TuneJob> jobs = make_jobs();
    const TuneContext context{&data_, &request_.settings, request_.data.options.input_size,
                              training_digest(pool_, data_)};
    SearchedRuns found = search_then_run(pool_, jobs, context, progress_);
    if (found.runs.empty() && !found.failed.empty())
      fail_input(fmt::format("no run ended well: {}", found.failed.front().error));
    result_.runs = std::move(found.runs);
    result_.searched = std::move(found.searched);
    result_.failed = teachers_.failed();
    result_.failed.insert(result_.failed.end(), found.failed.begin(), found.failed.end());
    if (!request_.out.empty()) write_tuned_hub(request_.out, result_.runs, *target_, context);
    result_.summaries = tune_summaries(result_.runs);
    describe();
    return std::move(result_);
  }

 private:
  void choose_target() {
    result_.ranking = teachers_.ranking();
    const bool best = request_.target == "best";
    target_ = &teachers_.source(best ? result_.ranking.front().name : request_.target);
    result_.target = target_->name;
  }

  void choose_sets() {
    if (!needs_teachers(request_)) return;
    std::vector<std::string> others;
    for (const RankedNetwork& one : result_.ranking)
      if (one.name != target_->name) others.push_back(one.name);
    for (const TeacherSet& set : choose_teachers(request_.teachers, others))
      result_.teacher_sets.push_back(teachers_.weighted(set));
  }

  void export_targets() {
    if (result_.teacher_sets.size() > 1)
      fail_input(
          "`targets` writes the predictions of one set of teachers; name one with "
          "`teachers`");
    const WeightedSet& set = result_.teacher_sets.front();
    write_targets(request_.targets_file, teachers_.mixed_predictions(set), data_, set,
                  teachers_.posterior_mean(target_->name));
  }

  std::filesystem::path file_for(TuneMethod method, const std::string& set) const {
    if (request_.out.empty()) return {};
    std::string name = fmt::format("{}-{}", target_->name, method_name(method));
    if (!set.empty() && result_.teacher_sets.size() > 1) name += "-" + set;
    std::replace(name.begin(), name.end(), '/', '_');
    return request_.out / (name + "-seed0.pt");
  }

  std::vector<TuneJob> make_jobs() {
    std::vector<TuneJob> jobs;
    for (const TuneMethod method : request_.methods) {
      if (!has_teachers(method)) {
        jobs.push_back({.network = target_, .method = method, .file = file_for(method, "")});
        continue;
      }
      for (const WeightedSet& set : result_.teacher_sets) {
        TuneJob job{.network = target_,
                    .method = method,
                    .teachers = set.label,
                    .teacher_digests = teachers_.digests(set),
                    .lambda = default_lambda(method),
                    .file = file_for(method, set.label)};
        if (method == TuneMethod::zoo && !find_zoo(set, job)) continue;
        penalties_.push_back(teachers_.penalty(method, target_->name, set));
        job.penalty = penalties_.back().get();
        jobs.push_back(std::move(job));
      }
    }
    return jobs;
  }

  // Only networks of the target's own architecture can be mixed with it.
  bool find_zoo(const WeightedSet& set, TuneJob& job) {
    const std::unique_ptr<Trainer> own = target_->train(1);
    for (const std::string& name : set.names) {
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
    result_.notes.push_back(reason + "; left out");
    return false;
  }

  void describe() {
    result_.dataset = data_.name;
    result_.classes = data_.targets.kind == TargetKind::classes;
    result_.tested = data_.test.has_value();
    result_.train = static_cast<Index>(data_.rows.size());
    result_.validation = static_cast<Index>(data_.validation.size());
    result_.test = data_.test ? data_.test->images->count() : 0;
    result_.teacher_seconds = teachers_.seconds();
    result_.inputs = teachers_.inputs();
    const auto& notes = teachers_.notes();
    result_.notes.insert(result_.notes.end(), notes.begin(), notes.end());
  }

  ThreadPool& pool_;
  const TuneRequest& request_;
  const ProgressCallback& progress_;
  const TrainingImages& data_;
  Teachers& teachers_;
  const NetworkSource* target_ = nullptr;
  std::vector<std::unique_ptr<Penalty>> penalties_;
  TuneResult result_;
};

}  // namespace

TuneResult tune_hub(ThreadPool& pool, const TuneRequest& request,
                    const ProgressCallback& progress) {
  const TrainingImages data = open_training_images(
      images_of(request.data), request.settings.validation_share, request.settings.seed);
  require_judge(data);
  Teachers teachers = rank_teachers(pool, request, data, progress);
  TuneResult result = Tuning(pool, request, progress, data, teachers).run();
  if (request.settings.validation_share == 0.0)
    result.notes.emplace_back("without validation the last epoch is taken");
  return result;
}

}  // namespace assay
