#include "io/json.h"

#include <gtest/gtest.h>

#include "core/memory.h"
#include "files.h"
#include "io/sealed_json.h"

namespace assay {
namespace {

using test::error_of;
using test::says;

std::string nested(int depth) {
  const auto levels = static_cast<std::size_t>(depth);
  return std::string(levels, '[') + std::string(levels, ']');
}

TEST(Json, IsReadToTheDepthThatOurFilesHave) {
  EXPECT_EQ(parse_json(nested(kDeepestJson), "a.json").size(), 1U);
  EXPECT_EQ(parse_ordered_json(R"({"b": [1, 2.5], "a": "[[[["})", "a.json").dump(),
            R"({"b":[1,2.5],"a":"[[[["})");
}

// Copying and printing what the parser returns recurse: 200,000 levels end the program.
TEST(Json, NestedWithoutEndIsRefusedBeforeAnythingIsBuilt) {
  for (const int depth : {kDeepestJson + 1, 200'000}) {
    EXPECT_TRUE(says(error_of([&] { parse_json(nested(depth), "a.json"); }), "levels deep"));
    const auto path = test::write_file("a.json", R"({"a": )" + nested(depth) + "}");
    EXPECT_TRUE(says(error_of([&] { read_ordered_json(path); }), path.string()));
  }
  std::string objects;
  for (int i = 0; i < 1000; ++i) objects += R"({"\"[":)";
  EXPECT_TRUE(says(error_of([&] { parse_json(objects, "a.json"); }), "levels deep"));
}

TEST(Json, SaysWhereItIsWrong) {
  EXPECT_TRUE(says(error_of([] { parse_json("[1, 2", "a.json"); }), "a.json: not valid JSON at"));
  EXPECT_TRUE(says(error_of([] { parse_json("", "a.json"); }), "a.json: not valid JSON"));
  EXPECT_TRUE(says(error_of([] { parse_json("[1e999]", "a.json"); }), "range of doubles"));
}

TEST(Json, ObeysTheMemoryLimitByTheValuesItWouldHold) {
  std::string many = "[0";
  for (int i = 0; i < 100'000; ++i) many += ",0";
  many += "]";
  limit_reading(1 << 20);
  const std::string message = error_of([&] { parse_json(many, "a.json"); });
  limit_reading(0);
  EXPECT_TRUE(says(message, "`memory_limit`"));
  EXPECT_EQ(parse_json(many, "a.json").size(), 100'001U);
}

TEST(SealedJson, GivesBackWhatWasSealed) {
  const nlohmann::ordered_json object = {{"z", 0.1 + 0.2}, {"a", {1, nullptr, "digest\":\""}}};
  EXPECT_EQ(unsealed_json(sealed_json(object, "x"), "x"), object);
  EXPECT_EQ(unsealed_json(sealed_json(nlohmann::ordered_json::object())).value().size(), 0U);
  EXPECT_FALSE(unsealed_json(sealed_json(object, "x"), "y").has_value());
  EXPECT_FALSE(unsealed_json(object.dump()).has_value());
  EXPECT_FALSE(unsealed_json("").has_value());
}

TEST(SealedJson, EveryFlippedBitAndEveryCutIsNoticed) {
  const std::string sealed = sealed_json({{"loss", 0.12345}, {"n", 10}});
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    EXPECT_FALSE(unsealed_json(sealed.substr(0, i)).has_value());
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = sealed;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      EXPECT_FALSE(unsealed_json(flipped).has_value()) << flipped;
    }
  }
}

TEST(SealedJson, OfAMissingOrDamagedFileIsNothing) {
  const auto path = test::scratch("kept.json");
  EXPECT_FALSE(read_sealed_json(path).has_value());
  write_sealed_json(path, {{"a", 1}});
  EXPECT_EQ(read_sealed_json(path).value().at("a"), 1);
  std::filesystem::resize_file(path, 5);
  EXPECT_FALSE(read_sealed_json(path).has_value());
}

}  // namespace
}  // namespace assay
