#include "common.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "assay/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "io/atomic_file.h"
#include "io/csv.h"
#include "report/screen.h"

namespace assay::cli {

Index GlobalOptions::memory_bytes() const {
  return memory_limit.empty() ? default_memory_limit() : parse_bytes(memory_limit);
}

std::string in_options(const GlobalOptions& global, const std::string& text) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t open = text.find('`'); open != std::string::npos; open = text.find('`', done)) {
    const std::size_t close = text.find('`', open + 1);
    if (close == std::string::npos) break;
    std::string word = text.substr(open + 1, close - open - 1);
    std::replace(word.begin(), word.end(), '_', '-');
    const bool known = global.option_names.contains(word);
    out += text.substr(done, open - done) + (known ? "--" + word : text.substr(open, close - open));
    done = known ? close + 1 : close;  // a mark that closes nothing may open the next word
  }
  return out + text.substr(done);
}

void collect_option_names(const CLI::App& app, std::set<std::string>& names) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.insert(name);
  }
  for (const CLI::App* command : app.get_subcommands({})) collect_option_names(*command, names);
}

nlohmann::ordered_json provenance_of(const GlobalOptions& global, int threads, double seconds,
                                     const std::vector<FileDigest>& inputs) {
  nlohmann::ordered_json out =
      provenance_json({global.command_line, global.seed, threads, seconds}, inputs);
  nlohmann::ordered_json settings = nlohmann::ordered_json::object();
  for (const Setting& setting : global.settings) {
    if (setting.source == "file" || setting.source == "environment")
      settings[setting.name] = {{"value", setting.value}, {"from", setting.source}};
  }
  if (!settings.empty()) out["settings"] = std::move(settings);
  return out;
}

void print_text(const GlobalOptions& global, const std::string& text) {
  show_text(stdout, in_options(global, text));
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  if (path == "-") {
    fmt::print("{}", text);
    return;
  }
  write_file_atomically(path, {text});
}

namespace {

// Whether the file holds something a hub is read from, one or two folders deep.
bool is_part_of_hub(const std::filesystem::path& file, const std::filesystem::path& hub) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path folder = fs::absolute(file, ignored).parent_path();
  if (!fs::equivalent(folder, hub, ignored) && !fs::equivalent(folder.parent_path(), hub, ignored))
    return false;
  const std::string extension = file.extension().string();
  constexpr std::array kinds = {".npy", ".npz", ".h5", ".hdf5", ".safetensors", ".pt", ".onnx"};
  return file.filename() == "hub.json" || std::ranges::find(kinds, extension) != kinds.end();
}

}  // namespace

void check_outputs(const GlobalOptions& global, std::vector<std::filesystem::path> outputs,
                   const std::vector<std::filesystem::path>& inputs) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  outputs.emplace_back(global.json);
  if (std::ranges::count(outputs, fs::path("-")) > 1)
    fail_input("two outputs both want stdout (-); name a file for one of them");
  for (const fs::path& output : outputs) {
    if (output.empty() || !fs::is_regular_file(output, ignored)) continue;
    for (const fs::path& input : inputs) {
      const bool same = fs::is_directory(input, ignored) ? is_part_of_hub(output, input)
                                                         : fs::equivalent(output, input, ignored);
      if (same) {
        fail_input(fmt::format("{}: is an input and would be overwritten; name another output file",
                               output.string()));
      }
    }
  }
}

void write_json(const GlobalOptions& global, const nlohmann::ordered_json& result) {
  if (global.json.empty()) return;
  // File names need not be UTF-8; what is not is shown with a replacement mark.
  const std::string text = in_options(
      global, result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  if (global.json_on_stdout()) {
    fmt::print("{}", text);
    return;
  }
  write_file_atomically(global.json, {text});
}

std::string output_file_problem(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (path == "-") return {};
  if (fs::is_directory(path, ignored))
    return fmt::format("{} is a directory; name a file in it", path);
  const fs::path folder = fs::path(path).parent_path();
  if (folder.empty() || fs::is_directory(folder, ignored)) return {};
  return fmt::format("{}: there is no directory {}; make it first, or name another file", path,
                     folder.string());
}

void show_text(std::FILE* stream, const std::string& text) {
  // A write that fails is not this function's to report: who ends the command looks at the stream.
  const std::string shown = for_terminal(text);
  std::fwrite(shown.data(), 1, shown.size(), stream);
}

void warn(const GlobalOptions& global, const std::string& message) {
  if (!global.quiet) complain("assay: {}\n", in_options(global, message));
}

std::string read_confidence(std::string& text) {
  const std::optional<double> level = number_in(text);
  constexpr double least_percent = 50.0;  // 1.5 is rather a slip than 1.5 %
  if (level && *level >= least_percent && *level < 100.0) {
    text = fmt::format("{}", *level / 100.0);
    return {};
  }
  if (level && *level >= 0.0 && *level <= 0.9999) return {};
  return fmt::format("'{}' is no confidence level; expected 0.95 or 95 for 95 %, 0 for none", text);
}

std::vector<double> numbers_in(const std::string& list, const std::string& option,
                               const std::string& expected) {
  std::vector<double> out;
  for (const std::string& part : split_list(list)) {
    const std::optional<double> value = number_in(part);
    if (!value) fail_input(fmt::format("{} '{}': expected {}", option, list, expected));
    out.push_back(*value);
  }
  return out;
}

}  // namespace assay::cli
