#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "assay/error.h"
#include "assay/version.h"
#include "command_tree.h"
#include "common.h"
#include "core/text.h"
#include "usage_message.h"

namespace assay::cli {
namespace {

using Words = std::vector<std::string>;

const CLI::App& command_at(const CLI::App& app, const Words& path) {
  const CLI::App* at = &app;
  for (const std::string& word : path) {
    const CLI::App* next = nullptr;
    Words known;
    for (const CLI::App* below : at->get_subcommands({})) {
      known.push_back(below->get_name());
      if (below->get_name() == word) next = below;
    }
    if (next == nullptr) {
      const std::string near = closest_match(word, known);
      fail_input(fmt::format("{} has no command '{}'{}", name_of_command(*at), word,
                             near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
    }
    at = next;
  }
  return *at;
}

std::string completion_for(const CLI::App& app, const std::string& shell) {
  const std::vector<CommandEntry> commands = command_entries(app);
  if (shell == "bash") return bash_completion(commands);
  if (shell == "zsh") return zsh_completion(commands);
  return fish_completion(commands);
}

// All pages into a folder, as `make install` wants them.
void write_pages(const CLI::App& app, const std::filesystem::path& folder) {
  const std::vector<CommandEntry> commands = command_entries(app);
  std::filesystem::create_directories(folder);
  for (const CommandEntry& command : commands) {
    std::string name = "assay";
    for (const std::string& word : command.path) name += "-" + word;
    write_text(folder / (name + ".1"), manual_page(command, commands));
  }
}

void print_page(const CLI::App& app, const Words& path) {
  command_at(app, path);  // says what is wrong with the words
  const std::vector<CommandEntry> commands = command_entries(app);
  for (const CommandEntry& command : commands)
    if (command.path == path) fmt::print("{}", manual_page(command, commands));
}

void add_completion(CLI::App& app, Run& run) {
  auto shell = std::make_shared<std::string>();
  CLI::App* cmd = app.add_subcommand("completion", "print the completion script of a shell");
  cmd->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  cmd->footer(
      "`make install` puts all three where the shells look. By hand:\n"
      "Examples:\n"
      "  source <(assay completion bash)\n"
      "  assay completion zsh > \"${fpath[1]}/_assay\"\n"
      "  assay completion fish > ~/.config/fish/completions/assay.fish");
  cmd->callback([shell, &app, &run] {
    run = [shell, &app] {
      fmt::print("{}", completion_for(app, *shell));
      return Exit::done;
    };
  });
}

void add_manual(CLI::App& app, Run& run) {
  struct Args {
    Words path;
    std::string folder;
  };
  auto args = std::make_shared<Args>();
  CLI::App* cmd = app.add_subcommand("man", "print a manual page, or write all of them");
  cmd->add_option("command", args->path, "such as `prior score`; none = the overview");
  cmd->add_option("--out", args->folder, "write the pages of all commands into this folder")
      ->type_name("DIR");
  cmd->footer("Examples:\n  assay man rank | man -l -\n  assay man --out share/man/man1");
  cmd->callback([args, &app, &run] {
    run = [args, &app] {
      if (args->folder.empty()) {
        print_page(app, args->path);
      } else {
        write_pages(app, args->folder);
      }
      return Exit::done;
    };
  });
}

void add_version(CLI::App& app, Run& run) {
  CLI::App* cmd = app.add_subcommand("version", "print the version; `assay doctor` says more");
  cmd->footer("Example: assay version");
  cmd->callback([&run] {
    run = [] {
      fmt::print("assay {}\n", kVersion);
      return Exit::done;
    };
  });
}

}  // namespace

void add_help(CLI::App& app, Run& run) {
  auto path = std::make_shared<Words>();
  CLI::App* cmd = app.add_subcommand("help", "the help of a command");
  cmd->add_option("command", *path, "such as `prior score`; none = the overview");
  cmd->footer("Example: assay help prior score");
  cmd->callback([path, &app, &run] {
    run = [path, &app] {
      const CLI::App& command = command_at(app, *path);
      // Not command.help(): that would be of the command in use, `help`.
      fmt::print("{}", command.get_formatter()->make_help(&command, name_of_command(command),
                                                          CLI::AppFormatMode::Normal));
      return Exit::done;
    };
  });
  add_version(app, run);
  add_completion(app, run);
  add_manual(app, run);
}

}  // namespace assay::cli
