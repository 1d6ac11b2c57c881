#include "tune/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "assay/error.h"

namespace assay {
namespace {

constexpr std::array kRates = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2};
constexpr std::array kRatios = {0.0, 0.03, 0.1, 0.3, 1.0, 3.0};
constexpr Index kObservedEpochs = 2;  // a warm-up, and the one that counts

std::vector<double> rates_of(const TuneSettings& settings) {
  return settings.rates.empty() ? std::vector<double>(kRates.begin(), kRates.end())
                                : settings.rates;
}

// None: to be found by the ratio of gradients.
std::vector<double> named_lambdas(TuneMethod method, const TuneSettings& settings) {
  std::vector<double> own;
  std::vector<double> general;
  bool automatic = false;
  bool named = false;
  for (const LambdaChoice& choice : settings.lambdas) named = named || choice.method == method;
  for (const LambdaChoice& choice : settings.lambdas) {
    if (named ? choice.method != method : choice.method.has_value()) continue;
    if (choice.value) general.push_back(*choice.value);
    automatic = automatic || !choice.value;
  }
  return automatic ? std::vector<double>{} : general;
}

bool is_automatic(const TuneJob& job, const TuneSettings& settings) {
  return job.penalty != nullptr && named_lambdas(job.method, settings).empty();
}

std::size_t lambda_trials(const TuneJob& job, const TuneSettings& settings) {
  if (job.penalty == nullptr) return 1;
  const std::size_t named = named_lambdas(job.method, settings).size();
  return named == 0 ? kRatios.size() : named;
}

Index quarter(Index epochs) { return std::max<Index>(1, epochs / 4); }
Index half(Index epochs) { return std::max<Index>(1, epochs / 2); }

Index halving_epochs(std::size_t trials, Index epochs) {
  if (trials < 2) return 0;
  const auto count = static_cast<Index>(trials);
  return trials == 2 ? 2 * half(epochs) : count * quarter(epochs) + (count + 1) / 2 * half(epochs);
}

TuneJob plain_job(const TuneJob& job) {
  return {.network = job.network,
          .method = TuneMethod::finetune,
          .rate = job.rate,
          .decay = job.decay,
          .seed = kSearchSeed,
          .variant = job.variant};
}

std::string trial_key(const TuneJob& job, const TuneSettings& settings) {
  return fmt::format("{} {} {} {} {} {} {} {}", job.network->name, static_cast<int>(job.method),
                     job.teachers, job.lambda, job.rate, job.decay, settings.epochs, job.observe);
}

// Jobs to choose among, and who of them is left.
struct Group {
  std::vector<TuneJob> trials;
  std::vector<std::size_t> left;
};

class Search {
 public:
  Search(ThreadPool& pool, const TuneContext& context, const ProgressCallback& progress,
         Index epochs, SearchedRuns& found)
      : pool_(pool), context_(context), progress_(progress), all_(epochs), found_(found) {}

  std::vector<TuneJob> run(std::vector<TuneJob> jobs) {
    jobs = settle_rates(std::move(jobs));
    jobs = settle_lambdas(std::move(jobs));
    return jobs;
  }

 private:
  const TuneSettings& settings() const { return *context_.settings; }

  // Those of jobs that were run before, as plain fine-tuning is for every method, are known.
  void run_trials(const std::vector<TuneJob>& jobs, Index epochs, RateSchedule schedule) {
    TuneSettings short_run = settings();
    short_run.epochs = epochs;
    short_run.schedule = schedule;
    TuneContext context = context_;
    context.settings = &short_run;
    std::vector<TuneJob> fresh;
    std::vector<std::string> keys;
    for (const TuneJob& job : jobs) {
      const std::string key = trial_key(job, short_run);
      if (runs_.contains(key) || std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      fresh.push_back(job);
      keys.push_back(key);
    }
    const double from = static_cast<double>(done_);
    const auto part = static_cast<double>(fresh.size()) * static_cast<double>(epochs);
    const ProgressCallback told = [&](double done, const std::string& what) {
      if (progress_)
        progress_(std::min(1.0, (from + done * part) / static_cast<double>(all_)), what);
    };
    std::vector<FailedModel> failed;
    const auto runs = run_jobs(pool_, fresh, context, told, failed);
    done_ += std::ssize(fresh) * epochs;
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      runs_[keys[i]] = runs[i];
      if (!runs[i]) continue;
      found_.checkpoints.push_back(checkpoint_file(fresh[i], context));
      if (!fresh[i].observe) found_.searched.push_back(*runs[i]);
    }
    for (FailedModel& one : failed) errors_.push_back(std::move(one));
  }

  const std::optional<TuneRun>& run_of(const TuneJob& job, Index epochs) {
    TuneSettings short_run = settings();
    short_run.epochs = epochs;
    return runs_.at(trial_key(job, short_run));
  }

