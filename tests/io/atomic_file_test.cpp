#include "io/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

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

mode_t mode_of(const std::filesystem::path& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0);
  return info.st_mode & 07777;
}

TEST(AtomicFile, HasThePermissionsThatTheUserWants) {
  const mode_t before = ::umask(077);
  const auto path = test::scratch("private.json");
  write_file_atomically(path, {"x"});
  ::umask(027);
  const auto shared = test::scratch("shared.json");
  write_file_atomically(shared, {"x"});
  ::umask(before);
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(mode_of(shared), 0640U);
}

TEST(AtomicFile, KeepsThePermissionsOfTheFileItReplaces) {
  for (const mode_t mode : {0600U, 0664U, 0444U}) {
    const auto path = test::write_file("a.json", "old");
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    write_file_atomically(path, {"new"});
    EXPECT_EQ(mode_of(path), mode);
    std::filesystem::remove(path);
  }
}

TEST(AtomicFile, LargerThanTheLimitIsAnErrorThatLeavesNothingBehind) {
  const auto path = test::write_file("a.bin", "old");
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);  // as the command has it
  const struct rlimit small = {1024, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message =
      test::error_of([&] { write_file_atomically(path, {std::string(5000, 'x')}); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(test::says(message, "a.bin"));
  EXPECT_EQ(test::read_file(path), "old");
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
