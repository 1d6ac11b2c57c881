#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/search.h"
#include "core/clock.h"
#include "hub/catalogue.h"
#include "hub/networks.h"
#include "images/images_digest.h"
#include "rank/rank_plan.h"
#include "search/budget.h"
#include "search/feature_field.h"
#include "search/first_tried.h"
#include "search/network_field.h"
#include "search/race.h"
#include "search/race_order.h"

namespace assay {
namespace {

// Networks and the images they are run on.
struct NetworkInputs {
  NetworkSources found;
  LabelledImages data;
  std::string dataset;
};

void require_sensible(const SearchRequest& request) {
  if (request.top < 1)
    fail_input(fmt::format("`top` {}: expected at least one model to find", request.top));
  if (!(request.rank.level > 0.0 && request.rank.level < 1.0))
    fail_input("`ci` 0: a search drops models with a confidence; give one, such as 0.95");
  if (!request.rank.groups.empty() || request.rank.hub.groups)
    fail_input("`groups`: a search does not keep groups together yet; leave one of them out");
  if (request.rank.subsample)
    fail_input("`subsample`: a search chooses its samples itself; leave one of them out");
  if (!request.data.data.empty() && request.data.options.layer == "all")
    fail_input("`layer` all: a search runs one layer of each network; name it");
}

NetworkInputs open_networks(const SearchRequest& request) {
  const SplitChoice choice = parse_split(request.data.split);
  NetworkInputs out{require_networks(request.rank.inputs), {}, {}};
  ImageData data = open_image_data(request.data.data);
  out.dataset = data.name;
  out.data = choose_part(std::move(data), choice, request.data.options.seed);
  return out;
}

// What the race knows of the models beside their scores.
struct Entrants {
  std::vector<std::string> names;
  std::vector<double> costs;  // of a sample, in a unit that all share
};

Entrants entrants_of(const ModelList& models) {
  Entrants out;
  for (const Model& model : models.models) {
    out.names.push_back(model.name);
    out.costs.push_back(model_bytes(model));
  }
  return out;
}

// Parameters where all declare them, else bytes of the files.
Entrants entrants_of(const std::vector<NetworkSource>& networks) {
  Entrants out;
  const bool declared =
      std::ranges::all_of(networks, [](const NetworkSource& one) { return one.params > 0; });
  for (const NetworkSource& one : networks) {
    out.names.push_back(one.name);
    std::error_code failure;
    const auto bytes = std::filesystem::file_size(one.file, failure);
    out.costs.push_back(declared  ? static_cast<double>(one.params)
                        : failure ? 0.0
                                  : static_cast<double>(bytes));
  }
  return out;
}

const Metric* racing_metric(const SearchRequest& request) {
  const Metric* const by = request.by != nullptr ? request.by : &find_metric("ridge_loo");
  if (by->from_probabilities != nullptr || !by->setting_judge.empty())
    fail_input(fmt::format(
        "`by` {}: a search needs a metric of the features alone, such as ridge_loo or logme",
        by->name));
  return by;
}

// The request of `rank` that one look of one model comes to.
RankRequest scoring_request(const SearchRequest& request, const Metric* by,
                            const NetworkInputs* networks) {
  RankRequest out = request.rank;
  out.metrics = {by};
  out.by = by;
  out.by_consensus = false;
  if (networks == nullptr) return out;
  out.inputs.clear();
  out.hub = {};
  out.hub.targets = networks->data.targets;
  for (const NetworkSource& one : networks->found.networks)
    out.hub.models.push_back({one.name, {}});
  return out;
}

void require_metric(const RankPlan& plan, const Metric* by) {
  if (std::ranges::find(plan.metrics.all(), by) != plan.metrics.all().end()) return;
  const std::vector<LeftOut>& left_out = plan.metrics.left_out();
  fail_input(fmt::format("`by` {}: {}", by->name,
                         left_out.empty() ? "it does not apply" : left_out.front().reason));
}

// Scores as the metric has them.
void restore_direction(const Metric& metric, std::vector<RacedModel>& models) {
  if (metric.direction == Direction::higher_is_better) return;
  for (RacedModel& model : models)
    for (RaceLook& look : model.looks) look.value = -look.value;
}

void note_unknown(const std::map<std::string, double>& prior, const Entrants& entrants,
                  SearchResult& result) {
  std::vector<std::string> unknown;
  for (const auto& [name, value] : prior) {
    if (std::ranges::find(entrants.names, name) == entrants.names.end()) unknown.push_back(name);
  }
  if (unknown.empty()) return;
  result.notes.push_back(
      fmt::format("the prior ranking names {} model(s) that the hub does not "
                  "hold, such as {}",
                  unknown.size(), unknown.front()));
}

class Search {
 public:
  Search(ThreadPool& pool, const SearchRequest& request, const ProgressCallback& progress)
      : pool_(pool), request_(request), progress_(progress) {
    require_sensible(request);
    by_ = racing_metric(request);
    if (!request.data.data.empty()) networks_ = open_networks(request);
    prior_ = request.prior_ranking.empty() ? declared_standings(request.rank.inputs)
                                           : read_prior_ranking(request.prior_ranking);
    scoring_ = scoring_request(request, by_, networks_ ? &*networks_ : nullptr);
    plan_ = std::make_unique<RankPlan>(plan_ranking(scoring_));
    require_metric(*plan_, by_);
  }

