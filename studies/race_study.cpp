// Does a race find one of the best three, and for how much work?
//
// On a hub of feature files, or on a thousand models made of one (random projections of its models
// to at most 64 dimensions, with noise added, so that many are nearly as good as the best), races
// with different seeds, and with the same scores successive halving (equal shares of the same
// budget for every round, half of the models leave each time) and every model on as many rows as
// the budget gives each. A method hits when one of its top models is within one paired standard
// error of the best, both on all rows. A race errs when a model that it dropped has a higher score
// on all rows than all that it kept.
//
//     race_study NAME HUB LABELS FIRST_SEED RACES SHARE [MODELS]   a CSV line per race
//
// studies/race.py runs it over hubs, goes on where it stopped, and makes the table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <map>
#include <numeric>
#include <set>

#include "assay/features.h"
#include "assay/search.h"
#include "core/memory.h"
#include "core/random.h"
#include "data/read_samples.h"
#include "hub/open_rows.h"
#include "rank/rank_plan.h"
#include "search/feature_field.h"
#include "search/first_tried.h"
#include "search/race.h"
#include "search/race_order.h"

namespace assay::study {
namespace {

constexpr Index kTop = 3;

// Keeps what was scored: three methods ask for much the same.
class RememberedField : public RaceField {
 public:
  explicit RememberedField(RaceField& field) : field_(field) {}
  std::vector<std::string> names() const override { return field_.names(); }
  bool side_by_side() const override { return false; }
  LookResult look(std::size_t model, const std::vector<Index>& looks) override {
    const std::pair key(model, looks);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    return known_.emplace(key, field_.look(model, looks)).first->second;
  }

 private:
  RaceField& field_;
  std::map<std::pair<std::size_t, std::vector<Index>>, LookResult> known_;
};

using Chosen = std::vector<std::size_t>;

void best_first(Chosen& models, const std::map<std::size_t, double>& values, std::size_t keep) {
  std::ranges::stable_sort(
      models, [&](std::size_t a, std::size_t b) { return values.at(a) > values.at(b); });
  models.resize(std::min(keep, models.size()));
}

Chosen everything_on_a_share(RaceField& field, Index samples, double share) {
  Chosen models(field.names().size());
  std::iota(models.begin(), models.end(), std::size_t{0});
  const auto rows = static_cast<Index>(share * static_cast<double>(samples));
  std::map<std::size_t, double> values;
  for (const std::size_t model : models) values[model] = field.look(model, {rows}).sighting.value;
  best_first(models, values, kTop);
  return models;
}

Chosen successive_halving(RaceField& field, Index samples, double share) {
  Chosen models(field.names().size());
  std::iota(models.begin(), models.end(), std::size_t{0});
  const double budget = share * static_cast<double>(samples) * static_cast<double>(models.size());
  const double rounds =
      std::ceil(std::log2(static_cast<double>(models.size()) / static_cast<double>(kTop)));
  std::vector<Index> looks;
  while (static_cast<Index>(models.size()) > kTop) {
    const double each = budget / rounds / static_cast<double>(models.size());
    const Index before = looks.empty() ? 0 : looks.back();
    const Index rows = std::min(samples, before + static_cast<Index>(each));
    if (rows > before) looks.push_back(rows);
    std::map<std::size_t, double> values;
    for (const std::size_t model : models) values[model] = field.look(model, looks).sighting.value;
    best_first(models, values, std::max<std::size_t>(kTop, (models.size() + 1) / 2));
  }
  return models;
}

// All rows: the scores, and what rows contribute.
struct Truth {
  std::vector<Sighting> models;
  std::size_t best = 0;
  double seconds = 0.0;

