#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "assay/robust.h"
#include "report/screen.h"

namespace assay {

// One row per network and epsilon trained against, means over seeds.
std::string robust_probe_table(const RobustProbeResult& result, const Screen& screen = {});

nlohmann::ordered_json robust_probe_json(const RobustProbeResult& result);

}  // namespace assay
