#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "assay/types.h"

namespace assay::cli {

// Help that fits the terminal: descriptions wrapped beside their options, the notes below as
// paragraphs. Examples (lines that begin with a blank) stay as they are, to be copied.
class HelpFormat : public CLI::Formatter {
 public:
  explicit HelpFormat(Index width);

  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_footer(const CLI::App* command) const override;

 private:
  std::string entry(const std::string& name, const std::string& description) const;

  Index width_;
};

// The width to wrap help at: the terminal's, within what reads well; 100 where there is none.
Index help_width();

// `text` in lines of at most `width` columns, all but the first indented by `indent`; words that
// are longer stay whole. The first line begins at column `start`.
std::string wrapped(const std::string& text, Index width, Index indent, Index start);

// The paragraphs of a footer: lines that belong together as one string, examples as they are.
std::vector<std::string> paragraphs(const std::string& text);

}  // namespace assay::cli
