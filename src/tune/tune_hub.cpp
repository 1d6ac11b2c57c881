#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "assay/error.h"
#include "assay/tune.h"
#include "core/text.h"
#include "stats/paired_test.h"
#include "tune/search.h"
#include "tune/teacher_sets.h"
#include "tune/teachers.h"
#include "tune/write_tuned.h"

namespace assay {
namespace {

constexpr std::array kMethods = {TuneMethod::finetune, TuneMethod::distill, TuneMethod::b_tuning,
                                 TuneMethod::zoo, TuneMethod::prior};

bool has_teachers(TuneMethod method) { return method != TuneMethod::finetune; }

// The authors' code has 100 for b-tuning; the others make the terms of the loss of one size.
double usual_lambda(TuneMethod method) {
  switch (method) {
    case TuneMethod::b_tuning:
      return 100.0;
    case TuneMethod::distill:
      return 1.0;
    case TuneMethod::prior:
      return 10.0;
    case TuneMethod::finetune:
    case TuneMethod::zoo:
      break;
  }
  return 0.0;
}

bool same_tensors(const Trainer& a, const Trainer& b) {
  const auto equal = [](const StateTensor& x, const StateTensor& y) {
    return x.name == y.name && x.size == y.size;
  };
  const auto& first = a.tensors(StateKind::parameters);
  const auto& second = b.tensors(StateKind::parameters);
  return std::equal(first.begin(), first.end(), second.begin(), second.end(), equal);
}

double value_of(const TuneRun& run) {
  const Quality& quality =
      run.test
          ? *run.test
          : *run.training.epochs[static_cast<std::size_t>(run.training.best_epoch - 1)].validation;
  return quality.accuracy.value_or(quality.loss);
}

double median_epoch(const std::vector<const TuneRun*>& runs) {
  std::vector<double> seconds;
  for (const TuneRun* run : runs)
    for (const EpochRecord& epoch : run->training.epochs) seconds.push_back(epoch.seconds);
  if (seconds.empty()) return 0.0;
  const auto middle = seconds.begin() + static_cast<Index>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

std::map<std::uint64_t, double> by_seed(const std::vector<const TuneRun*>& runs) {
  std::map<std::uint64_t, double> out;
  for (const TuneRun* run : runs) out[run->seed] = value_of(*run);
  return out;
}

// Over the seeds that both have.
std::optional<PairedTest> compared(const std::vector<const TuneRun*>& runs,
                                   const std::vector<const TuneRun*>& plain) {
  const std::map<std::uint64_t, double> reference = by_seed(plain);
  std::vector<double> a;
  std::vector<double> b;
  for (const auto& [seed, value] : by_seed(runs)) {
    const auto found = reference.find(seed);
    if (found == reference.end()) continue;
    a.push_back(value);
    b.push_back(found->second);
  }
  if (a.empty()) return std::nullopt;
  return paired_t_test(a, b);
}

std::vector<TuneSummary> summarised(const std::vector<TuneRun>& runs) {
  std::vector<std::pair<TuneSummary, std::vector<const TuneRun*>>> groups;
  for (const TuneRun& run : runs) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& one) {
      return one.first.method == run.method && one.first.teachers == run.teachers;
    });
    if (group == groups.end()) {
      groups.push_back({TuneSummary{run.method, run.teachers, {}, 0.0, {}, {}, 0.0}, {}});
      group = std::prev(groups.end());
    }
    group->first.values.push_back(value_of(run));
    group->second.push_back(&run);
  }
  const auto plain = std::find_if(groups.begin(), groups.end(), [](const auto& one) {
    return one.first.method == TuneMethod::finetune;
  });
  std::vector<TuneSummary> out;
  for (auto& [summary, members] : groups) {
    const auto count = static_cast<double>(summary.values.size());
    summary.mean = std::accumulate(summary.values.begin(), summary.values.end(), 0.0) / count;
    double squares = 0.0;
    for (const double value : summary.values) squares += std::pow(value - summary.mean, 2.0);
    if (count > 1.0) summary.sd = std::sqrt(squares / (count - 1.0));
    summary.seconds_per_epoch = median_epoch(members);
    if (plain != groups.end() && summary.method != TuneMethod::finetune)
      summary.against_finetune = compared(members, plain->second);
    out.push_back(summary);
  }
  return out;
}

class Tuning {
 public:
  Tuning(ThreadPool& pool, const TuneRequest& request, const ProgressCallback& progress)
      : pool_(pool),
        request_(request),
        progress_(progress),
        data_(open_training_images(images_of(request.data), request.settings.validation_share,
                                   request.settings.seed)),
        teachers_(pool, request, data_, progress) {}

  TuneResult run() {
    if (!data_.test && data_.validation.empty())
      fail_input(
          fmt::format("{}: has no test part and nothing is held back to validate on; split "
                      "it, e.g. with `split` 0.8",
                      data_.name));
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
    result_.summaries = summarised(result_.runs);
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
                    .lambda = usual_lambda(method),
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
  TrainingImages data_;
  Teachers teachers_;
  const NetworkSource* target_ = nullptr;
  std::vector<std::unique_ptr<Penalty>> penalties_;
  TuneResult result_;
};

}  // namespace

std::string method_name(TuneMethod method) {
  switch (method) {
    case TuneMethod::finetune:
      return "finetune";
    case TuneMethod::b_tuning:
      return "b-tuning";
    case TuneMethod::distill:
      return "distill";
    case TuneMethod::zoo:
      return "zoo";
    case TuneMethod::prior:
      break;
  }
  return "prior";
}

std::vector<TuneMethod> parse_methods(const std::string& text) {
  if (text == "all") return {kMethods.begin(), kMethods.end()};
  std::vector<TuneMethod> out;
  for (const std::string& name : split_list(text)) {
    const auto found = std::find_if(kMethods.begin(), kMethods.end(),
                                    [&](TuneMethod one) { return method_name(one) == name; });
    if (found == kMethods.end())
      fail_input(
          fmt::format("'{}' is no method; expected b-tuning, distill, zoo, finetune, prior "
                      "or all",
                      name));
    if (std::find(out.begin(), out.end(), *found) == out.end()) out.push_back(*found);
  }
  return out;
}

TuneResult tune_hub(ThreadPool& pool, const TuneRequest& request,
                    const ProgressCallback& progress) {
  const bool unchosen = request.settings.validation_share == 0.0;
  TuneResult result = Tuning(pool, request, progress).run();
  if (unchosen) result.notes.emplace_back("without validation the last epoch is taken");
  return result;
}

}  // namespace assay
