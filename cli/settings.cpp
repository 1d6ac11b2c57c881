#include "settings.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "assay/error.h"
#include "core/text.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

fs::path folder_in(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? fs::path() : fs::path(value);
}

void require_known(const std::string& name, const fs::path& file) {
  std::vector<std::string> names;
  for (const SettingDescription& setting : known_settings()) names.push_back(setting.name);
  if (std::ranges::find(names, name) != names.end()) return;
  const std::string near = closest_match(name, names);
  fail_input(fmt::format("{}: unknown setting '{}'; {}", file.string(), name,
                         near.empty() ? "run `assay config` for those there are"
                                      : fmt::format("did you mean '{}'?", near)));
}

}  // namespace

const std::vector<SettingDescription>& known_settings() {
  static const std::vector<SettingDescription> settings = {
      {"threads", "threads to use"},
      {"memory-limit", "memory a run may use, such as 2GiB"},
      {"cache", "folder of cached features"}};
  return settings;
}

fs::path settings_file() {
  const fs::path chosen = folder_in("ASSAY_CONFIG");
  if (!chosen.empty()) return chosen;
  const fs::path settings = folder_in("XDG_CONFIG_HOME");
  if (!settings.empty()) return settings / "assay" / "config";
  const fs::path home = folder_in("HOME");
  return home.empty() ? fs::path() : home / ".config" / "assay" / "config";
}

std::map<std::string, std::string> read_settings(const fs::path& file) {
  std::map<std::string, std::string> out;
  std::error_code ignored;
  const bool named = !folder_in("ASSAY_CONFIG").empty();
  if (file.empty() || (!named && !fs::exists(file, ignored))) return out;
  if (!fs::is_regular_file(file, ignored))
    fail_input(
        fmt::format("{}: expected a file of settings, `name = value` on each line", file.string()));
  std::ifstream lines(file);
  if (!lines) fail_input(fmt::format("{}: cannot be read", file.string()));
  for (const CLI::ConfigItem& item : CLI::ConfigINI().from_config(lines)) {
    require_known(item.fullname(), file);
    if (item.inputs.size() != 1) {
      fail_input(fmt::format("{}: '{}' needs one value, as in `{} = VALUE`", file.string(),
                             item.name, item.name));
    }
    out[item.name] = item.inputs.front();
  }
  return out;
}

}  // namespace assay::cli
