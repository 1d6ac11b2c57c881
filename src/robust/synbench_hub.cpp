#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <utility>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/robust.h"
#include "core/clock.h"
#include "images/prepare.h"
#include "parts/shared_units.h"
#include "robust/model_scores.h"
#include "robust/represent_synthetic.h"
#include "robust/representation_file.h"
#include "robust/synbench_fields.h"
#include "robust/synthetic_world.h"

namespace assay {
namespace {

void require_numbers(const std::vector<double>& values, const std::string& option, double limit,
                     const std::string& expected) {
  if (values.empty()) fail_input(fmt::format("{}: expected at least one number", option));
  for (const double value : values) {
    if (std::isfinite(value) && value >= 0.0 && value < limit) continue;
    fail_input(fmt::format("{} {}: expected {}", option, value, expected));
  }
  if (std::set<double>(values.begin(), values.end()).size() != values.size())
    fail_input(fmt::format("{}: a number is listed twice", option));
}

void check_scales(const SynbenchRequest& request) {
  constexpr Index fewest = 8;
  if (request.samples < fewest)
    fail_input(fmt::format("`samples` {}: expected {} or more", request.samples, fewest));
  require_numbers(request.scales, "`scales`", HUGE_VAL, "a number above 0");
  if (std::ranges::any_of(request.scales, [](double scale) { return scale <= 0.0; }))
    fail_input("`scales`: expected numbers above 0: half the distance between the classes");
}

void check(const SynbenchRequest& request) {
  constexpr double unlimited = HUGE_VAL;
  require_numbers(request.epsilons, "`epsilon`", request.relative ? 1.0 : unlimited,
                  request.relative ? "0 or more and less than 1: a share of half the distance "
                                     "between the classes (`absolute` for a distance)"
                                   : "a distance, 0 or more");
  require_numbers(request.thresholds, "`threshold`", 1.0, "an accuracy, 0 or more and less than 1");
  if (!(request.class_prior > 0.0) || !(request.class_prior < 1.0))
    fail_input(
        fmt::format("`class_prior` {}: expected a share between 0 and 1", request.class_prior));
  check_scales(request);
  if (request.representations.empty() && request.networks.empty() && request.given.empty())
    fail_input("no network and no representations to score");
  std::set<std::string> names;
  for (const NetworkSource& network : request.networks) names.insert(network.name);
  for (const auto& path : request.representations) {
    if (!names.insert(path.stem().string()).second)
      fail_input(fmt::format("{}: another model has the name '{}' too; rename one", path.string(),
                             path.stem().string()));
  }
  for (const GivenRepresentations& given : request.given) {
    if (!names.insert(given.name).second)
      fail_input(fmt::format("two models are called '{}'; rename one", given.name));
  }
}

std::vector<Budget> budgets_of(const SynbenchRequest& request) {
  std::vector<Budget> out;
  for (const double epsilon : request.epsilons)
    out.push_back({epsilon, request.relative, request.norm, request.eigenbasis});
  return out;
}

// Where a model's samples come from, at scale number s.
struct TrainAndTest {
  LabelledRepresentation train;
  LabelledRepresentation test;
};
using SamplesAt = std::function<TrainAndTest(std::size_t s)>;

class SynbenchScorer {
 public:
  SynbenchScorer(ThreadPool& pool, const SynbenchRequest& request, const ProgressCallback& progress,
                 Index models)
      : pool_(pool),
        request_(request),
        progress_(progress),
        budgets_(budgets_of(request)),
        world_(open_world(request)),
        models_(static_cast<double>(models)) {}

  SynbenchModel score(const std::filesystem::path& path) {
    const double started = monotonic_seconds();
    return score_saved(path.stem().string(), RepresentationFile(path, request_.memory_limit),
                       started);
  }

  SynbenchModel score(const GivenRepresentations& given) {
    const double started = monotonic_seconds();
    return score_saved(given.name, RepresentationFile(given), started);
  }

  SynbenchModel score(const NetworkSource& source) {
    const double started = monotonic_seconds();
    const std::unique_ptr<Network> network = source.open();
    const Preprocessing preprocessing = with_input_size(source.preprocessing, request_.input_size);
    const SyntheticData data{.samples = request_.samples,
                             .class_prior = request_.class_prior,
                             .seed = request_.seed,
                             .world = world()};
    SyntheticData held_out = data;
    held_out.stream = 1;
    const SyntheticRepresentations train(pool_, *network, preprocessing, data);
    const SyntheticRepresentations test(pool_, *network, preprocessing, held_out);
    SynbenchModel model = blank(source.name, train.dim(), request_.scales);
    model.train = model.test = request_.samples;
    const auto images =
        static_cast<double>(2 * request_.samples) * static_cast<double>(request_.scales.size());
    double done = 0.0;
    const auto ran = [&](Index count) {
      done += static_cast<double>(count);
      if (progress_)
        progress_((models_done_ + done / images) / models_,
                  fmt::format("{}, {:.0f} images/s", source.name,
                              done / (monotonic_seconds() - started)));
    };
    const std::size_t together = scales_together(train.dim());
    for (std::size_t first = 0; first < model.scales.size(); first += together) {
      const auto part =
          std::span(model.scales).subspan(first, std::min(together, model.scales.size() - first));
      std::vector<LabelledRepresentation> fit = train.at(part, ran);
      std::vector<LabelledRepresentation> held = test.at(part, ran);
      measure(model, first, part.size(), [&](std::size_t s) {
        return TrainAndTest{std::move(fit[s - first]), std::move(held[s - first])};
      });
    }
    return finished(std::move(model), started);
  }

