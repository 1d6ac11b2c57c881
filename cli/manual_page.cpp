#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "assay/version.h"
#include "command_tree.h"
#include "help_format.h"

namespace assay::cli {
namespace {

// Text for roff: backslashes and hyphens as they are, no line that a dot or quote would make a
// request.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return !out.empty() && (out.front() == '.' || out.front() == '\'') ? "\\&" + out : out;
}

std::string name_of(const CommandEntry& command, const char* between) {
  std::string out = "assay";
  for (const std::string& word : command.path) out += between + word;
  return out;
}

std::string options_section(const std::string& title, const std::vector<OptionEntry>& options) {
  std::string out = options.empty() ? "" : ".SH " + title + "\n";
  for (const OptionEntry& option : options) {
    std::string names;
    for (const std::string& name : option.names)
      names += (names.empty() ? "" : ", ") + fmt::format("\\fB{}\\fR", roff(name));
    out += fmt::format(".TP\n{}{}\n{}\n", names,
                       option.type.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(option.type)),
                       roff(option.description));
  }
  return out;
}

std::string notes_section(const std::string& footer) {
  if (footer.empty()) return "";
  std::string out = ".SH NOTES\n";
  for (const std::string& paragraph : paragraphs(footer)) {
    const bool example = paragraph.starts_with(' ');
    out += example ? fmt::format(".nf\n{}\n.fi\n", roff(paragraph))
                   : fmt::format(".PP\n{}\n", roff(paragraph));
  }
  return out;
}

std::string commands_section(const CommandEntry& command, const std::vector<CommandEntry>& all) {
  std::string out = command.commands.empty() ? "" : ".SH COMMANDS\n";
  for (const CommandEntry& other : all) {
    const bool child = other.path.size() == command.path.size() + 1 &&
                       std::equal(command.path.begin(), command.path.end(), other.path.begin());
    if (child) {
      out += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", roff(name_of(other, "-")),
                         roff(other.description));
    }
  }
  return out;
}

}  // namespace

std::string manual_page(const CommandEntry& command, const std::vector<CommandEntry>& commands) {
  std::string upper = name_of(command, "-");
  std::ranges::transform(upper, upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  });
  std::string description = command.description;
  if (description.starts_with("assay - ")) description = description.substr(8);
  std::string out =
      fmt::format(".TH {} 1 \"\" \"assay {}\" \"Assay\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n",
                  roff(upper), kVersion, roff(name_of(command, "-")), roff(description));
  out += fmt::format("\\fB{}\\fR{} [\\fIoptions\\fR]{}\n", roff(name_of(command, " ")),
                     command.commands.empty() ? "" : " \\fIcommand\\fR", roff(command.positionals));
  out += commands_section(command, commands);
  out += options_section("OPTIONS", command.options);
  if (!command.path.empty()) {
    std::vector<OptionEntry> global = commands.front().options;
    std::erase_if(global, [](const OptionEntry& option) {
      return option.names.back() == "--help" || option.names.back() == "--version";
    });
    out += options_section("OPTIONS OF ALL COMMANDS", global);
  }
  out += notes_section(command.footer);
  return out +
         ".SH EXIT STATUS\n0 done, 1 some inputs failed and the rest was done, 2 bad usage or "
         "input.\n";
}

}  // namespace assay::cli