  bool near_best(const Chosen& chosen) const {
    return std::ranges::any_of(chosen, [&](std::size_t model) {
      double squares = 0.0;
      for (std::size_t i = 0; i < models[best].contributions.size(); ++i) {
        const double apart = models[best].contributions[i] - models[model].contributions[i];
        squares += apart * apart;
      }
      return models[best].value - models[model].value <= std::sqrt(squares);
    });
  }
};

struct StudiedHub {
  std::string name;
  RankRequest request;
};

// MODELS in all: one of the hub's models, projected and with noise, each.
std::vector<Model> made_models(ThreadPool& pool, const std::vector<Model>& from, Index count) {
  std::vector<Eigen::MatrixXf> features;
  for (const Model& model : from) features.push_back(read_float_samples(pool, *open_rows(model)));
  std::vector<Model> out;
  constexpr std::array<Index, 4> dims = {8, 16, 32, 64};
  constexpr std::array<double, 4> noises = {0.0, 0.3, 1.0, 3.0};
  for (Index k = 0; k < count; ++k) {
    Random random(mixed_seed(2026, static_cast<std::uint64_t>(k)));
    const Eigen::MatrixXf& f =
        features[static_cast<std::size_t>(random.below(std::ssize(features)))];
    const Index dim = std::min(f.rows(), dims[static_cast<std::size_t>(random.below(4))]);
    const double noise = noises[static_cast<std::size_t>(random.below(4))];
    Eigen::MatrixXf projection(dim, f.rows());
    for (float& value : projection.reshaped()) value = static_cast<float>(random.normal());
    Eigen::MatrixXf made = projection * f;
    const double scale = noise * std::sqrt(made.squaredNorm() / static_cast<double>(made.size()));
    for (float& value : made.reshaped()) value += static_cast<float>(scale * random.normal());
    const auto bytes = std::as_bytes(std::span(made.data(), static_cast<std::size_t>(made.size())));
    Array array;
    array.type = ElementType::f32;
    array.item_size = sizeof(float);
    array.shape = {made.cols(), made.rows()};
    array.buffer = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
    array.bytes = *array.buffer;
    array.where = fmt::format("made{:04}", k);
    out.push_back({array.where, {}, {}, rows_of_array(array, {})});
  }
  return out;
}

Truth truth_of(ThreadPool& pool, const RankPlan& plan) {
  Truth truth;
  const std::clock_t started = std::clock();
  const Index samples = plan.targets.rows();
  LookScorer scorer(pool, plan, race_order(plan.targets, 0));
  FeatureField field(plan.models, plan.targets, scorer);
  for (std::size_t model = 0; model < field.names().size(); ++model)
    truth.models.push_back(field.look(model, {samples}).sighting);
  for (std::size_t k = 1; k < truth.models.size(); ++k)
    if (truth.models[k].value > truth.models[truth.best].value) truth.best = k;
  truth.seconds = static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC;
  return truth;
}

// Whether the race said of a model that it is not the best, and it is better than all others left.
bool errs(const RaceOutcome& outcome, const Truth& truth,
          const std::map<std::string, std::size_t>& places) {
  double dropped = -1e300;
  double kept = -1e300;
  for (const RacedModel& model : outcome.models) {
    double& side = model.state == RaceState::dropped ? dropped : kept;
    side = std::max(side, truth.models[places.at(model.name)].value);
  }
  return dropped > kept;
}

void race_once(ThreadPool& pool, const StudiedHub& hub, const RankPlan& plan, const Truth& truth,
               double share, std::uint64_t seed) {
  const Index samples = plan.targets.rows();
  const std::vector<Index> order = race_order(plan.targets, seed);
  LookScorer scorer(pool, plan, order);
  FeatureField files(plan.models, plan.targets, scorer);
  RememberedField field(files);
  const std::vector<std::string> names = field.names();
  RaceSetting setting{
      .looks = race_looks(plan.targets, order, share * static_cast<double>(samples)),
      .telling = telling_rows(plan.targets),
      .top = kTop};
  setting.budget.amount = share;
  for (std::size_t k = 0; k < names.size(); ++k) setting.order.push_back(k);
  const std::clock_t started = std::clock();
  const RaceOutcome outcome = run_race(pool, field, setting, {});
  const double seconds = static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC;
  std::map<std::string, std::size_t> places;
  for (std::size_t k = 0; k < names.size(); ++k) places[names[k]] = k;
  Chosen reported;
  for (const RacedModel& model : outcome.models)
    if (model.reported) reported.push_back(places.at(model.name));
  const bool best_found = std::ranges::find(reported, truth.best) != reported.end();
  fmt::print("{},{},{},{},{:.4f},{},{},{},{},{},{},{:.2f},{:.2f}\n", hub.name, names.size(), seed,
             samples,
             static_cast<double>(outcome.passes) /
                 static_cast<double>(samples * static_cast<Index>(names.size())),
             race_end_name(outcome.end), truth.near_best(reported) ? 1 : 0, best_found ? 1 : 0,
             errs(outcome, truth, places) ? 1 : 0,
             truth.near_best(successive_halving(field, samples, share)) ? 1 : 0,
             truth.near_best(everything_on_a_share(field, samples, share)) ? 1 : 0, seconds,
             truth.seconds);
  std::fflush(stdout);
}

void study(int argc, char** argv) {
  StudiedHub hub{argv[1], {}};
  hub.request.inputs = {argv[2]};
  hub.request.labels = argv[3];
  hub.request.metrics = {&find_metric("ridge_loo")};
  hub.request.memory_limit = Index{4} << 30;
  const std::uint64_t first = std::strtoull(argv[4], nullptr, 10);
  const std::uint64_t races = std::strtoull(argv[5], nullptr, 10);
  const double share = std::strtod(argv[6], nullptr);
  ThreadPool pool(1);
  if (argc > 7) {
    hub.request.hub.models =
        made_models(pool, find_models(hub.request.inputs, hub.request.labels).models,
                    std::strtol(argv[7], nullptr, 10));
    hub.request.inputs.clear();
  }
  const RankPlan plan = plan_ranking(hub.request);
  const Truth truth = truth_of(pool, plan);
  for (std::uint64_t seed = first; seed < first + races; ++seed)
    race_once(pool, hub, plan, truth, share, seed);
}

}  // namespace
}  // namespace assay::study

int main(int argc, char** argv) {
  if (argc < 7) {
    fmt::print(stderr, "usage: race_study NAME HUB LABELS FIRST_SEED RACES SHARE [MODELS]\n");
    return 2;
  }
  try {
    assay::study::study(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "race_study: {}\n", error.what());
    return 1;
  }
  return 0;
}
