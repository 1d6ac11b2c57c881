#include "curve/curve_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "assay/error.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/text.h"
#include "curve/measures.h"
#include "data/check_targets.h"
#include "data/read_samples.h"
#include "data/subset.h"
#include "hub/hub_or_files.h"
#include "hub/open_rows.h"
#include "learn/standardize.h"

namespace assay {
namespace {

struct LoadedRows {
  Matrix samples;  // D x n
  std::vector<FileDigest> digests;
};

// All rows, their two parts, and what probes on all threads copy of them.
void require_probe_memory(const RowSource& rows, int threads, Index limit) {
  const Index copies = 3 + 4 * Index{threads};
  const Index needed = copies * Index{sizeof(double)} * rows.rows() * rows.cols();
  require_memory(rows.where(), fmt::format("probing on {} threads", threads), needed, limit,
                 "lower `threads`");
}

LoadedRows load_rows(ThreadPool& pool, const Model& files, const Targets& targets,
                     Index memory_limit) {
  const Rows rows = open_rows(files);
  require_matching(*rows, targets);
  require_probe_memory(*rows, pool.threads(), memory_limit);
  return {read_samples(pool, *rows), rows->digests()};
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
      targets_(targets_from(request.hub, request.labels)) {
  require_single_target(targets_, "a loss-data curve");
  own_validation_ = request.validation_hub.targets || !request.validation_inputs.empty();
  if (!own_validation_) {
    split_ = validation_split(targets_, request.validation_share,
                              mixed_seed(request.seed, kSplitSeed, 0));
    if (split_.train.empty() || split_.held_out.empty())
      fail_input(
          fmt::format("{}: too few rows to split into training and validation", targets_.where));
    return;
  }
  if (!request.validation_hub.models.empty() || !request.validation_inputs.empty()) {
    validation_models_ =
        models_from(request.validation_hub, request.validation_inputs, request.validation_labels);
  }
  validation_targets_ =
      recoded(targets_from(request.validation_hub, request.validation_labels), targets_);
  split_.train.resize(static_cast<std::size_t>(targets_.rows()));
  std::iota(split_.train.begin(), split_.train.end(), 0);
}

Index CurveData::validation_rows() const {
  return own_validation_ ? validation_targets_.rows() : std::ssize(split_.held_out);
}

Index CurveData::classes() const {
  return targets_.kind == TargetKind::classes ? targets_.columns() : 0;
}

double CurveData::entropy() const {
  const Targets part =
      own_validation_ ? validation_targets_ : targets_of_rows(targets_, split_.held_out);
  std::vector<double> counts(part.names.size(), 0.0);
  for (const Label label : part.labels) counts[static_cast<std::size_t>(label)] += 1.0;
  double entropy = 0.0;
  for (const double count : counts) {
    const double share = count / static_cast<double>(part.labels.size());
    if (share > 0.0) entropy -= share * std::log(share);
  }
  return entropy;
}

double CurveData::chance(LossKind loss) const {
  if (loss != LossKind::mse) return chance_level(loss, classes());
  const Matrix values = targets_.values(split_.train, Eigen::all);
  return (values.rowwise() - values.colwise().mean()).squaredNorm() /
         static_cast<double>(values.size());
}

std::vector<Index> CurveData::order(Index seed) const {
  std::vector<Index> order =
      training_order(targets_, split_.train,
                     mixed_seed(request_.seed, kOrderSeed, static_cast<std::uint64_t>(seed)));
  std::vector<Index> position(static_cast<std::size_t>(targets_.rows()), 0);
  for (std::size_t i = 0; i < split_.train.size(); ++i)
    position[static_cast<std::size_t>(split_.train[i])] = static_cast<Index>(i);
  for (Index& row : order) row = position[static_cast<std::size_t>(row)];
  return order;
}

CurveFeatures CurveData::load_model(ThreadPool& pool, const Model& files, Standard standard,
                                    bool in_float) const {
  LoadedRows all = load_rows(pool, files, targets_, request_.memory_limit);
  CurveFeatures out;
  out.digests = std::move(all.digests);
  ProbeData& data = out.data;
  data.train = all.samples(Eigen::all, split_.train);
  if (own_validation_) {
    LoadedRows rows = load_rows(pool, same_model_in(models_, files, validation_models_),
                                validation_targets_, request_.memory_limit);
    if (rows.samples.rows() != data.train.rows()) {
      fail_input(fmt::format("{}: {} dimensions to train on, {} to validate", files.name,
                             data.train.rows(), rows.samples.rows()));
    }
    data.validation = std::move(rows.samples);
    out.digests.insert(out.digests.end(), rows.digests.begin(), rows.digests.end());
  } else {
    data.validation = all.samples(Eigen::all, split_.held_out);
  }
  all.samples.resize(0, 0);
  const Targets train = targets_of_rows(targets_, split_.train);
  const Targets validation =
      own_validation_ ? validation_targets_ : targets_of_rows(targets_, split_.held_out);
  data.classes = classes();
  data.train_labels = train.labels;
  data.validation_labels = validation.labels;
  data.train_values = train.values;
  data.validation_values = validation.values;
  const Standardizer standardizer =
      fit_standardizer(standard == Standard::training ? data.train : data.validation);
  standardizer.apply(data.train);
  standardizer.apply(data.validation);
  if (in_float) data.train_float = data.train.cast<float>();
  return out;
}

}  // namespace assay
