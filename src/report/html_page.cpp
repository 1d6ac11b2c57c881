#include "report/html_page.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "assay/error.h"
#include "io/atomic_file.h"
#include "io/json.h"
#include "report/page_template.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::string_view kMark = "@ASSAY_RESULTS@";  // web/build.mjs puts it there

// What the page cannot do without, by command.
struct PageKind {
  std::string_view command;
  const char* holds;
};
constexpr std::array<PageKind, 9> kPageKinds = {{{"rank", "models"},
                                                 {"evaluate", "metrics"},
                                                 {"curve", "models"},
                                                 {"prior score", "models"},
                                                 {"prior probe", "models"},
                                                 {"prior sample", "picture"},
                                                 {"robust score", "models"},
                                                 {"tune", "runs"},
                                                 {"track", "models"}}};

std::string all_page_kinds() {
  std::string names;
  for (const PageKind& kind : kPageKinds)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", kind.command);
  return names;
}

// Evaluations of earlier versions do not say what they are.
std::string command_of(const Json& result) {
  if (!result.is_object()) return "";
  const auto command = result.find("command");
  if (command != result.end() && command->is_string()) return command->get<std::string>();
  return result.contains("truth_column") && result.contains("metrics") ? "evaluate" : "";
}

bool holds_something(const Json& result, const char* key) {
  const auto part = result.find(key);
  return part != result.end() && part->is_structured() && !part->empty();
}

}  // namespace

bool has_html_page() { return !page_template().empty(); }

void require_html_page() {
  if (has_html_page()) return;
  fail_input(
      "`html`: this build of assay holds no report page: Node.js or its packages were missing when "
      "it was built; run `make web` to build it in, or keep the result with `json` and make the "
      "page elsewhere with `assay report`");
}

void require_writable_page(const fs::path& file) {
  if (fs::is_directory(file))
    fail_input(fmt::format("`html`: {} is a directory; name a file in it", file.string()));
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::is_directory(folder))
    fail_input(fmt::format("`html`: there is no directory {} to write {} into", folder.string(),
                           file.filename().string()));
  const fs::path& written = fs::exists(file) && !fs::is_regular_file(file) ? file : folder;
  if (::access(written.c_str(), W_OK) != 0) fail_system(file.string(), "write");
}

std::string page_kind(const Json& result, const std::string& where) {
  const std::string command = command_of(result);
  if (command.empty()) {
    fail_input(fmt::format("{}: no result of assay; expected the JSON of one", where));
  }
  const auto* const kind = std::ranges::find(kPageKinds, command, &PageKind::command);
  if (kind == kPageKinds.end()) {
    fail_input(fmt::format("{}: there is no page for results of `assay {}`; expected one of: {}",
                           where, command, all_page_kinds()));
  }
  if (!holds_something(result, kind->holds))
    fail_input(fmt::format("{}: a result of `assay {}` without {}; was it cut short?", where,
                           command, kind->holds));
  return command;
}

PageResult read_page_result(const fs::path& file) {
  Json result = read_ordered_json(file);
  page_kind(result, file.string());
  return {std::move(result), file.string()};
}

std::string json_for_html(const Json& json) {
  // Without < and > neither </script> nor <!-- can appear; U+2028 and all else beyond ASCII is
  // escaped by dump().
  const std::string text =
      json.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "\\u003c";
        break;
      case '>':
        out += "\\u003e";
        break;
      case '&':
        out += "\\u0026";
        break;
      default:
        out += c;
    }
  }
  return out;
}

namespace {

std::string filled_page(std::string_view page, const Json& content) {
  const std::size_t at = page.find(kMark);
  if (at == std::string_view::npos || page.find(kMark, at + 1) != std::string_view::npos)
    fail_input("`html`: the report page of this build is damaged; build it again with `make web`");
  std::string out(page.substr(0, at));
  out += json_for_html(content);
  out += page.substr(at + kMark.size());
  return out;
}

}  // namespace

std::string html_page(std::string_view page, std::span<const PageResult> results,
                      PageLayout layout) {
  Json all = Json::array();
  for (const PageResult& one : results) {
    Json entry = {{"kind", page_kind(one.result, one.source.empty() ? "result" : one.source)}};
    if (!one.source.empty()) entry["source"] = one.source;
    entry["result"] = one.result;
    all.push_back(std::move(entry));
  }
  Json content = {{"results", std::move(all)}};
  if (layout == PageLayout::gallery) content["gallery"] = true;
  return filled_page(page, content);
}

std::string html_page(std::span<const PageResult> results, PageLayout layout) {
  require_html_page();
  return html_page(page_template(), results, layout);
}

void write_html_page(const fs::path& file, std::span<const PageResult> results, PageLayout layout) {
  write_file_atomically(file, {html_page(results, layout)});
}

void write_running_page(const fs::path& file, const Json& running) {
  require_html_page();
  write_file_atomically(
      file, {filled_page(page_template(), {{"results", Json::array()}, {"running", running}})});
}

}  // namespace assay