  // Keeps the better trials of every group; those that failed go first.
  void halve(std::vector<Group>& groups, Index epochs, bool last) {
    std::vector<TuneJob> jobs;
    for (const Group& group : groups) {
      if (group.left.size() < 2 || (!last && group.left.size() < 3)) continue;
      for (const std::size_t i : group.left) jobs.push_back(group.trials[i]);
    }
    run_trials(jobs, epochs, settings().schedule);
    for (Group& group : groups) {
      if (group.left.size() < 2 || (!last && group.left.size() < 3)) continue;
      std::erase_if(group.left,
                    [&](std::size_t i) { return !run_of(group.trials[i], epochs).has_value(); });
      const auto quality = [&](std::size_t i) {
        return *run_of(group.trials[i], epochs)->training.epochs.back().validation;
      };
      std::stable_sort(group.left.begin(), group.left.end(), [&](std::size_t a, std::size_t b) {
        return quality(a).better_than(quality(b));
      });
      const std::size_t kept = last ? 1 : (group.trials.size() + 1) / 2;
      group.left.resize(std::min(group.left.size(), kept));
    }
  }

  // The best of every group; none where all failed.
  std::vector<std::optional<TuneJob>> best_of(std::vector<Group> groups) {
    for (Group& group : groups) {
      group.left.resize(group.trials.size());
      std::iota(group.left.begin(), group.left.end(), 0);
    }
    halve(groups, quarter(settings().epochs), false);
    halve(groups, half(settings().epochs), true);
    std::vector<std::optional<TuneJob>> out;
    for (const Group& group : groups)
      out.push_back(group.left.empty() ? std::nullopt
                                       : std::optional(group.trials[group.left.front()]));
    return out;
  }

  std::vector<TuneJob> settle_rates(std::vector<TuneJob> jobs) {
    std::vector<const NetworkSource*> networks;
    std::vector<Group> groups;
    for (const TuneJob& job : jobs) {
      if (std::find(networks.begin(), networks.end(), job.network) != networks.end()) continue;
      networks.push_back(job.network);
      groups.emplace_back();
      for (const double rate : rates_of(settings())) {
        for (const double decay : settings().decays) {
          TuneJob trial = plain_job(job);
          trial.rate = rate;
          trial.decay = decay;
          groups.back().trials.push_back(trial);
        }
      }
    }
    const std::vector<std::optional<TuneJob>> best = best_of(std::move(groups));
    std::vector<TuneJob> out;
    for (TuneJob& job : jobs) {
      const auto at = std::find(networks.begin(), networks.end(), job.network) - networks.begin();
      const std::optional<TuneJob>& chosen = best[static_cast<std::size_t>(at)];
      if (!chosen) {
        found_.failed.push_back({job_name(job), last_error()});
        continue;
      }
      job.rate = chosen->rate;
      job.decay = chosen->decay;
      out.push_back(std::move(job));
    }
    return out;
  }

  std::string last_error() const {
    return errors_.empty() ? "no trial ended well" : errors_.back().error;
  }

  // lambda per unit of r, for the jobs that ask for it; 0 where the penalty has no gradient.
  std::map<Index, double> units_of(const std::vector<TuneJob>& jobs) {
    std::vector<TuneJob> watched;
    for (const TuneJob& job : jobs)
      if (is_automatic(job, settings())) watched.push_back(trial_of(job, 0.0, {}, true));
    run_trials(watched, kObservedEpochs, RateSchedule::constant);
    std::map<Index, double> out;
    for (const TuneJob& job : watched) {
      const std::optional<TuneRun>& run = run_of(job, kObservedEpochs);
      if (!run) continue;
      const EpochRecord& counts = run->training.epochs.back();
      out[job.variant] =
          counts.penalty_gradient > 0.0 ? counts.task_gradient / counts.penalty_gradient : 0.0;
    }
    return out;
  }

  // With lambda = 0 it is plain fine-tuning, whatever the method.
  static TuneJob trial_of(const TuneJob& job, double lambda, std::optional<double> ratio,
                          bool observe = false) {
    TuneJob trial = lambda == 0.0 && !observe ? plain_job(job) : job;
    trial.lambda = lambda;
    trial.ratio = ratio;
    trial.observe = observe;
    trial.seed = kSearchSeed;
    trial.file.clear();
    return trial;
  }

  std::vector<TuneJob> settle_lambdas(std::vector<TuneJob> jobs) {
    const std::map<Index, double> units = units_of(jobs);
    std::vector<Group> groups;
    for (const TuneJob& job : jobs) {
      groups.emplace_back();
      if (job.penalty == nullptr) {
        groups.back().trials.push_back(trial_of(job, 0.0, {}));
      } else if (const auto unit = units.find(job.variant); unit != units.end()) {
        for (const double ratio : kRatios)
          if (ratio == 0.0 || unit->second > 0.0)
            groups.back().trials.push_back(trial_of(job, ratio * unit->second, ratio));
      } else {
        for (const double lambda : named_lambdas(job.method, settings()))
          groups.back().trials.push_back(trial_of(job, lambda, {}));
      }
    }
    const std::vector<std::optional<TuneJob>> best = best_of(std::move(groups));
    std::vector<TuneJob> out;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (!best[i]) {
        found_.failed.push_back({job_name(jobs[i]), last_error()});
        continue;
      }
      jobs[i].lambda = best[i]->lambda;
      jobs[i].ratio = best[i]->ratio;
      out.push_back(jobs[i]);
    }
    return out;
  }

