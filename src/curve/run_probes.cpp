#include "curve/run_probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/version.h"
#include "core/random.h"
#include "curve/journal.h"

namespace assay {
namespace {

// Of the labels themselves, wherever they come from.
std::string digest_of(const Targets& targets) {
  Digest digest;
  for (const std::string& name : targets.names) {
    digest.update(std::as_bytes(std::span(name)));
    digest.update(std::as_bytes(std::span("\n", 1)));
  }
  digest.update(std::as_bytes(std::span(targets.labels)));
  digest.update(std::as_bytes(
      std::span(targets.values.data(), static_cast<std::size_t>(targets.values.size()))));
  return digest.hex();
}

// All that a probe of a model depends on beside its seed and size.
std::string cache_key_of(const CurveRequest& request, const ProbeSettings& probe,
                         const CurveData& data, const std::vector<FileDigest>& digests) {
  nlohmann::ordered_json json = {{"version", kVersion},
                                 {"probe", probe_name(probe.kind)},
                                 {"seed", request.seed},
                                 {"labels", digest_of(data.targets())}};
  for (const FileDigest& file : digests) json["features"].push_back(file.digest);
  if (data.has_own_validation()) {
    json["validation_labels"] = digest_of(data.validation_targets());
  } else {
    json["validation_share"] = request.validation_share;
    json["split"] = "of each seed";
  }
  if (!data.groups().empty()) {
    Digest digest;
    digest.update(std::as_bytes(std::span(data.groups())));
    json["groups"] = digest.hex();
  }
  if (probe.kind == ProbeKind::mlp) {
    const MlpOptions& mlp = probe.mlp;
    json["mlp"] = {{"hidden", mlp.hidden},
                   {"rate", mlp.adam.rate},
                   {"batch", mlp.batch},
                   {"updates", mlp.updates},
                   {"stop_loss", mlp.stop_loss}};
  } else {
    json["l2"] = probe.l2 ? nlohmann::ordered_json(*probe.l2) : nlohmann::ordered_json("auto");
  }
  return json.dump();
}

void require_outcome(const std::string& name, const FinishedProbe& probe, bool accuracy) {
  const std::string task = fmt::format("learner '{}', {} rows, seed {}", name, probe.n, probe.seed);
  if (!std::isfinite(probe.outcome.loss))
    fail_input(
        fmt::format("{}: the loss is {}; a finite number is expected", task, probe.outcome.loss));
  const double share = probe.outcome.accuracy.value_or(accuracy ? -1.0 : 0.0);
  if (share >= 0.0 && share <= 1.0) return;
  fail_input(
      probe.outcome.accuracy
          ? fmt::format("{}: the accuracy is {}; a share between 0 and 1 is expected", task, share)
          : fmt::format("{}: what is asked needs the accuracy beside the loss", task));
}

}  // namespace

CurveProbes::CurveProbes(ThreadPool& pool, const CurveRequest& request, const ProbeSettings& probe,
                         const CurveData& data)
    : pool_(pool), request_(request), probe_(probe), data_(data), train_rows_(data.train_rows()) {
  for (Index seed = 0; seed < request.seeds; ++seed) {
    orders_.push_back(data.order(seed));
    held_out_.push_back(data.split(seed).held_out);
  }
}

// With all rows, the same to judge by and nothing random about the probe, the first seed's stands
// for all.
bool CurveProbes::repeats(const FinishedProbe& probe) const {
  return data_.has_own_validation() && !seeded() && probe.n == train_rows_ && probe.seed > 0;
}

ProbeOutcome CurveProbes::train(const ProbeData& data, const FinishedProbe& probe) const {
  const std::span<const Index> order = orders_[static_cast<std::size_t>(probe.seed)];
  const std::uint64_t number =
      (static_cast<std::uint64_t>(probe.seed) << 40U) + static_cast<std::uint64_t>(probe.n);
  return run_probe(pool_, data, order.first(static_cast<std::size_t>(probe.n)), probe_,
                   mixed_seed(request_.seed, kProbeSeed, number),
                   held_out_[static_cast<std::size_t>(probe.seed)]);
}

// About what a probe takes, for the progress line.
double CurveProbes::cost_of(Index n) const {
  return seeded() ? static_cast<double>(std::min(n, request_.mlp.batch)) + 60.0
                  : static_cast<double>(n) + 30.0;
}

std::vector<FinishedProbe> CurveProbes::planned(std::span<const Index> sizes) const {
  std::vector<FinishedProbe> all;
  for (Index seed = 0; seed < request_.seeds; ++seed) {
    for (const Index n : sizes) all.push_back({seed, n});
  }
  return all;
}

std::vector<FinishedProbe> CurveProbes::run(const Learner& learner, const std::string& name,
                                            std::span<const Index> sizes,
                                            const std::function<void(double share)>& listen) {
  std::vector<Index> own_rows(static_cast<std::size_t>(data_.validation_rows()));
  std::iota(own_rows.begin(), own_rows.end(), 0);
  std::vector<FinishedProbe> all = planned(sizes);
  double done = 0.0;
  for (FinishedProbe& probe : all) {
    const auto seed = static_cast<std::size_t>(probe.seed);
    const std::span<const Index> train =
        std::span(orders_[seed]).first(static_cast<std::size_t>(probe.n));
    probe.outcome =
        learner({probe.seed, train, data_.has_own_validation() ? own_rows : held_out_[seed]});
    require_outcome(name, probe,
                    request_.loss == LossKind::zero_one || request_.target_accuracy.has_value());
    ++probes_;
    listen(++done / static_cast<double>(all.size()));
  }
  return all;
}

std::vector<FinishedProbe> CurveProbes::run(const CurveFeatures& features,
                                            std::span<const Index> sizes,
                                            const std::function<void(double share)>& listen) {
  CurveJournal journal(request_.journal,
                       request_.journal.empty()
                           ? std::string()
                           : cache_key_of(request_, probe_, data_, features.digests));
  std::vector<FinishedProbe> all = planned(sizes);
  std::vector<FinishedProbe*> open;
  double total = 0.0;
  for (FinishedProbe& probe : all) {
    if (repeats(probe)) continue;
    ++probes_;
    if (const auto known = journal.find(probe.seed, probe.n)) {
      probe.outcome = *known;
      ++resumed_;
      continue;
    }
    open.push_back(&probe);
    total += cost_of(probe.n);
  }
  // Large ones go first, so that the threads end together.
  std::ranges::stable_sort(open, std::greater<>{}, &FinishedProbe::n);
  std::mutex mutex;
  double done = 0.0;
  pool_.run(std::ssize(open), [&](Index task) {
    FinishedProbe& probe = *open[static_cast<std::size_t>(task)];
    probe.outcome = train(features.data, probe);
    journal.add(probe.seed, probe.n, probe.outcome);
    const std::lock_guard lock(mutex);
    done += cost_of(probe.n);
    listen(done / total);
  });
  if (journal_problem_.empty()) journal_problem_ = journal.problem();
  for (FinishedProbe& probe : all) {
    if (!repeats(probe)) continue;
    const auto first = std::ranges::find_if(
        all, [&](const FinishedProbe& other) { return other.n == probe.n && other.seed == 0; });
    probe.outcome = first->outcome;
  }
  return all;
}

}  // namespace assay
