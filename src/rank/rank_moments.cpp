#include "rank/rank_moments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "assay/error.h"
#include "core/clock.h"
#include "metrics/problem.h"
#include "parts/moments_file.h"
#include "rank/moment_replicate.h"
#include "rank/order_models.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct ReadPart {
  fs::path path;
  MomentsFile file;
};

void require_disjoint(const std::vector<ReadPart>& parts, bool allow_missing,
                      std::vector<std::string>& notes) {
  Index next = 0;
  Index missing = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const MomentsFile& file = parts[i].file;
    const MomentsFile& first = parts.front().file;
    if (file.labels != first.labels || file.total_rows != first.total_rows)
      fail_input(fmt::format("{}: summed with other labels than {}", parts[i].path.string(),
                             parts.front().path.string()));
    if (file.first_row < next)
      fail_input(fmt::format("{} and {}: both hold row {}; leave one out",
                             parts[i - 1].path.string(), parts[i].path.string(), file.first_row));
    missing += file.first_row - next;
    next = file.first_row + file.moments.rows();
  }
  missing += parts.front().file.total_rows - next;
  if (missing == 0) return;
  const std::string what = fmt::format("{}: {} of {} rows are in no part", parts.front().file.model,
                                       missing, parts.front().file.total_rows);
  if (!allow_missing) fail_input(what + "; `allow_missing` ranks by the others");
  notes.push_back(what);
}

ScoredModel score_moments(ThreadPool& pool, const NamedMoments& model, const RankResult& result,
                          double level) {
  ScoredModel out;
  out.name = model.name;
  out.samples = model.moments.rows();
  out.dim = model.moments.dim();
  out.digests = model.digests;
  const Moments total = model.moments.total();
  const double started = monotonic_seconds();
  const Problem problem(total, result.centered);
  if (std::ranges::none_of(problem.active(), [](bool a) { return a; }))
    fail_input(
        fmt::format("{}: every target is constant; a score needs targets that vary", model.name));
  for (const Metric* metric : result.metrics) {
    MetricScore& scored = out.scores.emplace_back();
    scored.metric = metric;
    scored.score = metric->from_moments(problem);
    scored.seconds = monotonic_seconds() - started;
  }
  if (level == 0.0) return out;
  std::vector<const Moments*> folds;  // a short stream leaves some empty
  for (const Moments& fold : model.moments.folds)
    if (fold.count > 0) folds.push_back(&fold);
  if (folds.size() < 3) return out;
  for (MetricScore& scored : out.scores) scored.replicates.resize(folds.size());
  pool.run(std::ssize(folds), [&](Index k) {
    Moments rest = total;
    rest -= *folds[static_cast<std::size_t>(k)];
    const Problem without(std::move(rest), result.centered);
    for (MetricScore& scored : out.scores)
      scored.replicates[static_cast<std::size_t>(k)] =
          moment_replicate(scored.score, scored.metric->from_moments(without), result.target_kind);
  });
  return out;
}

void choose_moment_metrics(const RankRequest& request, RankResult& result) {
  const bool classes = result.target_kind == TargetKind::classes;
  for (const Metric* metric : request.metrics) {
    if (metric->from_moments == nullptr) {
      result.left_out.push_back({metric, "it reads rows, and moments do not have them"});
    } else if (metric->classes_only && !classes) {
      result.left_out.push_back({metric, "it is for classes"});
    } else {
      result.metrics.push_back(metric);
    }
  }
  if (result.metrics.empty())
    fail_input(
        "none of these metrics can be had from moments; logme, hscore and hscore_shrunk can");
}

void require_same_data(const std::vector<NamedMoments>& models) {
  const NamedMoments& first = models.front();
  for (const NamedMoments& model : models) {
    const bool same = model.moments.kind == first.moments.kind &&
                      model.moments.columns == first.moments.columns &&
                      model.moments.rows() == first.moments.rows() &&
                      model.moments.total().target_sum == first.moments.total().target_sum;
    if (!same)
      fail_input(fmt::format("{} and {}: not of the same rows and labels ({} and {} rows)",
                             first.name, model.name, first.moments.rows(), model.moments.rows()));
  }
}

}  // namespace

std::vector<NamedMoments> moments_of_models(const std::vector<fs::path>& files, bool allow_missing,
                                            std::vector<std::string>& notes) {
  std::map<std::string, std::vector<ReadPart>> by_model;
  for (const fs::path& path : files) {
    MomentsFile file = read_moments(path);
    std::vector<ReadPart>& parts = by_model[file.model];
    parts.push_back({path, std::move(file)});
  }
  std::vector<NamedMoments> models;
  for (auto& [name, parts] : by_model) {
    std::ranges::stable_sort(parts, {}, [](const ReadPart& part) { return part.file.first_row; });
    require_disjoint(parts, allow_missing, notes);
    NamedMoments& model = models.emplace_back();
    model.name = name;
    for (const ReadPart& part : parts) {
      try {
        model.moments += part.file.moments;
      } catch (const Error& error) {
        fail_input(fmt::format("{}: {}", part.path.string(), error.what()));
      }
      model.digests.push_back({part.path, file_digest(part.path)});
    }
  }
  return models;
}

RankResult rank_moments(ThreadPool& pool, const RankRequest& request,
                        const std::vector<NamedMoments>& models) {
  if (models.empty() || models.front().moments.rows() == 0)
    fail_input("no moments to rank: nothing was summed");
  require_same_data(models);
  const ModelMoments& first = models.front().moments;
  RankResult result;
  result.target_kind = first.kind;
  result.centered = centers(request, first.kind);
  result.columns = static_cast<Index>(first.columns.size());
  result.column_names = first.columns;
  result.folds = request.level == 0.0 ? 0 : static_cast<Index>(first.folds.size());
  if (first.kind == TargetKind::classes)
    result.largest_class = first.total().target_sum.maxCoeff() / static_cast<double>(first.rows());
  choose_moment_metrics(request, result);
  for (const NamedMoments& model : models) {
    try {
      result.models.push_back(score_moments(pool, model, result, request.level));
    } catch (const Error& error) {
      result.failed.push_back({model.name, error.what()});
    }
  }
  if (result.models.empty()) fail_input(result.failed.front().error);
  order_models(request, result);
  add_agreement(result);
  return result;
}

}  // namespace assay
