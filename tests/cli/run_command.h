#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace assay::test {

// What a finished process leaves behind.
struct CommandResult {
  int exit_code = 0;  // 128 + signal when one ended it, as a shell has it
  std::string out;
  std::string err;
};

// Runs the assay command of this build (ASSAY_COMMAND) with these arguments, without
// a shell, stdin empty, and waits for it. Neither stdout nor stderr is a terminal.
CommandResult run_assay(const std::vector<std::string>& arguments);

// Stdout as JSON; fails the test when it is anything more or less than one JSON value.
nlohmann::json json_of(const CommandResult& result);

std::string read_text(const std::filesystem::path& path);

// Names of everything in a directory, sorted.
std::vector<std::string> entries_of(const std::filesystem::path& directory);

}  // namespace assay::test
