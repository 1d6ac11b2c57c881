#include "command_tree.h"

#include <algorithm>

#include "assay/metric.h"
#include "core/text.h"

namespace assay::cli {
namespace {

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

// "auto|yes|no" lists all values there are; "DIR|FILE" are words for something else.
std::vector<std::string> values_of(const CLI::Option& option, const std::string& type) {
  const auto lower = [](char c) {
    return (c >= 'a' && c <= 'z') || c == '|' || c == '_' || c == '-';
  };
  if (type.find('|') != std::string::npos && std::ranges::all_of(type, lower))
    return split_list(type, '|');
  std::vector<std::string> values;
  const bool takes_metrics =
      option.check_lname("metric") || (option.check_lname("by") && type == "METRIC");
  if (takes_metrics)
    for (const Metric& metric : all_metrics()) values.emplace_back(metric.name);
  return values;
}

OptionEntry entry_of(const CLI::Option& option) {
  std::string type = option.get_type_size() == 0 ? "" : option.get_type_name();
  type = type.substr(0, type.find(':'));  // without the range that a check adds
  return {names_of(option), type, option.get_description(), values_of(option, type)};
}

CommandEntry entry_of(const CLI::App& command, const std::vector<std::string>& path) {
  CommandEntry entry{path, command.get_description(), command.get_footer(), "", {}, {}};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      entry.positionals += " " + option->get_name(true);
    } else {
      entry.options.push_back(entry_of(*option));
    }
  }
  for (const CLI::App* below : command.get_subcommands({}))
    entry.commands.push_back(below->get_name());
  return entry;
}

void append(const CLI::App& command, const std::vector<std::string>& path,
            std::vector<CommandEntry>& out) {
  out.push_back(entry_of(command, path));
  for (const CLI::App* below : command.get_subcommands({})) {
    std::vector<std::string> longer = path;
    longer.push_back(below->get_name());
    append(*below, longer, out);
  }
}

}  // namespace

std::vector<CommandEntry> command_entries(const CLI::App& app) {
  std::vector<CommandEntry> out;
  append(app, {}, out);
  return out;
}

}  // namespace assay::cli
