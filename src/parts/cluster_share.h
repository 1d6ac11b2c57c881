#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "assay/work_share.h"
#include "parts/launcher.h"

namespace assay {

// The share of one rank: every rank computes its units; rank 0 gathers them and goes on, the others
// end. A later list is rank 0's alone.
class ClusterShare : public WorkShare {
 public:
  explicit ClusterShare(const Cluster& cluster) : cluster_(cluster) {}

  bool leads() const { return cluster_.place.rank == 0; }

  void begin(const WorkList& list) override { list_ = list; }
  bool computes(Index unit) const override;
  void keep(Index unit, UnitOutcome outcome) override;
  void complete() override;
  std::optional<UnitOutcome> outcome(Index unit) const override;
  void alone() override;

  // Rank 0 throws this message in complete().
  void failed(const std::string& message) override;

 private:
  void gather(const std::string& mine);

  Cluster cluster_;
  WorkList list_;
  bool gathered_ = false;
  std::map<Index, UnitOutcome> outcomes_;
  std::mutex mutex_;
};

}  // namespace assay
