#include <fmt/format.h>

#include <string>
#include <vector>

#include "command_tree.h"

namespace assay::cli {
namespace {

using Commands = std::vector<CommandEntry>;

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : between) + word;
  return out;
}

// Options of the command itself are options of every command.
std::vector<const OptionEntry*> options_with_global(const CommandEntry& command,
                                                    const Commands& commands) {
  std::vector<const OptionEntry*> out;
  for (const OptionEntry& option : command.options) out.push_back(&option);
  if (command.path.empty()) return out;
  for (const OptionEntry& option : commands.front().options) {
    if (option.names.back() != "--help" && option.names.back() != "--version")
      out.push_back(&option);
  }
  return out;
}

// In single quotes of a shell.
std::string in_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The first sentence or clause, for menus of one line.
std::string brief(const std::string& description) {
  const std::string first = description.substr(0, description.find_first_of(";:("));
  return first.substr(0, first.find_last_not_of(' ') + 1);
}

// The loop that finds the command among the words so far; the same in bash and zsh.
std::string path_cases(const Commands& commands) {
  std::string out;
  for (const CommandEntry& command : commands) {
    if (!command.path.empty())
      out += fmt::format("      '{}') path='{}' ;;\n", joined(command.path, " "),
                         joined(command.path, " "));
  }
  return out;
}

std::string value_cases(const CommandEntry& command, const Commands& commands, const char* reply) {
  std::string out;
  for (const OptionEntry* option : options_with_global(command, commands)) {
    if (!option->values.empty()) {
      out += fmt::format("        {}) {} ;;\n", joined(option->names, "|"),
                         fmt::format(fmt::runtime(reply), joined(option->values, " ")));
    }
  }
  return out;
}

}  // namespace

std::string bash_completion(const Commands& commands) {
  std::string cases;
  for (const CommandEntry& command : commands) {
    std::vector<std::string> options;
    for (const OptionEntry* option : options_with_global(command, commands))
      options.insert(options.end(), option->names.begin(), option->names.end());
    cases += fmt::format(
        "    '{}')\n      options='{}'\n      commands='{}'\n      case $previous in\n{}      esac "
        ";;\n",
        joined(command.path, " "), joined(options, " "), joined(command.commands, " "),
        value_cases(command, commands, "values='{}'"));
  }
  return fmt::format(R"(# Completion of assay for bash, from `assay completion bash`.
_assay() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  local path='' options='' commands='' values='' at
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "${{path:+$path }}${{COMP_WORDS[at]}}" in
{}    esac
  done
  case $path in
{}  esac
  if [[ -n $values ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$word"))
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  else
    COMPREPLY=($(compgen -W "$commands" -- "$word"))
  fi
}}
complete -o default -o bashdefault -F _assay assay
)",
                     path_cases(commands), cases);
}

std::string zsh_completion(const Commands& commands) {
  const auto described = [](const std::string& name, const std::string& description) {
    std::string safe = brief(description);
    return in_quotes(name + ":" + safe) + " ";
  };
  std::string cases;
  for (const CommandEntry& command : commands) {
    std::string options;
    std::string below;
    for (const OptionEntry* option : options_with_global(command, commands))
      options += described(option->names.back(), option->description);
    for (const CommandEntry& other : commands) {
      const bool child = other.path.size() == command.path.size() + 1 &&
                         std::equal(command.path.begin(), command.path.end(), other.path.begin());
      if (child) below += described(other.path.back(), other.description);
    }
    cases += fmt::format(
        "    '{}')\n      options=({})\n      commands=({})\n      case $previous in\n{}      esac "
        ";;\n",
        joined(command.path, " "), options, below, value_cases(command, commands, "values=({})"));
  }
  return fmt::format(R"(#compdef assay
# Completion of assay for zsh, from `assay completion zsh`.
_assay() {{
  local word=${{words[CURRENT]}} previous=${{words[CURRENT - 1]}} path_so_far='' at
  local -a options commands values
  local path=''
  for ((at = 2; at < CURRENT; at++)); do
    case "${{path:+$path }}${{words[at]}}" in
{}    esac
  done
  case $path in
{}  esac
  if (( ${{#values}} )); then
    compadd -a values
  elif [[ $word == -* ]]; then
    _describe -o option options
  elif (( ${{#commands}} )); then
    _describe command commands
  else
    _files
  fi
}}
compdef _assay assay
)",
                     path_cases(commands), cases);
}

std::string fish_completion(const Commands& commands) {
  std::string out = "# Completion of assay for fish, from `assay completion fish`.\n";
  for (const CommandEntry& command : commands) {
    std::string condition = command.path.empty() ? "__fish_use_subcommand" : "";
    for (const std::string& word : command.path)
      condition += (condition.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + word);
    for (const CommandEntry& other : commands) {
      const bool child = other.path.size() == command.path.size() + 1 &&
                         std::equal(command.path.begin(), command.path.end(), other.path.begin());
      if (child) {
        out += fmt::format("complete -c assay -n {} -a {} -d {}\n", in_quotes(condition),
                           other.path.back(), in_quotes(brief(other.description)));
      }
    }
    for (const OptionEntry& option : command.options) {
      const std::string name = option.names.back().substr(2);
      const std::string values =
          option.values.empty() ? "" : " -x -a " + in_quotes(joined(option.values, " "));
      out += fmt::format("complete -c assay{} -l {} -d {}{}\n",
                         command.path.empty() ? "" : " -n " + in_quotes(condition), name,
                         in_quotes(brief(option.description)),
                         option.type.empty() ? "" : (values.empty() ? " -r" : values));
    }
  }
  return out;
}

}  // namespace assay::cli
