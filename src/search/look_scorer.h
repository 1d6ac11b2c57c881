#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "assay/rows.h"
#include "assay/thread_pool.h"
#include "rank/rank_plan.h"
#include "search/race.h"

namespace assay {

// Scores the beginnings of a race's order by one metric. Classes of which a beginning has no row do
// not exist there.
class LookScorer {
 public:
  // `plan`: of all samples, with the one metric. Both must outlive the scorer.
  LookScorer(ThreadPool& pool, const RankPlan& plan, std::vector<Index> order);

  const std::vector<Index>& order() const { return order_; }

  // `rows`: those of rows_of_look, in its order. May be called from several threads.
  Sighting score(const std::string& name, Rows rows, const std::vector<Index>& looks);

 private:
  const RankPlan& plan_of(const std::vector<Index>& looks);

  ThreadPool& pool_;
  const RankPlan& plan_;
  std::vector<Index> order_;
  std::mutex mutex_;
  std::map<Index, std::unique_ptr<RankPlan>> plans_;  // by the number of samples
};

}  // namespace assay
