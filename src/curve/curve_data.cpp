#include "curve/curve_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "assay/error.h"
#include "assay/features.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/text.h"
#include "curve/measures.h"
#include "data/check_targets.h"
#include "data/read_samples.h"
#include "hub/hub_or_files.h"
#include "hub/open_rows.h"
#include "learn/standardize.h"

namespace assay {
namespace {

struct LoadedRows {
  Matrix samples;  // D x n
  std::vector<FileDigest> digests;
};

// All rows, what probes on all threads copy of them, the losses of the rows that all probes are
// judged by, and what resamples them.
void require_probe_memory(const RowSource& rows, int threads, const CurveRequest& request) {
  constexpr Index units = 4096;
  constexpr Index draws = 1000;
  const Index copies = 2 + 4 * Index{threads};
  const Index probes =
      request.seeds * std::max<Index>(request.size_count, std::ssize(request.sizes));
  const Index judged =
      request.validation_inputs.empty()
          ? static_cast<Index>(request.validation_share * static_cast<double>(rows.rows()))
          : 0;
  const Index needed = copies * Index{sizeof(double)} * rows.rows() * rows.cols() +
                       probes * judged * Index{sizeof(float) + 1} +
                       draws * Index{sizeof(double)} * std::min(units, rows.rows());
  const Index limit = request.memory_limit;
  require_memory(rows.where(), fmt::format("probing on {} threads", threads), needed, limit,
                 "lower `threads`");
}

LoadedRows load_rows(ThreadPool& pool, const Model& files, const Targets& targets,
                     const CurveRequest& request) {
  const Rows rows = open_rows(files);
  require_matching(*rows, targets);
  require_probe_memory(*rows, pool.threads(), request);
  return {read_samples(pool, *rows), rows->digests()};
}

// Codes of the groups whose rows stay together; empty where there are none.
std::vector<Label> read_groups(const CurveRequest& request, const Targets& targets) {
  if (request.groups.empty() && !request.group_ids) return {};
  const Targets groups = request.group_ids ? *request.group_ids : load_targets(request.groups);
  if (groups.kind != TargetKind::classes || groups.rows() != targets.rows()) {
    fail_input(
        fmt::format("{}: expected {} group ids (integers or text), one per row, got {} {}",
                    groups.where, targets.rows(), groups.rows(),
                    groups.kind == TargetKind::classes ? "ids" : "numbers that are not ids"));
  }
  return groups.labels;
}

// Learners stand among the models by their names alone.
ModelList with_learners(const CurveRequest& request) {
  const bool learners_only =
      !request.learners.empty() && request.hub.models.empty() && request.inputs.empty();
  ModelList models =
      learners_only ? ModelList{} : models_from(request.hub, request.inputs, request.labels);
  for (const auto& [name, learner] : request.learners) {
    if (std::ranges::find(models.models, name, &Model::name) != models.models.end())
      fail_input(fmt::format("two models are called '{}'; rename one", name));
    models.models.push_back({name, {}, {}});
  }
  std::ranges::stable_sort(models.models, {}, &Model::name);
  return models;
}

}  // namespace

CurveData::CurveData(const CurveRequest& request)
    : request_(request),
      models_(with_learners(request)),
      targets_(targets_from(request.hub, request.labels)),
      groups_(read_groups(request, targets_)) {
  require_single_target(targets_, "a loss-data curve");
  own_validation_ = request.validation_hub.targets || !request.validation_inputs.empty();
  split_rows();
  if (!own_validation_) return;
  if (!request.validation_hub.models.empty() || !request.validation_inputs.empty()) {
    validation_models_ =
        models_from(request.validation_hub, request.validation_inputs, request.validation_labels);
  }
  validation_targets_ =
      recoded(targets_from(request.validation_hub, request.validation_labels), targets_);
}

void CurveData::split_rows() {
  train_rows_ = targets_.rows();
  for (Index seed = 0; seed < request_.seeds; ++seed) {
    if (own_validation_) {
      Split whole;
      whole.train.resize(static_cast<std::size_t>(targets_.rows()));
      std::iota(whole.train.begin(), whole.train.end(), 0);
      splits_.push_back(std::move(whole));
      continue;
    }
    const std::uint64_t own =
        mixed_seed(request_.seed, kSplitSeed, static_cast<std::uint64_t>(seed));
    splits_.push_back(groups_.empty() ? validation_split(targets_, request_.validation_share, own)
                                      : grouped_split(groups_, request_.validation_share, own));
    const Split& split = splits_.back();
    if (split.train.empty() || split.held_out.empty()) {
      fail_input(fmt::format("{}: too few {} to split into training and validation", targets_.where,
                             groups_.empty() ? "rows" : "groups"));
    }
    train_rows_ = std::min<Index>(train_rows_, std::ssize(split.train));
  }
}

Index CurveData::validation_rows() const {
  return own_validation_ ? validation_targets_.rows() : targets_.rows() - train_rows_;
}

Index CurveData::group_count() const {
  return groups_.empty() ? 0 : Index{*std::ranges::max_element(groups_)} + 1;
}

Index CurveData::classes() const {
  return targets_.kind == TargetKind::classes ? targets_.columns() : 0;
}

double CurveData::entropy() const {
  const Targets& judged = own_validation_ ? validation_targets_ : targets_;
  std::vector<double> counts(judged.names.size(), 0.0);
  for (const Label label : judged.labels) counts[static_cast<std::size_t>(label)] += 1.0;
  double entropy = 0.0;
  for (const double count : counts) {
    const double share = count / static_cast<double>(judged.labels.size());
    if (share > 0.0) entropy -= share * std::log(share);
  }
  return entropy;
}

double CurveData::chance(LossKind loss) const {
  if (loss != LossKind::mse) return chance_level(loss, classes());
  const Matrix& values = targets_.values;
  return (values.rowwise() - values.colwise().mean()).squaredNorm() /
         static_cast<double>(values.size());
}

std::vector<Index> CurveData::order(Index seed) const {
  const std::uint64_t own = mixed_seed(request_.seed, kOrderSeed, static_cast<std::uint64_t>(seed));
  return groups_.empty() ? training_order(targets_, split(seed).train, own)
                         : grouped_order(groups_, split(seed).train, own);
}

CurveFeatures CurveData::load_model(ThreadPool& pool, const Model& files, Standard standard,
                                    bool in_float) const {
  LoadedRows all = load_rows(pool, files, targets_, request_);
  CurveFeatures out;
  out.digests = std::move(all.digests);
  ProbeData& data = out.data;
  data.train = std::move(all.samples);
  data.train_labels = targets_.labels;
  data.train_values = targets_.values;
  data.classes = classes();
  data.groups = groups_;
  if (own_validation_) {
    LoadedRows rows = load_rows(pool, same_model_in(models_, files, validation_models_),
                                validation_targets_, request_);
    if (rows.samples.rows() != data.train.rows()) {
      fail_input(fmt::format("{}: {} dimensions to train on, {} to validate", files.name,
                             data.train.rows(), rows.samples.rows()));
    }
    data.validation = std::move(rows.samples);
    data.validation_labels = validation_targets_.labels;
    data.validation_values = validation_targets_.values;
    out.digests.insert(out.digests.end(), rows.digests.begin(), rows.digests.end());
  }
  const Standardizer standardizer =
      standard == Standard::all ? fit_standardizer(data.train)
      : own_validation_         ? fit_standardizer(data.validation)
                        : fit_standardizer(data.train(Eigen::all, split(0).held_out).eval());
  standardizer.apply(data.train);
  if (own_validation_) standardizer.apply(data.validation);
  if (in_float) data.train_float = data.train.cast<float>();
  return out;
}

}  // namespace assay
