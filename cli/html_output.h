#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common.h"

namespace assay::cli {

// --html FILE, the same for every command that has a page.
void add_html_option(CLI::App* cmd, std::filesystem::path& html);

// Before any work: fails when FILE was asked for and cannot be written.
void check_html(const std::filesystem::path& html);

// After it: the page of one result, where --html says, if anywhere.
void write_html(const GlobalOptions& global, const std::filesystem::path& html,
                const nlohmann::ordered_json& result);

}  // namespace assay::cli
