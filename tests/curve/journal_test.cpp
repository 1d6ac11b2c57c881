#include "curve/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <fstream>

#include "support.h"

namespace assay {
namespace {

std::filesystem::path only_file(const std::filesystem::path& directory) {
  return std::filesystem::directory_iterator(directory)->path();
}

TEST(CurveJournal, GivesBackWhatWasAddedToTheLastDigit) {
  const test::TemporaryDirectory folder;
  const ProbeOutcome outcome{.loss = 0.1 + 0.2,
                             .accuracy = 1.0 / 3.0,
                             .updates = 7,
                             .converged = false,
                             .l2 = 0.1,
                             .row_losses = {0.1F, 1e-30F, 3.0F},
                             .row_right = {1, 0, 1}};
  {
    CurveJournal journal(folder.path(), "a");
    EXPECT_FALSE(journal.find(0, 10).has_value());
    journal.add(0, 10, outcome);
    journal.add(1, 10, {.loss = std::nextafter(1.0, 2.0)});
  }
  const CurveJournal again(folder.path(), "a");
  const ProbeOutcome found = again.find(0, 10).value();
  EXPECT_EQ(found.loss, 0.1 + 0.2);
  EXPECT_EQ(found.accuracy, 1.0 / 3.0);
  EXPECT_EQ(found.updates, 7);
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.l2, 0.1);
  EXPECT_EQ(found.row_losses, outcome.row_losses);
  EXPECT_EQ(found.row_right, outcome.row_right);
  EXPECT_EQ(again.find(1, 10).value().loss, std::nextafter(1.0, 2.0));
  EXPECT_FALSE(again.find(1, 10).value().accuracy.has_value());
  EXPECT_FALSE(again.find(1, 11).has_value());
}

TEST(CurveJournal, IsOfOneIdentity) {
  const test::TemporaryDirectory folder;
  CurveJournal(folder.path(), "a").add(0, 10, {.loss = 1.0});
  EXPECT_FALSE(CurveJournal(folder.path(), "b").find(0, 10).has_value());
}

// A run killed in the middle of a line: that probe is lost, those before and after are not.
TEST(CurveJournal, SkipsALineCutShortAndGoesOnAfterIt) {
  const test::TemporaryDirectory folder;
  {
    CurveJournal journal(folder.path(), "a");
    journal.add(0, 10, {.loss = 1.0});
    journal.add(0, 20, {.loss = 2.0});
  }
  const std::filesystem::path file = only_file(folder.path());
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 5);
  {
    CurveJournal journal(folder.path(), "a");
    EXPECT_TRUE(journal.find(0, 10).has_value());
    EXPECT_FALSE(journal.find(0, 20).has_value());
    journal.add(0, 30, {.loss = 3.0});
  }
  EXPECT_EQ(CurveJournal(folder.path(), "a").find(0, 30).value().loss, 3.0);
}

TEST(CurveJournal, IgnoresLinesThatAreNoProbes) {
  const test::TemporaryDirectory folder;
  CurveJournal(folder.path(), "a").add(0, 10, {.loss = 1.0});
  std::ofstream(only_file(folder.path()), std::ios::app)
      << "[1, 2]\n\nnull\n{\"seed\": 0, \"n\": 20}\n"
      << R"({"seed":0,"n":30,"loss":null,"accuracy":null,"updates":0,"converged":true})"
      << "\n"
      << R"({"seed":"0","n":40,"loss":1,"accuracy":null,"updates":0,"converged":true})"
      << "\n";
  const CurveJournal journal(folder.path(), "a");
  EXPECT_TRUE(journal.find(0, 10).has_value());
  for (const Index n : {20, 30, 40}) EXPECT_FALSE(journal.find(0, n).has_value());
}

// A probe whose line was damaged runs again; it is never another number.
TEST(CurveJournal, NoticesEveryFlippedBit) {
  const test::TemporaryDirectory folder;
  {
    CurveJournal journal(folder.path(), "a");
    journal.add(0, 10, {.loss = 0.12345, .accuracy = 0.5, .updates = 7});
  }
  const std::filesystem::path file = only_file(folder.path());
  std::ifstream stream(file, std::ios::binary);
  const std::string sound{std::istreambuf_iterator<char>(stream), {}};
  for (std::size_t i = 0; i < sound.size(); ++i) {
    std::string flipped = sound;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << (i % 8)));
    test::write_text(file, flipped);
    const CurveJournal journal(folder.path(), "a");
    for (const Index n : {10, 11, 18, 14, 12, 90}) {
      const auto found = journal.find(0, n);
      if (!found) continue;
      EXPECT_EQ(n, 10) << flipped;
      EXPECT_EQ(found->loss, 0.12345) << flipped;
      EXPECT_EQ(found->updates, 7) << flipped;
    }
  }
}

TEST(CurveJournal, TakesNoLinesOfAnother) {
  const test::TemporaryDirectory folder;
  const test::TemporaryDirectory other;
  CurveJournal(folder.path(), "a").add(0, 10, {.loss = 1.0});
  std::filesystem::copy_file(only_file(folder.path()), other.path() / CurveJournal::file_name("b"));
  EXPECT_FALSE(CurveJournal(other.path(), "b").find(0, 10).has_value());
}

// A full disk, here by the limit on file sizes: the run goes on without a journal.
TEST(CurveJournal, ThatCannotBeKeptIsNoReasonToStop) {
  const test::TemporaryDirectory folder;
  CurveJournal journal(folder.path(), "a");
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small = {40, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  journal.add(0, 10, {.loss = 1.0});
  journal.add(0, 20, {.loss = 1.0});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(journal.problem(), testing::HasSubstr("cannot write the journal"));
}

TEST(CurveJournal, KeepsNothingWithoutADirectory) {
  CurveJournal journal({}, "a");
  journal.add(0, 10, {.loss = 1.0});
  EXPECT_FALSE(journal.find(0, 10).has_value());
}

TEST(CurveJournal, SaysWhereItCannotWrite) {
  const test::TemporaryDirectory folder;
  test::write_text(folder / "file", "");
  EXPECT_THAT(test::error_of([&] { CurveJournal(folder / "file", "a"); }),
              testing::HasSubstr("write the journal"));
}

}  // namespace
}  // namespace assay
