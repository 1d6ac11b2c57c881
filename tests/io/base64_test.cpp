#include "io/base64.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

std::string encoded(std::string_view text) {
  return to_base64(std::as_bytes(std::span(text.data(), text.size())));
}

std::string decoded(std::string_view text) {
  const std::optional<std::vector<std::byte>> bytes = from_base64(text);
  EXPECT_TRUE(bytes.has_value()) << text;
  std::string out;
  for (const std::byte byte : bytes.value_or(std::vector<std::byte>()))
    out += static_cast<char>(byte);
  return out;
}

// The examples of RFC 4648, section 10.
TEST(Base64, HasTheTextsOfTheStandard) {
  const std::pair<const char*, const char*> examples[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, text] : examples) {
    EXPECT_EQ(encoded(plain), text);
    EXPECT_EQ(decoded(text), plain);
  }
  EXPECT_EQ(decoded(encoded("\xff\x01\x80")), "\xff\x01\x80");
}

TEST(Base64, RefusesOtherText) {
  for (const char* text :
       {"Zg=", "Zg", "Z===", "Zm9 ", "Zm\n=", "=Zm9", "====", "Zm9v Zm9v", "Zg=a", "Zg==Zg=="})
    EXPECT_FALSE(from_base64(text).has_value()) << text;
}

}  // namespace
}  // namespace assay
