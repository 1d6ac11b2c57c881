#pragma once

#include <memory>
#include <string>
#include <vector>

#include "assay/work_share.h"
#include "common.h"

namespace assay::cli {

// Who does this command's work: null for this process alone, a part under --part. Throws Error for
// commands whose work does not fall into units, and when nothing says where the part goes.
// `command`: "prior score".
std::unique_ptr<WorkShare> open_share(const GlobalOptions& global, const std::string& command);

// Whether requests of the command take a WorkShare.
bool is_shared(const std::string& command);

// For forms of a command that cannot be shared out, before any work: Error under --part, saying
// why and what to do. Under a launcher rank 0 does all of it, and the others end here.
void refuse_part(const GlobalOptions& global, const std::string& why);
inline constexpr const char* kRunNetworksFirst =
    "run the networks in parts first (`assay extract --out`), then share out the work on what they "
    "wrote";

// The words of a command line without those options and their values (--name VALUE, --name=VALUE).
std::vector<std::string> without_options(const std::vector<std::string>& words,
                                         const std::vector<std::string>& names);

}  // namespace assay::cli
