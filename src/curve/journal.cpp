#include "curve/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>

#include "assay/digest.h"
#include "assay/error.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

std::string file_name(const std::string& text) {
  Digest digest;
  digest.update(std::as_bytes(std::span(text)));
  const std::string hex = digest.hex();
  return hex.substr(hex.find(':') + 1) + ".jsonl";
}

// Nothing for lines cut short, the description, or anything that is no probe.
std::optional<std::pair<std::pair<Index, Index>, ProbeOutcome>> probe_in(const std::string& line) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  for (const char* key : {"seed", "n", "updates"}) {
    if (!json.contains(key) || !json[key].is_number_integer()) return std::nullopt;
  }
  if (!json.contains("loss") || !json["loss"].is_number() || !json.contains("accuracy") ||
      !json.contains("converged") || !json["converged"].is_boolean())
    return std::nullopt;
  ProbeOutcome outcome{
      .loss = json["loss"], .updates = json["updates"], .converged = json["converged"]};
  if (json["accuracy"].is_number()) outcome.accuracy = json["accuracy"].get<double>();
  return {{{json["seed"], json["n"]}, outcome}};
}

}  // namespace

CurveJournal::CurveJournal(const std::filesystem::path& directory,
                           const std::string& what_determines_it) {
  if (directory.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(directory, ignored);
  path_ = directory / file_name(what_determines_it);
  read(path_);
  const bool fresh = !std::filesystem::exists(path_);
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) fail_system(path_.string(), "write the journal");
  if (fresh) append(Json{{"journal_of", what_determines_it}}.dump());
  // A run that was killed may have left half a line; ours begin on a new one.
  char last = '\n';
  const off_t size = ::lseek(descriptor_, 0, SEEK_END);
  if (size > 0 && ::pread(descriptor_, &last, 1, size - 1) == 1 && last != '\n') append("");
}

CurveJournal::~CurveJournal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void CurveJournal::read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    if (const auto probe = probe_in(line)) finished_.insert(*probe);
  }
}

void CurveJournal::append(const std::string& line) const {
  const std::string text = line + "\n";
  if (::write(descriptor_, text.data(), text.size()) != std::ssize(text))
    fail_system(path_.string(), "write the journal");
}

std::optional<ProbeOutcome> CurveJournal::find(Index seed, Index n) const {
  const auto found = finished_.find({seed, n});
  return found == finished_.end() ? std::nullopt : std::optional(found->second);
}

void CurveJournal::add(Index seed, Index n, const ProbeOutcome& outcome) {
  if (descriptor_ < 0) return;
  Json json = {{"seed", seed},
               {"n", n},
               {"loss", outcome.loss},
               {"accuracy", nullptr},
               {"updates", outcome.updates},
               {"converged", outcome.converged}};
  if (outcome.accuracy) json["accuracy"] = *outcome.accuracy;
  const std::lock_guard lock(mutex_);
  append(json.dump());
}

}  // namespace assay
