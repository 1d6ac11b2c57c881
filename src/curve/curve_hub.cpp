#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "assay/curve.h"
#include "assay/digest.h"
#include "assay/error.h"
#include "core/random.h"
#include "core/text.h"
#include "curve/certify_probe.h"
#include "curve/check_request.h"
#include "curve/crossing.h"
#include "curve/curve_data.h"
#include "curve/curve_unit.h"
#include "curve/export_subsets.h"
#include "curve/hub_spread.h"
#include "curve/run_probes.h"
#include "parts/data_digest.h"
#include "parts/shared_units.h"

namespace assay {
namespace {

ProbeKind probe_for(const CurveRequest& request, const Targets& targets, Index classes) {
  const ProbeKind usual = classes > 0 ? ProbeKind::linear : ProbeKind::ridge;
  const ProbeKind kind = request.probe.value_or(usual);
  if ((kind == ProbeKind::ridge) == (classes == 0)) return kind;
  fail_input(fmt::format("{}: `probe` {} is for {}; use {}", targets.where, probe_name(kind),
                         classes > 0 ? "regression targets" : "classes",
                         classes > 0 ? "linear or mlp" : "ridge"));
}

LossKind loss_for(const CurveRequest& request, const Targets& targets, Index classes) {
  const LossKind kind = request.loss.value_or(classes > 0 ? LossKind::nll : LossKind::mse);
  if ((kind == LossKind::mse) == (classes == 0)) return kind;
  fail_input(fmt::format("{}: `loss` {} is for {}; use {}", targets.where, loss_name(kind),
                         classes > 0 ? "regression targets" : "classes",
                         classes > 0 ? "nll or zero-one" : "mse"));
}

std::vector<Index> sizes_for(const CurveRequest& request, Index rows) {
  constexpr Index smallest = 10;
  if (request.sizes.empty()) return log_sizes(smallest, rows, request.size_count);
  if (request.sizes.back() > rows) {
    fail_input(fmt::format("`sizes`: {} is more than the {} rows there are to train on",
                           request.sizes.back(), rows));
  }
  return request.sizes;
}

CurveResult start_result(const CurveRequest& request, const CurveData& data) {
  CurveResult result;
  result.classes = data.classes();
  result.probe = {.kind = probe_for(request, data.targets(), result.classes),
                  .l2 = request.l2,
                  .mlp = request.mlp};
  return result;
}

// The geometric means of what the probes of each size chose; empty where the penalty was given.
std::vector<ChosenPenalty> penalties_of(const std::vector<FinishedProbe>& probes) {
  std::map<Index, std::pair<double, double>> sums;  // of logarithms, and how many
  for (const FinishedProbe& probe : probes) {
    if (!probe.outcome.l2) continue;
    sums[probe.n].first += std::log(*probe.outcome.l2);
    sums[probe.n].second += 1.0;
  }
  std::vector<ChosenPenalty> out;
  for (const auto& [n, sum] : sums) out.push_back({n, std::exp(sum.first / sum.second)});
  return out;
}

class CurveRunner {
 public:
  CurveRunner(ThreadPool& pool, const CurveRequest& request, const ProgressCallback& progress)
      : pool_(pool),
        request_(request),
        progress_(progress),
        data_(request),
        result_(start_result(request, data_)),
        probes_(pool, request, result_.probe, data_) {
    result_.train_rows = data_.train_rows();
    result_.own_validation = data_.has_own_validation();
    result_.groups = data_.group_count();
    result_.validation_rows = data_.validation_rows();
    result_.curves.loss = loss_for(request, data_.targets(), result_.classes);
    result_.curves.rule = request.rule;
    result_.curves.chance = data_.chance(result_.curves.loss);
    if (result_.curves.loss == LossKind::nll) result_.curves.label_entropy = data_.entropy();
    result_.target_loss = request.target_loss;
    result_.target_accuracy = request.target_accuracy;
    if (request.target_accuracy && result_.classes == 0)
      fail_input("`target_accuracy` needs classes; name a `target_loss` for regression targets");
    if (request.certify && !data_.groups().empty())
      fail_input("`certify` needs independent rows; leave it out with `groups`");
    spread_.emplace(request, data_, result_.curves.loss, result_.curves.chance.value_or(1.0));
    sizes_ = sizes_for(request, result_.train_rows);
  }

