#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/error.h"
#include "assay/work_share.h"
#include "parts/archive.h"

namespace assay {

// The units of a list with their results, whoever computes them:
//
//     SharedUnits<Result> units(request.share, list);
//     for each unit i: units.run(i, [&] { return compute(i); });   // nothing where others do it
//     units.complete();
//     for each unit i: use(units.take(i));                          // throws what compute threw
//
// One process alone passes null and keeps results as they are. `Result` has fields() (archive.h)
// and a default value.
template <class Result>
class SharedUnits {
 public:
  SharedUnits(WorkShare* share, const WorkList& list) : share_(share), results_(list.units.size()) {
    if (share_ != nullptr) share_->begin(list);
    for (Index unit = 0; unit < std::ssize(results_); ++unit) {
      Kept& kept = results_[static_cast<std::size_t>(unit)];
      kept.mine = share_ == nullptr || share_->computes(unit);
      count_ += kept.mine ? 1 : 0;
    }
  }

  // Settled once: a share whose work is gathered computes all of what follows.
  bool mine(Index unit) const { return results_[static_cast<std::size_t>(unit)].mine; }

  // How many units are computed here.
  Index count() const { return count_; }

  // Units may run side by side. An Error of `compute` is the unit's outcome.
  template <class Compute>
  void run(Index unit, const Compute& compute) {
    if (!mine(unit)) return;
    Kept& kept = results_[static_cast<std::size_t>(unit)];
    try {
      kept.result.emplace(compute());
    } catch (const Error& error) {
      kept.error = error;
    }
    if (share_ == nullptr) return;
    share_->keep(unit, kept.result ? UnitOutcome{packed(*kept.result), {}}
                                   : UnitOutcome{{}, kept.error->what()});
  }

  void complete() {
    if (share_ != nullptr) share_->complete();
  }

  // Once for every unit.
  Result take(Index unit) {
    Kept& kept = results_[static_cast<std::size_t>(unit)];
    if (kept.result) return std::move(*kept.result);
    if (kept.error) throw Error(*kept.error);
    const std::optional<UnitOutcome> outcome = share_->outcome(unit);
    if (!outcome) fail_input("it belongs to a part that is missing");
    if (!outcome->error.empty()) fail_input(outcome->error);
    return unpacked<Result>(outcome->bytes);
  }

 private:
  struct Kept {
    bool mine = false;
    std::optional<Result> result = {};
    std::optional<Error> error = {};
  };
  WorkShare* share_;
  std::vector<Kept> results_;
  Index count_ = 0;
};

}  // namespace assay
