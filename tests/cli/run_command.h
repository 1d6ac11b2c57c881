#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support.h"

namespace assay::test {

// What a finished process leaves behind.
struct CommandResult {
  int exit_code = 0;  // 128 + signal when one ended it, as a shell has it
  std::string out;
  std::string err;
  Index peak = 0;  // of its resident memory, in bytes; pages of mapped files count
};

// Runs the assay command of this build (ASSAY_COMMAND) with these arguments, without
// a shell, stdin empty, and waits for it. Neither stdout nor stderr is a terminal.
CommandResult run_assay(const std::vector<std::string>& arguments);

// The same, but ended by SIGKILL as soon as `enough` says so, unless it is done before.
CommandResult run_assay_until(const std::vector<std::string>& arguments,
                              const std::function<bool()>& enough);
// The same for any program, words[0].
CommandResult run_program(std::vector<std::string> words);

// Stdout as JSON; fails the test when it is anything more or less than one JSON value.
nlohmann::json json_of(const CommandResult& result);

// What of a ranking's JSON may depend neither on the clock nor on the number of threads.
nlohmann::json lasting(nlohmann::json ranking);

std::string read_text(const std::filesystem::path& path);

// Names of everything in a directory, sorted.
std::vector<std::string> entries_of(const std::filesystem::path& directory);

// The samples of the hub below: labels 0 1 2 0 1 2 ...
constexpr Index kClasses = 3;
constexpr Index kSamples = 120;
constexpr Index kDim = 8;

Matrix hub_features(double spread);

// One line per sample: the name of its class.
std::string label_lines(const std::vector<std::string>& class_names);

// The LogME score of an entry of `models` or `controls`.
double value_of(const nlohmann::json& model);

// A directory with labels.txt and a hub whose models are good, fair and poor.
class HubTest : public testing::Test {
 protected:
  using Path = std::filesystem::path;
  using Words = std::vector<std::string>;

  HubTest();

  // `assay rank INPUT --labels LABELS OPTIONS...`, of the hub and its labels by default.
  static CommandResult rank(const Path& input, const Path& labels, const Words& options);
  CommandResult rank(const Words& options) const { return rank(hub_, labels_, options); }

  // The same with `--json -`, and its result.
  static nlohmann::json rank_json(const Path& input, const Path& labels, Words options);
  nlohmann::json rank_json(const Words& options) const { return rank_json(hub_, labels_, options); }

  // The score of the one model in a file.
  static double score(const Path& input, const Path& labels);

  Path file(const std::string& name) const { return folder_ / name; }

  TemporaryDirectory folder_;
  Path hub_ = folder_ / "hub";
  Path labels_ = folder_ / "labels.txt";
};

}  // namespace assay::test
