#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "parts/part_file.h"

namespace assay {

// The share of one part: computes every Nth unit of the first list, hands the part over and ends.
class PartShare : public WorkShare {
 public:
  // `blank` says everything but the list and its outcomes; `write` gets the whole.
  PartShare(PartFile blank, std::function<void(const PartFile&)> write);

  void begin(const WorkList& list) override;
  bool computes(Index unit) const override { return part_.number.has(unit); }
  void keep(Index unit, UnitOutcome outcome) override;
  void complete() override;  // always throws ShareDone
  std::optional<UnitOutcome> outcome(Index unit) const override;

 private:
  PartFile part_;
  std::function<void(const PartFile&)> write_;
  std::mutex mutex_;
};

}  // namespace assay
