#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assay/digest.h"
#include "assay/hub.h"
#include "assay/thread_pool.h"
#include "common.h"
#include "core/clock.h"

namespace assay::cli {

// What a command has to say when its table is printed.
struct Outcome {
  nlohmann::ordered_json json;
  std::vector<std::string> notes = {};
  std::vector<FailedModel> failed = {};
  std::vector<FileDigest> inputs = {};
  std::filesystem::path html = {};  // empty: no page
};

// The end of every command: notes and failures on stderr, then JSON with its provenance and the
// page where they were asked for. `started`: monotonic_seconds() when the command began.
Exit finish(const GlobalOptions& global, const ThreadPool& pool, double started, Outcome outcome);

// Lines on stderr for models that were left out; not even --quiet hides them.
void print_failed(const GlobalOptions& global, const std::vector<FailedModel>& failed);

}  // namespace assay::cli
