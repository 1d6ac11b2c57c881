#include "html_output.h"

#include <fmt/format.h>

#include "report/html_page.h"

namespace assay::cli {

void add_html_option(CLI::App* cmd, std::filesystem::path& html) {
  cmd->add_option("--html", html,
                  "write a page with charts and tables, one file that needs no network")
      ->type_name("FILE");
}

void check_html(const std::filesystem::path& html) {
  if (html.empty()) return;
  require_html_page();
  require_writable_page(html);
}

void write_html(const GlobalOptions& global, const std::filesystem::path& html,
                const nlohmann::ordered_json& result) {
  if (html.empty()) return;
  // The page says what the command says: options, not fields.
  const PageResult one{nlohmann::ordered_json::parse(in_options(
      global, result.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)))};
  write_html_page(html, {&one, 1});
  warn(global, fmt::format("note: report written to {}", html.string()));
}

}  // namespace assay::cli