  CurveResult run() {
    if (!request_.export_subsets.empty())
      export_subsets(request_.export_subsets, data_.targets(), sizes_, probes_.orders(),
                     probes_.held_out());
    const std::vector<const Model*> good = measure_models();
    if (result_.models.empty())
      fail_input(fmt::format("no curve could be measured: {}", result_.failed.front().error));
    choose_epsilons();
    if (request_.refine_levels > 0 || request_.certify) {
      looking_closer_ = true;
      started_models_ = 0;
      for (std::size_t i = 0; i < good.size(); ++i) refine_and_certify(*good[i], result_.models[i]);
    }
    for (std::size_t i = 0; i < result_.models.size(); ++i) measure_model(i);
    spread_->compare(result_);
    result_.probes += probes_.probes();  // beside those of other processes
    result_.resumed += probes_.resumed();
    result_.journal_problem = probes_.journal_problem();
    for (const std::filesystem::path& file : {request_.labels, request_.validation_labels}) {
      if (!file.empty()) result_.inputs.push_back({file, file_digest(file)});
    }
    for (const Hub* hub : {&request_.hub, &request_.validation_hub})
      result_.inputs.insert(result_.inputs.end(), hub->inputs.begin(), hub->inputs.end());
    const std::vector<FailedModel>& failed = request_.hub.failed;
    result_.failed.insert(result_.failed.begin(), failed.begin(), failed.end());
    return std::move(result_);
  }

 private:
  WorkList work() const {
    WorkList list{"curve", {}, targets_digest(data_.targets())};
    if (data_.has_own_validation()) list.data += " " + targets_digest(data_.validation_targets());
    for (const Model& files : data_.models()) list.units.push_back(files.name);
    return list;
  }

  // The common sizes of every model; those that could be measured.
  std::vector<const Model*> measure_models() {
    const std::vector<Model>& models = data_.models();
    SharedUnits<CurveUnit> units(request_.share, work());
    models_here_ = units.count();
    for (std::size_t i = 0; i < models.size(); ++i) {
      const auto unit = static_cast<Index>(i);
      if (!units.mine(unit)) continue;
      ++started_models_;
      units.run(unit, [&] { return measure_grid(models[i]); });
    }
    units.complete();
    std::vector<const Model*> good;
    for (std::size_t i = 0; i < models.size(); ++i) {
      const auto unit = static_cast<Index>(i);
      try {
        add_unit(units.take(unit), units.mine(unit));
        good.push_back(&models[i]);
      } catch (const Error& error) {
        result_.failed.push_back({models[i].name, error.what()});
      }
    }
    models_here_ = static_cast<Index>(models.size());
    return good;
  }

  void add_unit(CurveUnit unit, bool mine) {
    if (!mine) {
      result_.probes += unit.probes;
      result_.resumed += unit.resumed;
    }
    CurveModel model{.name = std::move(unit.name), .dim = unit.dim, .curve = std::move(unit.curve)};
    model.refined = model.curve;
    model.mean_updates = unit.mean_updates;
    model.not_converged = unit.not_converged;
    model.penalties = penalties_of(unit.finished);
    spread_->add_model(unit.finished);
    std::ranges::move(unit.digests, std::back_inserter(result_.inputs));
    result_.models.push_back(std::move(model));
  }

  double loss_of(const ProbeOutcome& outcome) const {
    return result_.curves.loss == LossKind::zero_one ? 1.0 - outcome.accuracy.value_or(0.0)
                                                     : outcome.loss;
  }

  LossCurve curve_of(const std::string& name, const std::vector<FinishedProbe>& finished) const {
    LossCurve curve{name, {}};
    for (const FinishedProbe& probe : finished) {
      curve.runs.push_back({.seed = probe.seed,
                            .n = probe.n,
                            .loss = loss_of(probe.outcome),
                            .accuracy = probe.outcome.accuracy});
    }
    return curve;
  }

  // The common sizes are the first half of the work when a closer look follows.
  void report(double share, const std::string& name) const {
    if (!progress_) return;
    const auto models = static_cast<double>(models_here_);
    const double done = (static_cast<double>(started_models_ - 1) + share) / models;
    const bool closer = request_.refine_levels > 0 || request_.certify.has_value();
    progress_(closer ? 0.5 * (done + (looking_closer_ ? 1.0 : 0.0)) : done, name);
  }

  std::vector<FinishedProbe> probes_at(const CurveFeatures& features, const std::string& name,
                                       std::span<const Index> sizes) {
    return probes_.run(features, sizes, [&](double share) { report(share, name); });
  }

  // Null for a representation.
  const Learner* learner_of(const std::string& name) const {
    const auto found = request_.learners.find(name);
    return found == request_.learners.end() ? nullptr : &found->second;
  }

  CurveUnit measure_learner(const std::string& name, const Learner& learner) {
    const std::vector<FinishedProbe> finished =
        probes_.run(learner, name, sizes_, [&](double share) { report(share, name); });
    return {.name = name, .curve = curve_of(name, finished), .finished = finished};
  }

  CurveUnit measure_grid(const Model& files) {
    if (const Learner* learner = learner_of(files.name))
      return measure_learner(files.name, *learner);
    const Index probes_before = probes_.probes();
    const Index resumed_before = probes_.resumed();
    CurveFeatures features =
        data_.load_model(pool_, files, CurveData::Standard::all, probes_.seeded());
    const std::vector<FinishedProbe> finished = probes_at(features, files.name, sizes_);
    CurveUnit unit{.name = files.name,
                   .dim = features.data.train.rows(),
                   .curve = curve_of(files.name, finished),
                   .digests = std::move(features.digests),
                   .finished = finished};
    for (const FinishedProbe& probe : finished) {
      unit.mean_updates +=
          static_cast<double>(probe.outcome.updates) / static_cast<double>(finished.size());
      unit.not_converged += probe.outcome.converged ? 0 : 1;
    }
    unit.probes = probes_.probes() - probes_before;
    unit.resumed = probes_.resumed() - resumed_before;
    return unit;
  }

