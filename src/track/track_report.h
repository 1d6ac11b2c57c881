#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "assay/track.h"
#include "report/screen.h"

namespace assay {

std::string track_table(const TrackResult& result, const Screen& screen = {});
std::string track_verdict(const TrackResult& result);
nlohmann::ordered_json track_json(const TrackResult& result);

// One checkpoint, as in the JSON of all: what streaming callers are told.
nlohmann::ordered_json checkpoint_json(const TrackResult& result, const Checkpoint& checkpoint);

}  // namespace assay
