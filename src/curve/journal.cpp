#include "curve/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "assay/digest.h"
#include "assay/error.h"
#include "io/base64.h"
#include "io/mapped_file.h"
#include "io/sealed_json.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

// Numbers of every row as text: their bytes, in the machine's own order, base 64. Nothing is
// written where there are none.
template <typename T>
void pack_text(Json& json, const char* key, const std::vector<T>& values) {
  if (!values.empty()) json[key] = to_base64(std::as_bytes(std::span(values)));
}

template <typename T>
bool unpack_text(const Json& json, const char* key, std::vector<T>& values) {
  if (!json.contains(key)) return true;
  if (!json[key].is_string()) return false;
  const std::optional<std::vector<std::byte>> bytes = from_base64(json[key].get<std::string>());
  if (!bytes || bytes->size() % sizeof(T) != 0) return false;
  values.resize(bytes->size() / sizeof(T));
  std::memcpy(values.data(), bytes->data(), bytes->size());
  return true;
}

// Nothing for lines cut short or damaged, the description, or anything that is no probe.
std::optional<std::pair<std::pair<Index, Index>, ProbeOutcome>> probe_in(
    std::string_view line, const std::string& cache_key) {
  const std::optional<Json> unsealed = unsealed_json(line, cache_key);
  if (!unsealed) return std::nullopt;
  const Json& json = *unsealed;
  for (const char* key : {"seed", "n", "updates"}) {
    if (!json.contains(key) || !json[key].is_number_integer()) return std::nullopt;
  }
  if (!json.contains("loss") || !json["loss"].is_number() || !json.contains("accuracy") ||
      !json.contains("converged") || !json["converged"].is_boolean())
    return std::nullopt;
  ProbeOutcome outcome{
      .loss = json["loss"], .updates = json["updates"], .converged = json["converged"]};
  if (json["accuracy"].is_number()) outcome.accuracy = json["accuracy"].get<double>();
  if (json.contains("l2") && json["l2"].is_number()) outcome.l2 = json["l2"].get<double>();
  if (!unpack_text(json, "rows", outcome.row_losses) ||
      !unpack_text(json, "right", outcome.row_right))
    return std::nullopt;
  return {{{json["seed"], json["n"]}, outcome}};
}

}  // namespace

std::string CurveJournal::file_name(const std::string& cache_key) {
  Digest digest;
  digest.update(std::as_bytes(std::span(cache_key)));
  const std::string hex = digest.hex();
  return hex.substr(hex.find(':') + 1) + ".jsonl";
}

CurveJournal::CurveJournal(const std::filesystem::path& directory, const std::string& cache_key)
    : cache_key_(cache_key) {
  if (directory.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(directory, ignored);
  path_ = directory / file_name(cache_key);
  const bool fresh = !std::filesystem::exists(path_, ignored);
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (descriptor_ < 0) fail_system(path_.string(), "write the journal");
  read(path_);
  if (fresh) append(Json{{"journal_of", cache_key}}.dump());
  if (descriptor_ < 0) return;
  // A run that was killed may have left half a line; ours begin on a new one.
  char last = '\n';
  const off_t size = ::lseek(descriptor_, 0, SEEK_END);
  if (size > 0 && ::pread(descriptor_, &last, 1, size - 1) == 1 && last != '\n') append("");
}

CurveJournal::~CurveJournal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void CurveJournal::read(const std::filesystem::path& path) {
  const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  for (std::string_view rest = file->text(); !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (const auto probe = probe_in(rest.substr(0, end), cache_key_)) finished_.insert(*probe);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void CurveJournal::append(const std::string& line) {
  const std::string text = line + "\n";
  if (::write(descriptor_, text.data(), text.size()) == std::ssize(text)) return;
  problem_ = fmt::format("{}: cannot write the journal: {}; an interrupted run would start again",
                         path_.string(), std::generic_category().message(errno));
  ::close(std::exchange(descriptor_, -1));
}

std::string CurveJournal::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

std::optional<ProbeOutcome> CurveJournal::find(Index seed, Index n) const {
  const auto found = finished_.find({seed, n});
  return found == finished_.end() ? std::nullopt : std::optional(found->second);
}

void CurveJournal::add(Index seed, Index n, const ProbeOutcome& outcome) {
  Json json = {{"seed", seed},
               {"n", n},
               {"loss", outcome.loss},
               {"accuracy", nullptr},
               {"updates", outcome.updates},
               {"converged", outcome.converged}};
  if (outcome.accuracy) json["accuracy"] = *outcome.accuracy;
  if (outcome.l2) json["l2"] = *outcome.l2;
  pack_text(json, "rows", outcome.row_losses);
  pack_text(json, "right", outcome.row_right);
  const std::lock_guard lock(mutex_);
  if (descriptor_ >= 0) append(sealed_json(std::move(json), cache_key_));
}

}  // namespace assay
