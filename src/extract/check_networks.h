#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/network.h"
#include "assay/progress.h"

namespace assay {

// What one network says of itself and what it turned out to be.
struct CheckedNetwork {
  NetworkDescription description;
  double megabytes = 0.0;            // of its file, 10^6 bytes
  std::optional<Index> feature_dim;  // found by a forward pass; none: not run
  std::optional<Index> classes;      // 0: no source logits
  double seconds = 0.0;              // one image alone on one thread, the best of a few passes
  std::vector<std::string> layers;   // outputs beside features and logits
  std::string error;                 // empty: usable
  bool skipped = false;              // not run: its plug-in is not there
};

struct HubCheck {
  std::vector<CheckedNetwork> networks;  // by name
  std::vector<FailedNetwork> failed;     // entries of hub.json that could not be read
  std::vector<std::string> notes;

  bool all_good() const;
  bool any_usable() const;  // at least one network ran
};

// Opens every network of the hubs and files named and runs one grey image of its input size through
// it. File, SHA-256 (where given), dimension and classes must be as described; what is not counts
// against that network alone. Networks whose plug-in is missing are skipped with a note.
// Throws Error when there is no network at all.
HubCheck check_hub(const std::vector<std::filesystem::path>& inputs,
                   const ProgressCallback& progress);

}  // namespace assay
