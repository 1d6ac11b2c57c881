#include "curve_probes.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>

#include "assay/core/version.h"
#include "assay/io/digest.h"
#include "curve_journal.h"

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
std::string identity(const CurveRequest& request, const ProbeSettings& probe,
                     const CurveSetup& setup, const std::vector<FileDigest>& digests) {
  nlohmann::ordered_json json = {{"version", kVersion},
                                 {"probe", probe_name(probe.kind)},
                                 {"seed", request.seed},
                                 {"labels", digest_of(setup.targets())}};
  for (const FileDigest& file : digests) json["features"].push_back(file.digest);
  if (setup.has_own_validation()) {
    json["validation_labels"] = digest_of(setup.validation_targets());
  } else {
    json["validation_share"] = request.validation_share;
  }
  if (probe.kind == ProbeKind::mlp) {
    const MlpOptions& mlp = probe.mlp;
    json["mlp"] = {{"hidden", mlp.hidden},
                   {"rate", mlp.adam.rate},
                   {"batch", mlp.batch},
                   {"updates", mlp.updates},
                   {"stop_loss", mlp.stop_loss}};
  } else {
    json["l2"] = probe.l2;
  }
  return json.dump();
}

}  // namespace

CurveProbes::CurveProbes(ThreadPool& pool, const CurveRequest& request, const ProbeSettings& probe,
                         const CurveSetup& setup)
    : pool_(pool),
      request_(request),
      probe_(probe),
      setup_(setup),
      train_rows_(setup.train_rows()) {
  for (Index seed = 0; seed < request.seeds; ++seed) orders_.push_back(setup.order(seed));
}

// With all rows and nothing random about the probe, the first seed's stands for all.
bool CurveProbes::repeats(const FinishedProbe& probe) const {
  return !seeded() && probe.n == train_rows_ && probe.seed > 0;
}

ProbeOutcome CurveProbes::train(const ProbeData& data, const FinishedProbe& probe) const {
  const std::span<const Index> order = orders_[static_cast<std::size_t>(probe.seed)];
  const std::uint64_t number =
      (static_cast<std::uint64_t>(probe.seed) << 40U) + static_cast<std::uint64_t>(probe.n);
  return run_probe(pool_, data, order.first(static_cast<std::size_t>(probe.n)), probe_,
                   mixed_seed(request_.seed, 3, number));
}

// About what a probe takes, for the progress line.
double CurveProbes::cost_of(Index n) const {
  return seeded() ? static_cast<double>(std::min(n, request_.mlp.batch)) + 60.0
                  : static_cast<double>(n) + 30.0;
}

std::vector<FinishedProbe> CurveProbes::run(const CurveFeatures& features,
                                            std::span<const Index> sizes,
                                            const std::function<void(double share)>& listen) {
  CurveJournal journal(request_.journal, identity(request_, probe_, setup_, features.digests));
  std::vector<FinishedProbe> all;
  for (Index seed = 0; seed < request_.seeds; ++seed) {
    for (const Index n : sizes) all.push_back({seed, n});
  }
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
  for (FinishedProbe& probe : all) {
    if (!repeats(probe)) continue;
    const auto first = std::ranges::find_if(
        all, [&](const FinishedProbe& other) { return other.n == probe.n && other.seed == 0; });
    probe.outcome = first->outcome;
  }
  return all;
}

}  // namespace assay