  void model_done() { ++models_done_; }

 private:
  SynbenchModel score_saved(const std::string& name, const RepresentationFile& file,
                            double started) {
    SynbenchModel model = blank(name, file.dim(), file.scales());
    model.train = file.train_count();
    model.test = file.test_count();
    measure(model, 0, file.scales().size(), [&](std::size_t s) {
      return TrainAndTest{file.train(pool_, s), file.test(pool_, s)};
    });
    return finished(std::move(model), started);
  }

  SynbenchModel blank(std::string name, Index dim, const std::vector<double>& scales) {
    SynbenchModel model;
    model.name = std::move(name);
    model.dim = dim;
    model.scales = scales;
    measured_.assign(scales.size(), {});
    return model;
  }

  SynbenchModel finished(SynbenchModel model, double started) {
    score_measurements(measured_, request_, model);
    model.seconds = monotonic_seconds() - started;
    return model;
  }

  // Features in float and in double at once, to fit and to measure, in half of the memory.
  std::size_t scales_together(Index dim) const {
    const Index bytes = 2 * request_.samples * dim * Index{sizeof(float) + sizeof(double)};
    return static_cast<std::size_t>(std::max<Index>(1, request_.memory_limit / 2 / bytes));
  }

  void measure(const SynbenchModel& model, std::size_t first, std::size_t count,
               const SamplesAt& samples) {
    std::mutex mutex;
    double measured = 0.0;
    pool_.run(static_cast<Index>(count), [&](Index task) {
      const std::size_t s = first + static_cast<std::size_t>(task);
      TrainAndTest both = samples(s);
      measured_[s] = measure_scale(pool_, model.scales[s], std::move(both.train),
                                   std::move(both.test), budgets_, request_.class_prior, world());
      const std::lock_guard lock(mutex);
      const double share =
          (static_cast<double>(first) + ++measured) / static_cast<double>(model.scales.size());
      if (progress_) progress_((models_done_ + share) / models_, model.name);
    });
  }

  const SyntheticWorld* world() const { return world_ ? &*world_ : nullptr; }

  ThreadPool& pool_;
  const SynbenchRequest& request_;
  const ProgressCallback& progress_;
  std::vector<Budget> budgets_;
  std::optional<SyntheticWorld> world_;
  std::vector<ScaleMeasurement> measured_;  // of the model at hand, by scale
  double models_ = 1.0;                     // that are scored here
  double models_done_ = 0.0;
};

}  // namespace

std::vector<double> SynbenchRequest::default_scales() {
  constexpr int last = 49;
  std::vector<double> out;
  for (int tenth = 1; tenth <= last; ++tenth) out.push_back(tenth / 10.0);
  return out;
}

namespace {

WorkList models_to_score(const SynbenchRequest& request) {
  WorkList list{"robust score", {}, {}};
  for (const NetworkSource& network : request.networks) list.units.push_back(network.name);
  for (const auto& path : request.representations) list.units.push_back(path.stem().string());
  for (const GivenRepresentations& given : request.given) list.units.push_back(given.name);
  return list;
}

SynbenchResult result_of(SharedUnits<SynbenchUnit>& units, const std::vector<std::string>& names) {
  SynbenchResult out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    try {
      SynbenchUnit unit = units.take(static_cast<Index>(i));
      out.models.push_back(std::move(unit.model));
      if (!unit.file.digest.empty()) out.inputs.push_back(std::move(unit.file));
    } catch (const Error& error) {
      out.failed.push_back({names[i], error.what()});
    }
  }
  return out;
}

}  // namespace

SynbenchResult synbench_hub(ThreadPool& pool, const SynbenchRequest& request,
                            const ProgressCallback& progress) {
  check(request);
  SharedUnits<SynbenchUnit> units(request.share, models_to_score(request));
  SynbenchScorer scorer(pool, request, progress, units.count());
  Index next = 0;
  const auto score = [&](const std::filesystem::path& file, const auto& source) {
    const Index unit = next++;
    if (!units.mine(unit)) return;
    units.run(unit, [&]() -> SynbenchUnit {
      try {
        SynbenchModel model = scorer.score(source);
        return {std::move(model),
                file.empty() ? FileDigest{} : FileDigest{file, file_digest(file)}};
      } catch (const std::exception& error) {  // a backend may throw anything
        fail_input(error.what());
      }
    });
    scorer.model_done();
  };
  for (const NetworkSource& network : request.networks) score(network.file, network);
  for (const auto& path : request.representations) score(path, path);
  for (const GivenRepresentations& given : request.given) score({}, given);
  units.complete();
  SynbenchResult out = result_of(units, models_to_score(request).units);
  for (const auto& file : {request.mean, request.covariance})
    if (!file.empty()) out.inputs.push_back({file, file_digest(file)});
  if (out.models.size() + out.failed.size() == 1 && out.models.empty())
    fail_input(out.failed.front().error);
  if (out.models.empty()) {
    fail_input(fmt::format("none of the {} models can be scored; the first, {}: {}",
                           out.failed.size(), out.failed.front().name, out.failed.front().error));
  }
  return out;
}

}  // namespace assay
