#include "io/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "files.h"

namespace assay {
namespace {

Index files_beside(const std::filesystem::path& path) {
  const auto folder = std::filesystem::directory_iterator(path.parent_path());
  return std::distance(begin(folder), end(folder));
}

TEST(AtomicFile, WritesThePartsInOrder) {
  const auto path = test::scratch("a.txt");
  write_file_atomically(path, {"one ", "", std::string_view("t\0o", 3)});
  EXPECT_EQ(test::read_file(path), std::string("one t\0o", 7));
}

TEST(AtomicFile, ReplacesWhatWasThereAndLeavesNothingBehind) {
  const auto path = test::write_file("a.txt", "a longer old text");
  write_file_atomically(path, {"new"});
  EXPECT_EQ(test::read_file(path), "new");
  EXPECT_EQ(files_beside(path), 1);
}

TEST(AtomicFile, AFailureNamesThePathAndLeavesNothingBehind) {
  EXPECT_TRUE(test::says(test::error_of([] { write_file_atomically("/nowhere/a.txt", {"x"}); }),
                         "/nowhere/a.txt"));
  const auto folder = test::scratch("taken");
  std::filesystem::create_directories(folder / "inside");
  EXPECT_NE(test::error_of([&] { write_file_atomically(folder, {"x"}); }), "");
  EXPECT_EQ(files_beside(folder), 1);
}

TEST(AtomicFile, WritesThroughALinkAndKeepsIt) {
  const auto target = test::write_file("target.txt", "old");
  const auto link = target.parent_path() / "link.txt";
  std::filesystem::create_symlink("target.txt", link);
  write_file_atomically(link, {"new"});
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(test::read_file(target), "new");
}

TEST(AtomicFile, WritesIntoAPipeInsteadOfReplacingIt) {  // so that --json /dev/stdout is safe
  const auto path = test::scratch("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_file_atomically(path, {"through"});
  char text[16] = {};
  EXPECT_EQ(::read(reader, text, sizeof text), 7);
  ::close(reader);
  EXPECT_STREQ(text, "through");
  EXPECT_TRUE(std::filesystem::is_fifo(path));
}

TEST(AtomicFile, OthersMayReadTheFile) {
  const auto path = test::scratch("a.txt");
  write_file_atomically(path, {"x"});
  using std::filesystem::perms;
  const perms granted = std::filesystem::status(path).permissions();
  EXPECT_EQ(granted & (perms::group_read | perms::others_read),
            perms::group_read | perms::others_read);
}

}  // namespace
}  // namespace assay
