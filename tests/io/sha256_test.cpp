#include "io/sha256.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.h"

namespace assay {
namespace {

// The examples of FIPS 180-4.
TEST(Sha256, GivesTheStandardsValues) {
  const test::TemporaryDirectory folder;
  test::write_text(folder / "abc", "abc");
  EXPECT_EQ(sha256_of_file(folder / "abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  test::write_text(folder / "million", std::string(1000000, 'a'));
  EXPECT_EQ(sha256_of_file(folder / "million"),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  test::write_text(folder / "empty", "");
  EXPECT_EQ(sha256_of_file(folder / "empty"),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, NamesAFileThatIsNotThere) {
  EXPECT_THAT(test::error_of([] { sha256_of_file("gone.pt"); }), testing::HasSubstr("gone.pt"));
}

}  // namespace
}  // namespace assay
