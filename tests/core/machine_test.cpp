#include "core/machine.h"

#include <gtest/gtest.h>

#include <thread>

#include "assay/thread_pool.h"
#include "core/memory.h"
#include "support.h"

namespace assay {
namespace {

// A tree of control groups as Linux shows it, written by hand.
class Groups : public testing::Test {
 protected:
  void write(const std::string& relative, const std::string& text) const {
    const std::filesystem::path path = folder_.path() / relative;
    std::filesystem::create_directories(path.parent_path());
    test::write_text(path, text);
  }
  ContainerLimits limits() const {
    return container_limits(folder_.path() / "cgroup", folder_.path() / "own");
  }

  test::TemporaryDirectory folder_;
};

TEST_F(Groups, WithoutFilesLimitNothing) {
  EXPECT_FALSE(limits().memory);
  EXPECT_FALSE(limits().processors);
}

TEST_F(Groups, OfVersion2GiveMemoryAndQuota) {
  write("own", "0::/jobs/one\n");
  write("cgroup/jobs/one/memory.max", "536870912\n");
  write("cgroup/jobs/one/memory.high", "max\n");
  write("cgroup/jobs/one/cpu.max", "150000 100000\n");
  EXPECT_EQ(limits().memory, Index{536870912});
  EXPECT_EQ(limits().processors, 1.5);
}

TEST_F(Groups, AboveTheOwnOneLimitItToo) {
  write("own", "0::/jobs/one\n");
  write("cgroup/jobs/memory.max", "1000000\n");
  write("cgroup/jobs/one/memory.max", "max\n");
  write("cgroup/jobs/one/memory.high", "2000000\n");
  write("cgroup/cpu.max", "50000 100000\n");
  write("cgroup/jobs/one/cpu.max", "max 100000\n");
  EXPECT_EQ(limits().memory, Index{1000000});
  EXPECT_EQ(limits().processors, 0.5);
}

TEST_F(Groups, OfVersion1GiveMemoryAndQuota) {
  write("own", "11:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n1:name=systemd:/docker/abc\n");
  write("cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("cgroup/memory/docker/abc/memory.limit_in_bytes", "268435456\n");
  write("cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "200000\n");
  write("cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(limits().memory, Index{268435456});
  EXPECT_EQ(limits().processors, 2.0);
}

// Inside a container the own path is often the host's, and the root of the tree the container's.
TEST_F(Groups, ThatAreNotMountedHereStandAtTheRoot) {
  write("own", "4:memory:/docker/abc\n3:cpu:/docker/abc\n");
  write("cgroup/memory/memory.limit_in_bytes", "268435456\n");
  write("cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(limits().memory, Index{268435456});
  EXPECT_FALSE(limits().processors);
}

TEST_F(Groups, WithNonsenseLimitNothing) {
  write("own", "nothing\n::\n0::/../../etc\n4:memory:/x\n");
  write("cgroup/memory/x/memory.limit_in_bytes", "lots\n");
  write("cgroup/memory.max", "-5\n");
  write("cgroup/cpu.max", "100000\n");
  EXPECT_FALSE(limits().memory);
  EXPECT_FALSE(limits().processors);
}

TEST(Machine, OffersSomeOfWhatItHas) {
  EXPECT_GE(usable_processors(), 1);
  EXPECT_LE(usable_processors(),
            static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
  EXPECT_GT(usable_memory(), Index{1} << 20);
  EXPECT_LE(default_memory_limit(), usable_memory() / 2);
  EXPECT_EQ(ThreadPool(0).threads(), usable_processors());
}

}  // namespace
}  // namespace assay
