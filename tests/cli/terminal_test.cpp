#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "core/text.h"
#include "run_command.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

// What the command prints on a terminal of so many columns, carriage returns removed.
std::string on_terminal(const std::vector<std::string>& arguments, unsigned short columns,
                        const std::vector<std::pair<std::string, std::string>>& environment) {
  int terminal = -1;
  winsize size{};
  size.ws_col = columns;
  size.ws_row = 50;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    for (const char* name : {"COLUMNS", "NO_COLOR", "LC_ALL", "LC_CTYPE"}) unsetenv(name);
    setenv("TERM", "xterm", 1);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> words = {const_cast<char*>(ASSAY_COMMAND)};
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execv(ASSAY_COMMAND, words.data());
    _exit(127);
  }
  std::string out;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(terminal, buffer, sizeof buffer)) > 0;)
    out.append(buffer, static_cast<std::size_t>(got));
  close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0) << out;
  std::erase(out, '\r');
  return out;
}

class Terminal : public test::HubTest {
 protected:
  std::string ranking(unsigned short columns,
                      std::vector<std::pair<std::string, std::string>> environment) const {
    environment.emplace_back("LANG", "C.UTF-8");
    return on_terminal(
        {"rank", hub_.string(), "--labels", labels_.string(), "--controls", "--quiet"}, columns,
        environment);
  }
};

TEST_F(Terminal, IsColouredUnlessToldNotTo) {
  EXPECT_THAT(ranking(200, {}), HasSubstr("\x1b["));
  EXPECT_THAT(ranking(200, {{"NO_COLOR", "1"}}), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(ranking(200, {{"TERM", "dumb"}}), Not(HasSubstr("\x1b[")));
}

TEST_F(Terminal, ShowsBarsWhereItCan) {
  EXPECT_THAT(ranking(220, {{"NO_COLOR", "1"}}), HasSubstr("██████████"));
  EXPECT_THAT(ranking(220, {{"NO_COLOR", "1"}, {"LC_ALL", "C"}}), Not(HasSubstr("█")));
}

TEST_F(Terminal, NarrowOnesGetFewerColumns) {
  const std::string narrow = ranking(60, {{"NO_COLOR", "1"}});
  EXPECT_THAT(narrow, HasSubstr("Not shown on this narrow screen:"));
  std::istringstream lines(narrow);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 60) << line;
  EXPECT_THAT(ranking(250, {{"NO_COLOR", "1"}}), Not(HasSubstr("Not shown")));
}

TEST_F(Terminal, OfAnyWidthLeavesPipesAlone) {
  setenv("COLUMNS", "60", 1);
  const test::CommandResult piped = rank({"--controls"});
  unsetenv("COLUMNS");
  EXPECT_THAT(piped.out, HasSubstr("seconds"));
  EXPECT_THAT(piped.out, Not(HasSubstr("\x1b[")));
  EXPECT_THAT(piped.out, Not(HasSubstr("█")));
}

}  // namespace
}  // namespace assay
