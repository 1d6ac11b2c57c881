// Tests: io/hdf5_sandbox, io/hdf5_serve.

// The process that asks, with workers that do not do as they should. What a true one reads is
// tested with the command (tests/cli/hostile_test.cpp).
#include "io/hdf5_worker.h"

#include <gtest/gtest.h>

#include "files.h"
#include "io/hdf5.h"
#include "io/hdf5_messages.h"

namespace assay {
namespace {

using test::error_of;
using test::says;

class Hdf5Worker : public testing::Test {
 protected:
  ~Hdf5Worker() override { use_hdf5_worker({}); }

  static std::string names_by(const std::string& script, Hdf5Patience patience = {}) {
    const auto program = test::write_file("worker.sh", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    use_hdf5_worker(program, patience);
    const auto file = test::write_file("a.h5", "anything");
    return error_of([&] { hdf5_names(file); });
  }
};

TEST_F(Hdf5Worker, ThatCrashesIsAnErrorThatNamesTheFile) {
  EXPECT_TRUE(says(names_by("kill -SEGV $$"), "a.h5: the HDF5 library crashed on it (signal 11)"));
  EXPECT_TRUE(says(names_by("kill -ABRT $$"), "signal 6"));
}

TEST_F(Hdf5Worker, ThatEndsOrTalksNonsenseIsAnErrorToo) {
  EXPECT_TRUE(says(names_by("exit 0"), "a.h5: the process that reads HDF5 files ended early"));
  EXPECT_TRUE(says(names_by("printf 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' >&4; sleep 1"), "a.h5"));
}

TEST_F(Hdf5Worker, ThatComputesWithoutEndIsEnded) {
  EXPECT_TRUE(
      says(names_by("while :; do :; done", {.computing = 0.2}),
           "a.h5: the HDF5 library computed for 0 seconds without an answer and was ended"));
}

TEST_F(Hdf5Worker, ThatDoesNothingIsEnded) {
  EXPECT_TRUE(says(names_by("exec sleep 1000", {.idle = 1.0}),
                   "a.h5: the process that reads it did nothing for 1 seconds and was ended"));
}

TEST_F(Hdf5Worker, ThatCannotBeStartedIsAnErrorThatNamesTheFile) {
  use_hdf5_worker("/nowhere/assay");
  const auto file = test::write_file("a.h5", "anything");
  EXPECT_TRUE(says(error_of([&] { hdf5_names(file); }), "a.h5"));
}

TEST(Hdf5Messages, ThatAreCutShortAreErrors) {
  hdf5::Packer packer;
  packer.number(7);
  packer.text("abc");
  hdf5::Unpacker whole(packer.bytes());
  EXPECT_EQ(whole.number(), 7);
  EXPECT_EQ(whole.text(), "abc");
  for (std::size_t size = 0; size < packer.bytes().size(); ++size) {
    hdf5::Unpacker part(std::string_view(packer.bytes()).substr(0, size));
    EXPECT_NE(error_of([&] {
                part.number();
                part.text();
              }),
              "");
  }
}

}  // namespace
}  // namespace assay
