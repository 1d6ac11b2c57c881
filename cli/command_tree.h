#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace assay::cli {

// The commands and options as the parser knows them, in the form that completions and manual pages
// are written from: one source for help, completion and manual.
struct OptionEntry {
  std::vector<std::string> names;  // "--labels", "-h"
  std::string type;                // "FILE"; empty for a flag
  std::string description;
  std::vector<std::string> values;  // all there are, where the type says so: "auto|yes|no"
};

struct CommandEntry {
  std::vector<std::string> path;  // {"prior", "score"}; empty for the command itself
  std::string description;
  std::string footer;
  std::string positionals;  // "hub..." as in the usage line
  std::vector<OptionEntry> options;
  std::vector<std::string> commands;  // below it
};

// The command itself first, then all below it, parents before children.
std::vector<CommandEntry> command_entries(const CLI::App& app);

// Completion scripts for these shells, and the manual page of one command in roff.
std::string bash_completion(const std::vector<CommandEntry>& commands);
std::string zsh_completion(const std::vector<CommandEntry>& commands);
std::string fish_completion(const std::vector<CommandEntry>& commands);
std::string manual_page(const CommandEntry& command, const std::vector<CommandEntry>& commands);

}  // namespace assay::cli