  void choose_epsilons() {
    std::vector<double>& epsilons = result_.curves.epsilons;
    epsilons = request_.epsilons;
    if (request_.target_loss &&
        std::ranges::find(epsilons, *request_.target_loss) == epsilons.end())
      epsilons.push_back(*request_.target_loss);
    if (!epsilons.empty()) return;
    result_.chose_epsilon = true;
    std::vector<double> finals;
    for (const CurveModel& model : result_.models)
      finals.push_back(points_of(model.curve.runs).back().loss);
    std::ranges::sort(finals);
    // Rounded up to two digits: half of the models reach it.
    const double median = finals[finals.size() / 2];
    const double unit = median > 0.0 ? std::pow(10.0, std::floor(std::log10(median)) - 1.0) : 1.0;
    epsilons.push_back(std::stod(fmt::format("{:.3g}", std::ceil(median / unit) * unit)));
  }

  void refine_and_certify(const Model& files, CurveModel& model) {
    ++started_models_;
    if (const Learner* learner = learner_of(files.name)) {
      for (const double epsilon : result_.curves.epsilons) {
        if (request_.refine_levels == 0) break;
        model.brackets.push_back(refine(model, epsilon, [&](std::span<const Index> sizes) {
          return probes_.run(*learner, model.name, sizes,
                             [&](double share) { report(share, model.name); });
        }));
      }
      return;
    }
    if (request_.refine_levels > 0) {
      const CurveFeatures features =
          data_.load_model(pool_, files, CurveData::Standard::all, probes_.seeded());
      for (const double epsilon : result_.curves.epsilons) {
        model.brackets.push_back(refine(model, epsilon, [&](std::span<const Index> sizes) {
          return probes_at(features, model.name, sizes);
        }));
      }
    }
    if (!request_.certify) return;
    const CurveFeatures features =
        data_.load_model(pool_, files, CurveData::Standard::held_out, probes_.seeded());
    for (const double epsilon : result_.curves.epsilons) {
      if (epsilon <= 0.0) fail_input("`certify` needs a tolerance above 0; name `epsilon`");
      model.certificates.push_back(certify_curve(
          pool_, features.data, result_.probe, result_.curves.loss, points_of(model.curve.runs),
          epsilon, *request_.certify, request_.certify_rows, data_.split(0).train,
          mixed_seed(request_.seed, kCertifySeed, 0)));
    }
  }

  std::optional<Bracket> refine(
      CurveModel& model, double epsilon,
      const std::function<std::vector<FinishedProbe>(std::span<const Index>)>& measure) {
    return refine_bracket(points_of(model.refined.runs), epsilon, request_.refine_levels,
                          [&](std::span<const Index> sizes) {
                            const std::vector<FinishedProbe> more = measure(sizes);
                            for (const ProbeRun& run : curve_of(model.name, more).runs)
                              model.refined.runs.push_back(run);
                            spread_->add_sizes(
                                static_cast<std::size_t>(&model - result_.models.data()), more);
                            return points_of(model.refined.runs);
                          });
  }

  // The measures, on the common sizes; refined sizes make the sample complexity finer.
  void measure_model(std::size_t i) {
    CurveModel& model = result_.models[i];
    const MeasuredCurves& common = result_.curves;
    const MeasureOptions options{common.rule, common.chance.value_or(0.0), common.epsilons,
                                 common.label_entropy};
    MeasuredCurve measured = measure_curve(model.curve, options);
    for (std::size_t k = 0; k < model.brackets.size(); ++k) {
      if (!model.brackets[k]) continue;
      ToleranceMeasure& esc = measured.at.back().esc[k];
      esc.value = static_cast<double>(model.brackets[k]->high);
      esc.lower_bound = false;
      esc.sd.reset();
    }
    spread_->judge(i, options, measured, model);
    result_.curves.models.push_back(std::move(measured));
  }

  ThreadPool& pool_;
  const CurveRequest& request_;
  const ProgressCallback& progress_;
  CurveData data_;
  CurveResult result_;
  CurveProbes probes_;
  std::vector<Index> sizes_;
  std::optional<HubSpread> spread_;
  Index models_here_ = 0;  // that this process measures
  Index started_models_ = 0;
  bool looking_closer_ = false;
};

}  // namespace

CurveResult curve_hub(ThreadPool& pool, const CurveRequest& request,
                      const ProgressCallback& progress) {
  check_request(request);
  return CurveRunner(pool, request, progress).run();
}

}  // namespace assay
