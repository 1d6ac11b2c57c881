#include "common.h"
#include "report/screen.h"
#include "report/table.h"

namespace assay::cli {
namespace {

Exit run_config(const GlobalOptions& global) {
  TextTable table;
  for (const char* title : {"setting", "value", "from", "what it is"})
    table.add_column(title, Align::left);
  nlohmann::ordered_json settings = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < global.settings.size(); ++i) {
    const Setting& setting = global.settings[i];
    table.add_row({setting.name, setting.value, setting.source, known_settings()[i].summary});
    settings.push_back(
        {{"name", setting.name}, {"value", setting.value}, {"from", setting.source}});
  }
  const std::string file = settings_file().string();
  if (!global.json_on_stdout()) {
    print_text(global, table.str(stdout_screen()));
    std::error_code ignored;
    show("\nfile: {}{}\n", file,
         std::filesystem::exists(file, ignored) ? "" : " (not there; lines such as `threads = 2`)");
  }
  write_json(global, {{"command", "config"},
                      {"file", file},
                      {"settings", settings},
                      {"provenance", provenance_of(global, 1, 0.0, {})}});
  return Exit::done;
}

}  // namespace

void add_config(CLI::App& app, const GlobalOptions& global, Run& run) {
  CLI::App* cmd = app.add_subcommand("config", "settings in force, and where each comes from");
  cmd->footer(
      "An option decides, then the environment ($ASSAY_CACHE), then the file of settings, then "
      "what is built in. The\n"
      "file is $ASSAY_CONFIG, else $XDG_CONFIG_HOME/assay/config, else ~/.config/assay/config; the "
      "current\n"
      "folder is never looked at. A result says in its provenance what the file or the environment "
      "gave.\n"
      "Example: assay config");
  cmd->callback([&global, &run] { run = [&global] { return run_config(global); }; });
}

}  // namespace assay::cli
