#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/types.h"

namespace assay {

// Work of a command that falls into units which need nothing of each other: models, networks,
// temperatures. Every process that shares it makes the same list.
struct WorkList {
  std::string name;                // "rank": a command may have several, one after another
  std::vector<std::string> units;  // their names, for people
  std::string data;                // digest of what the units have in common, such as labels
};

// What came of a unit: its result as bytes (parts/archive.h), or why there is none.
struct UnitOutcome {
  std::string bytes;
  std::string error;  // empty: none
};

// Which units of a list this process computes, and where the outcomes of the others come from: a
// part computes its share and ends, a merge reads all shares, ranks of a launcher gather them.
// Requests hold a pointer to one; null means that one process does it all.
class WorkShare {
 public:
  virtual ~WorkShare() = default;

  // Once for every list, before anything else. Throws Error when others work on another list.
  virtual void begin(const WorkList& list) = 0;
  virtual bool computes(Index unit) const = 0;
  // Of a unit that this process computes. From any thread.
  virtual void keep(Index unit, UnitOutcome outcome) = 0;
  // When every unit of this process is kept. Throws ShareDone where another process goes on from
  // here, Error where outcomes cannot be had.
  virtual void complete() = 0;
  // Of a unit that another process computed, after complete(); nothing where that one is missing
  // and its absence is allowed.
  virtual std::optional<UnitOutcome> outcome(Index unit) const = 0;
  // Instead of a list: what follows cannot be shared out, and one process does all of it. Throws
  // ShareDone in the others.
  virtual void alone() {}
  // This process failed as a whole; for whoever waits for its units.
  virtual void failed(const std::string& /*message*/) {}
};

// Not an error: this process has done its share, and has nothing to show. Passes through whatever
// catches failures of single models.
struct ShareDone {
  std::vector<std::string> failed;  // lines about units that could not be computed
};

}  // namespace assay