  SearchResult run() {
    const double started = monotonic_seconds();
    const std::vector<Index> order = race_order(plan_->targets, request_.rank.seed);
    const Entrants entrants =
        networks_ ? entrants_of(networks_->found.networks) : entrants_of(plan_->models);
    const double each = samples_each(request_.budget, static_cast<Index>(entrants.names.size()),
                                     plan_->targets.rows());
    RaceSetting setting{.looks = race_looks(plan_->targets, order, each),
                        .telling = telling_rows(plan_->targets),
                        .top = request_.top,
                        .level = request_.rank.level,
                        .budget = request_.budget,
                        .order = tried_first(entrants.names, entrants.costs, prior_)};
    LookScorer scorer(pool_, *plan_, order);
    SearchResult result = begin_result(entrants);
    RaceOutcome outcome;
    if (networks_) {
      NetworkField field(pool_, networks_->found.networks, networks_->data.images,
                         networks_->dataset, request_.data.options, scorer);
      outcome = run_race(pool_, field, setting, progress_);
      result.inputs = field.weights();
      result.inputs.push_back({request_.data.data, images_digest(pool_, *networks_->data.images)});
    } else {
      FeatureField field(plan_->models, plan_->targets, scorer);
      outcome = run_race(pool_, field, setting, progress_);
    }
    finish(std::move(outcome), result);
    result.seconds = monotonic_seconds() - started;
    return result;
  }

 private:
  SearchResult begin_result(const Entrants& entrants) const {
    SearchResult result{.by = by_,
                        .top = request_.top,
                        .level = request_.rank.level,
                        .budget = request_.budget,
                        .samples = plan_->targets.rows(),
                        .networks = networks_.has_value()};
    result.full_passes = result.samples * static_cast<Index>(entrants.names.size());
    if (networks_) {
      result.failed = networks_->found.failed;
      result.notes = networks_->found.notes;
    }
    if (!request_.prior_ranking.empty()) note_unknown(prior_, entrants, result);
    if (request_.budget.unit == SearchBudget::Unit::seconds)
      result.notes.emplace_back(
          "a budget of time is not reproducible: a faster machine sees more samples; a share or a "
          "number of images is");
    return result;
  }

  void finish(RaceOutcome outcome, SearchResult& result) const {
    result.end = outcome.end;
    result.looks = std::move(outcome.looks);
    result.passes = outcome.passes;
    result.models = std::move(outcome.models);
    result.failed.insert(result.failed.end(), outcome.failed.begin(), outcome.failed.end());
    if (result.models.empty() || result.models.front().looks.empty())
      fail_input(fmt::format("nothing left to rank: {}",
                             result.failed.empty() ? "the budget does not serve a single model"
                                                   : result.failed.front().error));
    restore_direction(*by_, result.models);
    for (const RacedModel& model : result.models) result.seconds_saved += model.seconds_saved;
    for (const std::filesystem::path& file : {request_.rank.labels, request_.prior_ranking}) {
      if (!file.empty()) result.inputs.push_back({file, file_digest(file)});
    }
  }

  ThreadPool& pool_;
  const SearchRequest& request_;
  const ProgressCallback& progress_;
  const Metric* by_ = nullptr;
  std::map<std::string, double> prior_;
  std::optional<NetworkInputs> networks_;
  RankRequest scoring_;
  std::unique_ptr<RankPlan> plan_;
};

}  // namespace

std::string_view race_state_name(RaceState state) {
  switch (state) {
    case RaceState::contender:
      return "contender";
    case RaceState::dropped:
      return "dropped";
    case RaceState::set_aside:
      return "set_aside";
    case RaceState::untried:
      break;
  }
  return "untried";
}

std::string_view race_end_name(RaceEnd end) {
  if (end == RaceEnd::decided) return "decided";
  return end == RaceEnd::all_seen ? "all_seen" : "budget";
}

SearchResult search_hub(ThreadPool& pool, const SearchRequest& request,
                        const ProgressCallback& progress) {
  return Search(pool, request, progress).run();
}

}  // namespace assay
