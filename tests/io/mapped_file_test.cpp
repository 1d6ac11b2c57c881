// Tests: io/digest.
#include "io/mapped_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "files.h"
#include "io/bus_guard.h"
#include "io/npy.h"

namespace assay {
namespace {

using test::error_of;
using test::says;

TEST(MappedFile, OfAPipeIsRefusedAndNotWaitedFor) {
  const auto path = test::scratch("pipe.npy");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_TRUE(says(error_of([&] { MappedFile::open(path); }), "write it to a file first"));
  EXPECT_TRUE(says(error_of([&] { open_npy(path); }), "pipe.npy: a pipe"));
  EXPECT_TRUE(says(error_of([&] { regular_file_size(path); }), "pipe.npy: a pipe"));
}

TEST(MappedFile, OfADeviceOrADirectoryIsRefused) {
  EXPECT_TRUE(says(error_of([] { MappedFile::open("/dev/zero"); }), "a device"));
  EXPECT_TRUE(says(error_of([] { MappedFile::open("/tmp"); }), "a directory"));
}

TEST(MappedFile, KeepsTheBytesOfASmallFileThatShrinks) {
  const auto path = test::write_file("small", std::string(10'000, 'x'));
  const auto file = MappedFile::open(path);
  std::filesystem::resize_file(path, 10);
  EXPECT_EQ(file->text(), std::string(10'000, 'x'));
  file->release(file->bytes());  // would bring zeros
  EXPECT_EQ(file->text().back(), 'x');
}

constexpr std::uintmax_t kLarge = 20 << 20;

TEST(MappedFile, TellsOfALargeFileThatShrank) {
  const auto path = test::write_file("large", "");
  std::filesystem::resize_file(path, kLarge);
  const auto file = MappedFile::open(path);
  EXPECT_EQ(error_of([&] { file->require_whole(); }), "");
  std::filesystem::resize_file(path, 10);
  EXPECT_TRUE(says(error_of([&] { file->require_whole(); }), "large: became shorter"));
}

TEST(MappedFile, ReplacedByAnotherIsStillWhole) {
  const auto path = test::write_file("large", "");
  std::filesystem::resize_file(path, kLarge);
  const auto file = MappedFile::open(path);
  const auto other = test::write_file("other", "x");
  std::filesystem::rename(other, path);
  EXPECT_EQ(error_of([&] { file->require_whole(); }), "");
}

TEST(BusGuardDeathTest, NamesTheFileThatShrank) {
  const auto path = test::write_file("features.npy", "");
  std::filesystem::resize_file(path, kLarge);
  const auto touch = [&] {
    guard_mapped_files();
    const auto file = MappedFile::open(path);
    std::filesystem::resize_file(path, 10);
    return static_cast<int>(file->text()[kLarge / 2]);
  };
#ifdef ASSAY_SANITIZED
  GTEST_SKIP() << "the sanitizer has a handler of its own";
#endif
  EXPECT_EXIT(std::exit(touch()), testing::ExitedWithCode(2), "features.npy: became shorter");
}

}  // namespace
}  // namespace assay