  ThreadPool& pool_;
  const TuneContext& context_;
  const ProgressCallback& progress_;
  Index all_;
  Index done_ = 0;
  SearchedRuns& found_;
  std::map<std::string, std::optional<TuneRun>> runs_;
  std::vector<FailedModel> errors_;  // of trials: only what is left without any is a failure
};

std::filesystem::path file_of_seed(const std::filesystem::path& file, Index seed) {
  if (file.empty()) return file;
  const std::string stem = file.stem().string();
  return file.parent_path() / fmt::format("{}-seed{}{}", stem.substr(0, stem.rfind("-seed")), seed,
                                          file.extension().string());
}

// The plain job whose runs those of `job` would repeat.
std::optional<std::size_t> repeated_by(const TuneJob& job, const std::vector<TuneJob>& jobs) {
  if (job.lambda != 0.0 || job.penalty == nullptr || !job.file.empty()) return std::nullopt;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i].method == TuneMethod::finetune && jobs[i].network == job.network &&
        jobs[i].rate == job.rate && jobs[i].decay == job.decay)
      return i;
  }
  return std::nullopt;
}

}  // namespace

bool has_open_settings(const std::vector<TuneJob>& jobs, const TuneSettings& settings) {
  return rates_of(settings).size() * settings.decays.size() > 1 ||
         std::any_of(jobs.begin(), jobs.end(),
                     [&](const TuneJob& job) { return lambda_trials(job, settings) > 1; });
}

PlannedEpochs planned_epochs(const std::vector<TuneJob>& jobs, const TuneSettings& settings) {
  PlannedEpochs out;
  std::vector<const NetworkSource*> networks;
  for (const TuneJob& job : jobs) {
    out.runs += settings.runs * settings.epochs;
    if (std::find(networks.begin(), networks.end(), job.network) == networks.end()) {
      networks.push_back(job.network);
      out.search +=
          halving_epochs(rates_of(settings).size() * settings.decays.size(), settings.epochs);
    }
    out.search += halving_epochs(lambda_trials(job, settings), settings.epochs);
    if (is_automatic(job, settings)) out.search += kObservedEpochs;
  }
  return out;
}

std::vector<TuneJob> search_settings(ThreadPool& pool, const std::vector<TuneJob>& jobs,
                                     const TuneContext& context, const ProgressCallback& progress,
                                     SearchedRuns& found) {
  const Index epochs = std::max<Index>(1, planned_epochs(jobs, *context.settings).search);
  return Search(pool, context, progress, epochs, found).run(jobs);
}

std::vector<TuneJob> with_only_settings(std::vector<TuneJob> jobs, const TuneSettings& settings) {
  for (TuneJob& job : jobs) {
    job.rate = settings.rates.front();
    job.decay = settings.decays.front();
    if (job.penalty != nullptr) job.lambda = named_lambdas(job.method, settings).front();
  }
  return jobs;
}

void run_all_seeds(ThreadPool& pool, const std::vector<TuneJob>& jobs, const TuneContext& context,
                   const ProgressCallback& progress, SearchedRuns& found) {
  std::vector<TuneJob> all;
  std::vector<std::pair<std::size_t, std::size_t>> repeats;  // job, whose runs it takes over
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (const auto plain = repeated_by(jobs[i], jobs)) {
      repeats.emplace_back(i, *plain);
      continue;
    }
    for (Index seed = 0; seed < context.settings->runs; ++seed) {
      all.push_back(jobs[i]);
      all.back().seed = seed;
      all.back().file = file_of_seed(jobs[i].file, seed);
    }
  }
  std::vector<std::optional<TuneRun>> runs = run_jobs(pool, all, context, progress, found.failed);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i]) continue;
    found.checkpoints.push_back(checkpoint_file(all[i], context));
    found.runs.push_back(std::move(*runs[i]));
  }
  const std::vector<TuneRun> made = found.runs;
  for (const auto& [job, plain] : repeats) {
    for (TuneRun run : made) {
      if (run.variant != jobs[plain].variant) continue;
      run.method = jobs[job].method;
      run.teachers = jobs[job].teachers;
      run.ratio = jobs[job].ratio;
      run.variant = jobs[job].variant;
      found.runs.push_back(std::move(run));
    }
  }
  std::stable_sort(found.runs.begin(), found.runs.end(),
                   [](const TuneRun& a, const TuneRun& b) { return a.variant < b.variant; });
}

void remove_checkpoints(const SearchedRuns& found) {
  std::error_code gone;
  for (const std::filesystem::path& file : found.checkpoints)
    if (!file.empty()) std::filesystem::remove(file, gone);
}

}  // namespace assay
