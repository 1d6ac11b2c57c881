#include "usage_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/text.h"

namespace assay::cli {
namespace {

using Names = std::vector<std::string>;

void append_options(const CLI::App& command, Names& names) {
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
}

// What the command understands: its own options, and those of the commands above it.
Names options_of(const CLI::App& command) {
  Names names;
  for (const CLI::App* at = &command; at != nullptr; at = at->get_parent())
    append_options(*at, names);
  return names;
}

Names commands_below(const CLI::App& command) {
  Names names;
  for (const CLI::App* below : command.get_subcommands({})) names.push_back(below->get_name());
  return names;
}

// The commands that have this option, for who tries it on the wrong one.
void append_owners(const CLI::App& command, const std::string& option, Names& owners) {
  Names own;
  append_options(command, own);
  if (std::ranges::find(own, option) != own.end()) owners.push_back(name_of_command(command));
  for (const CLI::App* below : command.get_subcommands({})) append_owners(*below, option, owners);
}

std::string joined(const Names& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

std::string unknown_option(const CLI::App& app, const CLI::App& command, const std::string& word) {
  const std::string option = word.substr(0, word.find('='));
  const std::string start = fmt::format("{} has no option '{}'", name_of_command(command), option);
  const std::string near = closest_match(option, options_of(command));
  Names owners;
  append_owners(app, option, owners);
  if (!owners.empty()) return start + "; it belongs to: " + joined(owners);
  return near.empty() ? start : fmt::format("{}; did you mean '{}'?", start, near);
}

std::string unknown_command(const CLI::App& command, const std::string& word) {
  const Names known = commands_below(command);
  const std::string near = closest_match(word, known);
  const std::string start = fmt::format("{} has no command '{}'", name_of_command(command), word);
  return near.empty() ? fmt::format("{}; expected one of: {}", start, joined(known))
                      : fmt::format("{}; did you mean '{}'?", start, near);
}

// An option stands out from words that may be files, so it is the one to speak of.
std::string unknown_word(const CLI::App& app, const CLI::App& command, const Names& unknown) {
  const auto option =
      std::ranges::find_if(unknown, [](const std::string& word) { return word.starts_with('-'); });
  const bool expects_command =
      command.get_require_subcommand_min() > 0 && command.get_subcommands().empty();
  if (expects_command && !unknown.front().starts_with('-'))
    return unknown_command(command, unknown.front());
  if (option != unknown.end()) return unknown_option(app, command, *option);
  return fmt::format("{} does not expect the word '{}'", name_of_command(command), unknown.front());
}

// The parser writes 0.000000 for 0.
std::string with_short_numbers(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789.", at), text.size());
    std::string number = text.substr(at, end - at);
    if (number.find('.') != std::string::npos && number.size() > 7) {
      number.erase(number.find_last_not_of('0') + 1);
      if (number.ends_with('.')) number.pop_back();
    }
    out += number;
    if (end < text.size()) out += text[end];
    at = end + 1;
  }
  return out;
}

// CLI11 2.4 writes [1 - 4096] where 2.3 has words.
std::string with_range_in_words(std::string text) {
  constexpr std::string_view before = "in range [";
  const std::size_t open = text.find(before);
  if (open == std::string::npos) return text;
  const std::size_t dash = text.find(" - ", open);
  const std::size_t close = text.find(']', open);
  if (dash > close || close == std::string::npos) return text;
  text.erase(close, 1);
  text.replace(dash, 3, " to ");
  text.erase(open + before.size() - 1, 1);
  return text;
}

// The word where a command should stand: the first that is neither an option nor its value.
std::string first_word(const CLI::App& app, const Names& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with('-')) return words[i];
    const CLI::Option* option = app.get_option_no_throw(words[i]);
    if (option != nullptr && option->get_type_size() > 0) ++i;
  }
  return "";
}

std::string problem(const CLI::App& app, const CLI::App& command, const CLI::Error& error) {
  const Names unknown = app.remaining(true);
  if (!unknown.empty()) return unknown_word(app, command, unknown);
  const bool lacks_command =
      command.get_require_subcommand_min() > 0 && command.get_subcommands().empty();
  if (lacks_command) {
    return fmt::format("{} needs a command: {}", name_of_command(command),
                       joined(commands_below(command)));
  }
  return with_short_numbers(with_range_in_words(error.what()));
}

}  // namespace

const CLI::App& command_in_use(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

std::string name_of_command(const CLI::App& command) {
  return command.get_parent() == nullptr
             ? command.get_name()
             : name_of_command(*command.get_parent()) + " " + command.get_name();
}

std::string usage_message(const CLI::App& app, const std::vector<std::string>& words,
                          const CLI::Error& error) {
  constexpr const char* kLines = "assay: error: {}\nassay: run `{} --help` for what it takes\n";
  const std::string first = first_word(app, words);
  // Otherwise `assay rnak hub` would be about the command `hub`.
  const Names commands = commands_below(app);
  if (!first.empty() && std::ranges::find(commands, first) == commands.end())
    return fmt::format(kLines, unknown_command(app, first), name_of_command(app));
  const CLI::App& command = command_in_use(app);
  return fmt::format(kLines, problem(app, command, error), name_of_command(command));
}

}  // namespace assay::cli
