#include "hub/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support.h"

namespace assay {
namespace {

using testing::HasSubstr;

CatalogueEntry entry() {
  CatalogueEntry out;
  out.name = "small";
  out.params = 5'000'000;
  out.bytes = 20e6;
  out.ms = 8.0;
  out.licence = "Apache-2.0 (weights of somebody)";
  out.trained_on = {"ImageNet", "cifar10"};
  return out;
}

TEST(Requirements, AreMetOrNamed) {
  const CatalogueEntry model = entry();
  for (const char* met : {"ms<10", "ms<=8", "params<=5e6, size<21", "licence=apache-2.0",
                          "license=APACHE-2.0", "licence!=mit", "ms!=9", "ms>7,ms>=8"})
    EXPECT_EQ(unmet(model, parse_requirements(met)), "") << met;
  EXPECT_EQ(unmet(model, parse_requirements("ms<8")), "ms 8");
  EXPECT_EQ(unmet(model, parse_requirements("ms<10,params<1e6")), "params 5e+06");
  EXPECT_EQ(unmet(model, parse_requirements("licence=apache-2")),
            "licence Apache-2.0 (weights of somebody)");
  EXPECT_EQ(unmet(model, parse_requirements("licence!=apache-2.0")),
            "licence Apache-2.0 (weights of somebody)");
}

TEST(Requirements, AreNotMetByWhatIsNotKnown) {
  CatalogueEntry model;
  EXPECT_EQ(unmet(model, parse_requirements("ms<10")), "its ms is not known");
  EXPECT_EQ(unmet(model, parse_requirements("licence!=gpl")), "its licence is not known");
  EXPECT_EQ(unmet(model, parse_requirements("dim<10")), "its dim is not known");
}

TEST(Requirements, ThatMakeNoSenseAreRefused) {
  for (const char* text :
       {"", "ms", "ms<", "ms<fast", "speed<3", "licence<mit", "licence=", "ms<1,,"})
    EXPECT_THAT(test::error_of([&] { parse_requirements(text); }), HasSubstr("such as ms<10"))
        << text;
}

TEST(Catalogue, KnowsWhatAModelHasSeen) {
  EXPECT_TRUE(has_seen(entry(), "CIFAR10"));
  EXPECT_FALSE(has_seen(entry(), "cifar"));
}

TEST(Catalogue, ReadsFilesAndHubJson) {
  const test::TemporaryDirectory hub;
  test::write_text(hub / "a.csv", "1,2\n3,4\n");
  test::write_text(hub / "b.pt", "no network, but nobody opens it");
  test::write_text(hub / "hub.json",
                   R"([{"name": "b", "file": "b.pt", "params": 7, "ms": 1.5, "static": 0.7,
                       "licence": "MIT", "trained_on": "imagenet"},
                      {"name": "gone", "file": "gone.pt", "trained_on": ["x", "y"]}])");
  const Catalogue catalogue = read_catalogue({}, {hub.path()});
  ASSERT_GE(catalogue.models.size(), 2U);
  const auto& b = *std::ranges::find(catalogue.models, "b", &CatalogueEntry::name);
  EXPECT_TRUE(b.network);
  EXPECT_EQ(b.params, 7);
  EXPECT_EQ(b.ms, 1.5);
  EXPECT_EQ(b.trained_on, std::vector<std::string>{"imagenet"});
  EXPECT_EQ(declared_standings({hub.path()}).at("b"), 0.7);
  test::write_text(hub / "hub.json", R"([{"name": "b", "file": "b.pt", "ms": "fast"}])");
  EXPECT_THAT(test::error_of([&] { read_catalogue({}, {hub.path()}); }),
              HasSubstr("entry 'b': 'ms' must be a number"));
}

}  // namespace
}  // namespace assay
