#include "tune/search.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"

namespace assay {
namespace {

// The combinations to try for a job.
std::vector<TuneJob> grid_of(const TuneJob& job, const TuneSettings& settings) {
  const bool penalised = job.lambda > 0.0 && !settings.lambdas.empty();
  const std::vector<double> lambdas =
      penalised ? settings.lambdas : std::vector<double>{job.lambda};
  std::vector<TuneJob> grid;
  for (const double rate : settings.rates) {
    for (const double decay : settings.decays) {
      for (const double lambda : lambdas) {
        TuneJob one = job;
        one.rate = rate;
        one.decay = decay;
        one.lambda = lambda;
        one.seed = 0;
        grid.push_back(std::move(one));
      }
    }
  }
  // Networks that are only tried are not written.
  if (grid.size() > 1)
    for (TuneJob& one : grid) one.file.clear();
  return grid;
}

const Quality& chosen_quality(const TuneRun& run) {
  const auto best = static_cast<std::size_t>(run.training.best_epoch - 1);
  return *run.training.epochs[best].validation;
}

class Search {
 public:
  Search(ThreadPool& pool, const TuneContext& context, const ProgressCallback& progress)
      : pool_(pool), context_(context), progress_(progress) {}

  SearchedRuns run(const std::vector<TuneJob>& variants) {
    for (const TuneJob& variant : variants) {
      grids_.push_back(grid_of(variant, settings()));
      for (TuneJob& one : grids_.back()) one.variant = static_cast<Index>(files_.size());
      files_.push_back(variant.file);
    }
    const bool searching = grids_.front().size() > 1;
    if (searching && context_.data->validation.empty())
      fail_input(
          "several learning rates, decays or lambdas are chosen among by validation; let "
          "`validation` be more than 0");
    std::vector<TuneJob> first;
    for (const std::vector<TuneJob>& grid : grids_)
      first.insert(first.end(), grid.begin(), grid.end());
    const auto all =
        static_cast<double>(first.size()) +
        static_cast<double>(variants.size()) * static_cast<double>(settings().runs - 1);
    const auto tried = run_stage(first, 0.0, static_cast<double>(first.size()) / all);
    std::vector<TuneJob> rest = jobs_of_other_seeds(tried);
    const auto others = run_stage(rest, static_cast<double>(first.size()) / all, 1.0);
    collect(others);
    remove_checkpoints(first, tried);
    remove_checkpoints(rest, others);
    return std::move(result_);
  }

 private:
  const TuneSettings& settings() const { return *context_.settings; }

  std::vector<std::optional<TuneRun>> run_stage(const std::vector<TuneJob>& jobs, double from,
                                                double to) {
    const ProgressCallback part = [&](double done, const std::string& what) {
      if (progress_) progress_(from + (to - from) * done, what);
    };
    return run_jobs(pool_, jobs, context_, part, result_.failed);
  }

  // Keeps the best run of each grid; its setting goes on with the other seeds. A search of several
  // settings has not written its networks, so the best one is run again with a file name; its
  // checkpoint makes that free.
  std::vector<TuneJob> jobs_of_other_seeds(const std::vector<std::optional<TuneRun>>& tried) {
    std::vector<TuneJob> jobs;
    std::size_t at = 0;
    for (std::size_t v = 0; v < grids_.size(); ++v) {
      const std::vector<TuneJob>& grid = grids_[v];
      std::optional<std::size_t> best;
      for (std::size_t i = 0; i < grid.size(); ++i) {
        const std::optional<TuneRun>& one = tried[at + i];
        if (one && (!best || chosen_quality(*one).better_than(chosen_quality(*tried[at + *best]))))
          best = i;
      }
      for (std::size_t i = 0; i < grid.size(); ++i)
        if (best && i != *best && tried[at + i]) result_.searched.push_back(*tried[at + i]);
      const bool again = best && grid[*best].file != files_[v];
      if (best && !again) result_.runs.push_back(*tried[at + *best]);
      for (Index seed = again ? 0 : 1; best && seed < settings().runs; ++seed) {
        jobs.push_back(grid[*best]);
        jobs.back().seed = seed;
        jobs.back().file = file_of_seed(files_[v], seed);
      }
      at += grid.size();
    }
    return jobs;
  }

  static std::filesystem::path file_of_seed(const std::filesystem::path& file, Index seed) {
    if (file.empty()) return file;
    const std::string stem = file.stem().string();
    return file.parent_path() / fmt::format("{}-seed{}{}", stem.substr(0, stem.rfind("-seed")),
                                            seed, file.extension().string());
  }

  void collect(const std::vector<std::optional<TuneRun>>& others) {
    for (const std::optional<TuneRun>& run : others)
      if (run) result_.runs.push_back(*run);
    std::stable_sort(result_.runs.begin(), result_.runs.end(),
                     [](const TuneRun& a, const TuneRun& b) { return a.variant < b.variant; });
  }

  // Those of runs that failed stay: what stopped them may be put right.
  void remove_checkpoints(const std::vector<TuneJob>& jobs,
                          const std::vector<std::optional<TuneRun>>& runs) const {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      std::error_code gone;
      const std::filesystem::path file = checkpoint_file(jobs[i], context_);
      if (runs[i] && !file.empty()) std::filesystem::remove(file, gone);
    }
  }

  ThreadPool& pool_;
  const TuneContext& context_;
  const ProgressCallback& progress_;
  std::vector<std::vector<TuneJob>> grids_;
  std::vector<std::filesystem::path> files_;  // of the first seed, by variant
  SearchedRuns result_;
};

}  // namespace

SearchedRuns search_then_run(ThreadPool& pool, const std::vector<TuneJob>& variants,
                             const TuneContext& context, const ProgressCallback& progress) {
  if (variants.empty() || context.settings->epochs == 0) return {};
  return Search(pool, context, progress).run(variants);
}

}  // namespace assay
