#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "assay/curve.h"
#include "assay/thread_pool.h"
#include "curve/curve_data.h"
#include "curve/probes.h"

namespace assay {

struct FinishedProbe {
  Index seed = 0;
  Index n = 0;
  ProbeOutcome outcome = {};
};

// Runs the probes of a hub's models: one per task, journalled as they finish.
class CurveProbes {
 public:
  CurveProbes(ThreadPool& pool, const CurveRequest& request, const ProbeSettings& probe,
              const CurveData& data);

  // Every seed at these sizes, from the journal where they are there; `listen` is told the share
  // that is done, by one thread at a time.
  std::vector<FinishedProbe> run(const CurveFeatures& features, std::span<const Index> sizes,
                                 const std::function<void(double share)>& listen);

  // The same with a learner of the caller's own, one task after another and without a journal.
  std::vector<FinishedProbe> run(const Learner& learner, const std::string& name,
                                 std::span<const Index> sizes,
                                 const std::function<void(double share)>& listen);

  // One per seed, row numbers: to train on, and to judge by (empty with rows of their own).
  const std::vector<std::vector<Index>>& orders() const { return orders_; }
  const std::vector<std::vector<Index>>& held_out() const { return held_out_; }
  bool seeded() const { return probe_.kind == ProbeKind::mlp; }
  Index probes() const { return probes_; }    // so far
  Index resumed() const { return resumed_; }  // of them found in the journal
  const std::string& journal_problem() const { return journal_problem_; }  // empty: none

 private:
  bool repeats(const FinishedProbe& probe) const;
  ProbeOutcome train(const ProbeData& data, const FinishedProbe& probe) const;
  double cost_of(Index n) const;
  std::vector<FinishedProbe> planned(std::span<const Index> sizes) const;

  ThreadPool& pool_;
  const CurveRequest& request_;
  ProbeSettings probe_;
  const CurveData& data_;
  Index train_rows_;
  std::vector<std::vector<Index>> orders_;
  std::vector<std::vector<Index>> held_out_;
  Index probes_ = 0;
  Index resumed_ = 0;
  std::string journal_problem_;
};

}  // namespace assay
