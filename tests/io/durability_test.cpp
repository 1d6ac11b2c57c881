// That a result is on the disk before anybody can see it: fsync of the file, rename, fsync of its
// folder, in this order. The calls are watched by functions of the same names in this program,
// which the dynamic linker prefers to the C library's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#if defined(__linux__)
#include <dlfcn.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "files.h"
#include "io/atomic_file.h"
#include "io/npz.h"

namespace assay {
namespace {

struct Call {
  std::string name;
  ino_t inode = 0;  // of the file or folder; of what is renamed
  off_t size = 0;   // at that moment

  friend bool operator==(const Call&, const Call&) = default;
};

struct Watch {
  std::vector<Call> calls;
  int sync_fails_with = 0;
};
Watch* watch = nullptr;

Call call_on(const char* name, const struct stat& info) {
  return {name, info.st_ino, S_ISDIR(info.st_mode) ? 0 : info.st_size};
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace
}  // namespace assay

extern "C" int fsync(int descriptor) {
  struct stat info {};
  if (assay::watch != nullptr && ::fstat(descriptor, &info) == 0) {
    assay::watch->calls.push_back(assay::call_on("fsync", info));
    if (assay::watch->sync_fails_with != 0) {
      errno = assay::watch->sync_fails_with;
      return -1;
    }
  }
  return assay::next<int(int)>("fsync")(descriptor);
}

extern "C" int rename(const char* from, const char* to) noexcept {
  struct stat info {};
  if (assay::watch != nullptr && ::stat(from, &info) == 0)
    assay::watch->calls.push_back(assay::call_on("rename", info));
  return assay::next<int(const char*, const char*)>("rename")(from, to);
}

namespace assay {
namespace {

class Durability : public testing::Test {
 protected:
  Durability() { watch = &watched_; }
  ~Durability() override { watch = nullptr; }

  static Call on(const char* name, const std::filesystem::path& path) {
    struct stat info {};
    EXPECT_EQ(::stat(path.c_str(), &info), 0);
    return call_on(name, info);
  }

  // What must have been called to leave this file behind.
  static std::vector<Call> in_order(const std::filesystem::path& path) {
    return {on("fsync", path), on("rename", path), on("fsync", path.parent_path())};
  }

  Watch watched_;
};

TEST_F(Durability, AFileReachesTheDiskBeforeItsNameAndThenTheFolderDoes) {
  const auto path = test::scratch("a.txt");
  write_file_atomically(path, {"some ", "bytes"});
  EXPECT_EQ(watched_.calls, in_order(path));
  watched_.calls.clear();
  write_file_atomically(path, {"others"});
  EXPECT_EQ(watched_.calls, in_order(path));
}

TEST_F(Durability, HoldsForArchives) {
  const auto path = test::scratch("a.npz");
  const std::vector<float> values = {1, 2};
  const std::vector<NpzMember> members = {
      {"x", ElementType::f32, {2}, std::as_bytes(std::span(values))}};
  write_npz(path, members);
  EXPECT_EQ(watched_.calls, in_order(path));
}

TEST_F(Durability, WhatDoesNotReachTheDiskDoesNotGetTheName) {
  const auto path = test::write_file("a.txt", "old");
  watched_.sync_fails_with = EIO;
  EXPECT_TRUE(test::says(test::error_of([&] { write_file_atomically(path, {"new"}); }), "a.txt"));
  ASSERT_EQ(watched_.calls.size(), 1U);
  EXPECT_EQ(test::read_file(path), "old");
}

TEST_F(Durability, DisksThatCannotSyncAreWrittenToAllTheSame) {
  const auto path = test::scratch("a.txt");
  watched_.sync_fails_with = EINVAL;
  write_file_atomically(path, {"new"});
  EXPECT_EQ(test::read_file(path), "new");
}

}  // namespace
}  // namespace assay
#endif
