// Locks on disks that have none. The program's own flock() stands in for such a disk: the dynamic
// linker prefers it to the C library's.
#include "extract/entry_lock.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>

#include "support.h"

namespace {
std::atomic<int> flock_fails_with{0};
}  // namespace

extern "C" int flock(int descriptor, int mode) noexcept {
  if (flock_fails_with != 0) {
    errno = flock_fails_with;
    return -1;
  }
  return reinterpret_cast<int (*)(int, int)>(::dlsym(RTLD_NEXT, "flock"))(descriptor, mode);
}

namespace assay {
namespace {

class LocksThatFail : public testing::TestWithParam<int> {
 protected:
  LocksThatFail() { flock_fails_with = GetParam(); }
  ~LocksThatFail() override { flock_fails_with = 0; }
};

TEST_P(LocksThatFail, AreErrorsAndNotHeld) {
#if !defined(__linux__)
  GTEST_SKIP() << "calls of the library cannot be stood in for here";
#endif
  const test::TemporaryDirectory folder;
  for (const bool waiting : {true, false}) {
    const std::string message = test::error_of([&] {
      if (waiting) FileLock::wait(folder / "a.lock");
      if (!waiting) FileLock::attempt(folder / "a.lock");
    });
    EXPECT_THAT(message, testing::AllOf(testing::HasSubstr("a.lock: cannot be locked"),
                                        testing::HasSubstr("ASSAY_CACHE")));
  }
}

INSTANTIATE_TEST_SUITE_P(Disks, LocksThatFail, testing::Values(ENOLCK, ENOSYS, EOPNOTSUPP, EIO));

}  // namespace
}  // namespace assay
