#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace assay::cli {

// The deepest command that was recognised among the words: `assay prior score` of those two words,
// the app itself when there is none.
const CLI::App& command_in_use(const CLI::App& app);

// "assay prior score", from the app down.
std::string name_of_command(const CLI::App& command);

// What to say when the words of a command line make no sense: which one, what was probably meant,
// where to read on. One line that begins with "assay: error:", and one that names the help.
std::string usage_message(const CLI::App& app, const std::vector<std::string>& words,
                          const CLI::Error& error);

}  // namespace assay::cli
