#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace assay {

// One result as the commands write it with --json, and the file it came from, if any.
struct PageResult {
  nlohmann::ordered_json result;
  std::string source = {};
};

// Whether this build holds the page (it is bundled from web/ by Node.js).
bool has_html_page();

// Throws Error, saying how to get it, when it does not.
void require_html_page();

// Throws Error unless a page could be written to `file`: for use before hours of work.
void require_writable_page(const std::filesystem::path& file);

// The name of the command that a result is of ("rank", "prior score"). Throws Error, naming
// `where`, when it is no result of Assay, or of a command that has no page.
std::string page_kind(const nlohmann::ordered_json& result, const std::string& where);

// A result file. Throws Error when it cannot be read, is no JSON, or page_kind refuses it.
PageResult read_page_result(const std::filesystem::path& file);

// JSON that may stand inside a <script> element: nothing in it can end the element, whatever models
// are called.
std::string json_for_html(const nlohmann::ordered_json& json);

// How several results stand on a page: one below the other, or as cards of which one is open.
enum class PageLayout { all, gallery };

// The page with the results in it. `page` holds the mark @ASSAY_RESULTS@ once.
std::string html_page(std::string_view page, std::span<const PageResult> results,
                      PageLayout layout = PageLayout::all);

// The page of this build with the results in it. Throws Error when it holds none.
std::string html_page(std::span<const PageResult> results, PageLayout layout = PageLayout::all);

// Writes it, all of it or nothing.
void write_html_page(const std::filesystem::path& file, std::span<const PageResult> results,
                     PageLayout layout = PageLayout::all);

// The page of a run that is not over: it reads itself anew until the result takes its place.
// `running` holds what web/src/running.ts shows.
void write_running_page(const std::filesystem::path& file, const nlohmann::ordered_json& running);

}  // namespace assay
