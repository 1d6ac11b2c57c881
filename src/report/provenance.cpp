#include "report/provenance.h"

#include <chrono>
#include <ctime>

#include "assay/version.h"

namespace assay {

nlohmann::ordered_json provenance_json(const Provenance& provenance,
                                       const std::vector<FileDigest>& inputs) {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  nlohmann::ordered_json digests = nlohmann::ordered_json::object();
  for (const FileDigest& input : inputs) digests[input.file.string()] = input.digest;
  return {{"version", kVersion},
          {"command", provenance.command},
          {"seed", provenance.seed},
          {"threads", provenance.threads},
          {"time", text},
          {"seconds", provenance.seconds},
          {"inputs", digests}};
}

}  // namespace assay
