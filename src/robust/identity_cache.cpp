#include "robust/identity_cache.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>

#include "assay/digest.h"
#include "assay/error.h"
#include "io/sealed_json.h"

namespace assay {
namespace {

using json = nlohmann::ordered_json;

// Raise it when the simulation gives other numbers than before.
constexpr int kSimulation = 1;

json key_of(const SynbenchSetting& setting) {
  json budgets = json::array();
  for (const Budget& budget : setting.budgets) {
    budgets.push_back(
        {budget.epsilon, budget.relative, static_cast<int>(budget.norm), budget.eigenbasis});
  }
  return {{"simulation", kSimulation},
          {"dim", setting.dim},
          {"train", setting.train},
          {"test", setting.test},
          {"scales", setting.scales},
          {"budgets", budgets},
          {"thresholds", setting.thresholds},
          {"class_prior", setting.class_prior},
          {"seed", setting.seed}};
}

std::filesystem::path file_of(const json& key, const std::filesystem::path& directory) {
  const std::string text = key.dump();
  Digest digest;
  digest.update(std::as_bytes(std::span(text)));
  const std::string hex = digest.hex();
  return directory / "robust" / fmt::format("identity-{}.json", hex.substr(hex.find(':') + 1));
}

std::optional<IdentityScore> score_of(const json& cell) {
  if (cell.is_null()) return std::nullopt;
  const IdentityScore out{cell.at(0).get<double>(), cell.at(1).get<double>(),
                          cell.at(2).get<double>()};
  for (const double number : {out.value, out.standard_error, out.spread})
    if (!std::isfinite(number) || number < 0.0) fail_input("not a score");
  return out;
}

std::optional<IdentityScores> read_scores(const std::filesystem::path& file, const json& key) {
  const std::optional<json> stored = read_sealed_json(file);
  if (!stored) return std::nullopt;
  try {
    if (stored->at("key") != key) return std::nullopt;
    const json& rows = stored->at("scores");
    IdentityScores out;
    for (const json& row : rows) {
      out.emplace_back();
      for (const json& cell : row) out.back().push_back(score_of(cell));
      if (out.back().size() != key.at("thresholds").size()) return std::nullopt;
    }
    if (out.size() != key.at("budgets").size()) return std::nullopt;
    return out;
  } catch (const std::exception&) {  // damaged: simulate again
    return std::nullopt;
  }
}

void write_scores(const std::filesystem::path& file, const json& key,
                  const IdentityScores& scores) {
  json rows = json::array();
  for (const auto& row : scores) {
    json cells = json::array();
    for (const auto& cell : row)
      cells.push_back(cell ? json{cell->value, cell->standard_error, cell->spread} : json());
    rows.push_back(std::move(cells));
  }
  std::filesystem::create_directories(file.parent_path());
  write_sealed_json(file, json{{"key", key}, {"scores", rows}});
}

}  // namespace

CachedIdentity cached_identity(ThreadPool& pool, const SynbenchSetting& setting,
                               const std::filesystem::path& directory) {
  if (directory.empty()) return {identity_scores(pool, setting), false, {}};
  const json key = key_of(setting);
  const std::filesystem::path file = file_of(key, directory);
  if (auto stored = read_scores(file, key)) return {std::move(*stored), true, {}};
  CachedIdentity out{identity_scores(pool, setting), false, {}};
  try {
    write_scores(file, key, out.scores);
  } catch (const std::exception& error) {  // Error or filesystem_error: the scores are good anyway
    out.note = fmt::format("the calibration is not kept for the next run: {}", error.what());
  }
  return out;
}

}  // namespace assay
