#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "assay/error.h"
#include "assay/version.h"
#include "common.h"
#include "core/dispatch.h"
#include "core/machine.h"
#include "core/memory.h"
#include "core/text.h"
#include "io/cache_directory.h"
#include "net/plugin_loader.h"
#include "report/page_template.h"
#include "report/screen.h"
#include "report/table.h"

extern "C" char* openblas_get_config();
extern "C" char* openblas_get_corename();

namespace assay::cli {
namespace {

struct Finding {
  std::string topic;
  std::string found;
  std::string advice;  // empty where nothing is amiss
};

Finding plugin(const std::string& topic, Backend backend, const std::string& goal) {
  try {
    load_plugin(backend);
    return {topic, "yes", ""};
  } catch (const Error&) {
    return {topic, "no",
            fmt::format("`make {}` builds it; only networks of this kind need it", goal)};
  }
}

Finding cache_folder() {
  namespace fs = std::filesystem;
  const fs::path folder = cache_directory();
  if (folder.empty())
    return {"cache", "none", "set ASSAY_CACHE to a folder, or HOME; nothing is kept without"};
  std::error_code error;
  if (!fs::exists(folder, error)) return {"cache", folder.string() + " (not there yet)", ""};
  const fs::space_info space = fs::space(folder, error);
  if (error) return {"cache", folder.string(), "cannot be looked at: " + error.message()};
  return {"cache",
          fmt::format("{}, {} free", folder.string(),
                      human_bytes(static_cast<double>(space.available))),
          ""};
}

Finding vector_loops() {
  const bool held = vector_level() != highest_vector_level();
  return {"vector loops", std::string(name_of(vector_level())),
          held ? fmt::format("ASSAY_VECTOR_LEVEL holds them below this processor's {}",
                             name_of(highest_vector_level()))
               : ""};
}

Finding processors() {
  const unsigned machine = std::thread::hardware_concurrency();
  const int usable = usable_processors();
  return {
      "processors",
      machine > static_cast<unsigned>(usable)
          ? fmt::format("{} (of {}: a container or the affinity leaves no more)", usable, machine)
          : std::to_string(usable),
      ""};
}

// "OpenBLAS 0.3.21" of "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...".
std::string openblas_release() {
  const std::string config = openblas_get_config();
  return config.substr(0, config.find(' ', config.find(' ') + 1));
}

std::vector<Finding> examine() {
  return {
      {"version", fmt::format("assay {}, compiler {}", kVersion, __VERSION__), ""},
      {"linear algebra",
       fmt::format("{}, kernels for {}", openblas_release(), openblas_get_corename()), ""},
      vector_loops(),
      processors(),
      {"memory",
       fmt::format("{} usable, default limit {}", human_bytes(static_cast<double>(usable_memory())),
                   human_bytes(static_cast<double>(default_memory_limit()))),
       ""},
      plugin("TorchScript networks", Backend::torchscript, "torch"),
      plugin("ONNX networks", Backend::onnx, "onnx"),
      {"page of --html", page_template().empty() ? "no" : "yes",
       page_template().empty() ? "`make web` builds it in" : ""},
      cache_folder(),
      {"settings", settings_file().string(), ""},
  };
}

Exit run_doctor(const GlobalOptions& global) {
  nlohmann::ordered_json json = {{"command", "doctor"},
                                 {"findings", nlohmann::ordered_json::array()}};
  TextTable table;
  for (const char* title : {"what", "found", "what to do"}) table.add_column(title, Align::left);
  for (const Finding& finding : examine()) {
    table.add_row({finding.topic, finding.found, finding.advice});
    json["findings"].push_back(
        {{"what", finding.topic}, {"found", finding.found}, {"advice", finding.advice}});
  }
  json["provenance"] = provenance_of(global, 1, 0.0, {});
  if (!global.json_on_stdout()) print_text(global, table.str(stdout_screen()));
  write_json(global, json);
  return Exit::done;
}

}  // namespace

void add_doctor(CLI::App& app, const GlobalOptions& global, Run& run) {
  CLI::App* cmd = app.add_subcommand(
      "doctor", "what is built in, and what of this machine is seen: to attach to a question");
  cmd->footer("Example: assay doctor --json doctor.json");
  cmd->callback([&global, &run] { run = [&global] { return run_doctor(global); }; });
}

}  // namespace assay::cli
