#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "extract/check_networks.h"
#include "report/screen.h"

namespace assay {

std::string hub_check_table(const HubCheck& check, const Screen& screen = {});
nlohmann::ordered_json hub_check_json(const HubCheck& check);

}  // namespace assay
