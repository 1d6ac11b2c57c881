#include <fmt/format.h>

#include <cstdlib>
#include <map>

#include "assay/error.h"
#include "common.h"
#include "core/machine.h"
#include "core/memory.h"
#include "core/text.h"
#include "io/cache_directory.h"
#include "io/csv.h"

namespace assay::cli {
namespace {

using Given = std::map<std::string, std::string>;

constexpr double kMostThreads = 4096;

int threads_in(const std::string& text, const std::string& where) {
  const std::optional<double> value = number_in(text);
  if (!value || *value < 1.0 || *value > kMostThreads || *value != static_cast<int>(*value)) {
    fail_input(fmt::format("{}: threads = {}: expected a whole number from 1 to {}", where, text,
                           kMostThreads));
  }
  return static_cast<int>(*value);
}

// An option that was given decides; else the file, if it says something.
Setting chosen(const CLI::App& app, const std::string& name, const Given& given,
               const std::string& typed, const std::string& usual) {
  if (app.get_option("--" + name)->count() > 0) return {name, typed, "option"};
  const auto at = given.find(name);
  return at == given.end() ? Setting{name, usual, "default"} : Setting{name, at->second, "file"};
}

// The environment is where the library looks for its cache, so that is where the file's word goes.
Setting choose_cache(const Given& given) {
  const char* const variable = std::getenv("ASSAY_CACHE");
  if (variable != nullptr && *variable != '\0') return {"cache", variable, "environment"};
  const auto at = given.find("cache");
  if (at == given.end()) return {"cache", cache_directory().string(), "default"};
  ::setenv("ASSAY_CACHE", at->second.c_str(), 1);
  return {"cache", at->second, "file"};
}

}  // namespace

void apply_settings(const CLI::App& app, GlobalOptions& global) {
  const std::filesystem::path file = settings_file();
  const Given given = read_settings(file);
  const Setting threads = chosen(app, "threads", given, std::to_string(global.threads),
                                 std::to_string(usable_processors()));
  if (threads.source == "file") global.threads = threads_in(threads.value, file.string());
  const Setting memory = chosen(app, "memory-limit", given, global.memory_limit,
                                human_bytes(static_cast<double>(default_memory_limit())));
  if (memory.source == "file") {
    parse_bytes(memory.value);  // a bad value is reported before any work
    global.memory_limit = memory.value;
  }
  global.settings = {threads, memory, choose_cache(given)};
}

}  // namespace assay::cli
