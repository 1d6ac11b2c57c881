#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace assay::cli {

// What a user may set once for all runs: nothing here changes a number of a result.
struct SettingDescription {
  std::string name;
  std::string summary;
};
const std::vector<SettingDescription>& known_settings();

// Where settings are read from: $ASSAY_CONFIG, else $XDG_CONFIG_HOME/assay/config, else
// ~/.config/assay/config; never the current folder, which may be somebody else's. Empty when none
// of these is known.
std::filesystem::path settings_file();

// The lines `name = value` of that file; empty when there is no such file, unless $ASSAY_CONFIG
// names it. Throws Error for a name that is none, or a file that cannot be read.
std::map<std::string, std::string> read_settings(const std::filesystem::path& file);

// Where a value in force comes from.
struct Setting {
  std::string name;
  std::string value;
  std::string source;  // "option", "environment", "file" or "default"
};

}  // namespace assay::cli
