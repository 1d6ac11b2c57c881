// Tests: net/find_networks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/error.h"
#include "assay/network.h"
#include "support.h"

namespace assay {
namespace {

using test::error_of;
using test::write_text;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class HubJson : public testing::Test {
 protected:
  NetworkList read(const std::string& text) const {
    write_text(folder_ / "hub.json", text);
    return read_hub_json(folder_ / "hub.json");
  }

  // The one complaint about a hub of one entry.
  std::string complaint(const std::string& entry) const {
    const NetworkList list = read("[" + entry + "]");
    EXPECT_THAT(list.networks, IsEmpty()) << entry;
    return list.failed.size() == 1 ? list.failed[0].error : "(none)";
  }

  test::TemporaryDirectory folder_;
};

// Results are written under the name: `extract --out DIR` would leave DIR.
TEST_F(HubJson, NamesThatLeadElsewhereAreRefused) {
  for (const char* name : {"../../x", "/etc/x", "a/b", "..", ".", "", "a\\nb", "\\u001b[2J"}) {
    EXPECT_THAT(complaint(std::string(R"({"file": "x.pt", "name": ")") + name + "\"}"),
                HasSubstr("'name' must be a plain name"))
        << name;
  }
  EXPECT_THAT(read(R"([{"file": "x.pt", "name": "ViT-B/16"}])").networks, IsEmpty());
  EXPECT_THAT(read(R"([{"file": "x.pt", "name": "..a (b), ä"}])").networks, SizeIs(1));
}

TEST_F(HubJson, NestedWithoutEndIsRefused) {
  const std::string deep(100'000, '[');
  EXPECT_THAT(error_of([&] { read(R"([{"file": )" + deep); }), HasSubstr("levels deep"));
}

TEST_F(HubJson, SaysHowImagesAreResized) {
  const NetworkList list = read(R"([{"name": "a", "file": "x.pt"}, {"name": "b", "file": "y.pt",
    "interpolation": "Bicubic", "crop_pct": 0.875}, {"name": "c", "file": "z.pt", "crop_pct": null}])");
  ASSERT_THAT(list.networks, SizeIs(3));
  EXPECT_EQ(list.networks[0].preprocessing.interpolation, Interpolation::bilinear);
  EXPECT_EQ(list.networks[0].preprocessing.crop_pct, 0.0);
  EXPECT_EQ(list.networks[1].preprocessing.interpolation, Interpolation::bicubic);
  EXPECT_EQ(list.networks[1].preprocessing.crop_pct, 0.875);
  EXPECT_EQ(list.networks[2].preprocessing.crop_pct, 0.0);
  EXPECT_THAT(complaint(R"({"file": "x.pt", "interpolation": "lanczos"})"),
              HasSubstr("'interpolation' must be \"bilinear\" or \"bicubic\"; found \"lanczos\""));
  for (const char* share : {"0", "1.1", "-1", "0.05", "\"all\""}) {
    EXPECT_THAT(complaint(std::string(R"({"file": "x.pt", "crop_pct": )") + share + "}"),
                HasSubstr("'crop_pct' must be a number"));
  }
}

TEST_F(HubJson, IsReadKeyByKey) {
  const NetworkList list = read(R"([{"name": "a", "file": "nets/x.pt", "input_size": 96,
    "input_scale": 1, "channel_order": "bgr", "mean": [104, 117, 123], "std": [1, 2, 3],
    "feature_output": "pool", "logits_output": "out", "feature_dim": 512, "classes": 0,
    "params": 1235496, "licence": "MIT", "notes": "n", "source_data": "ignored",
    "sha256": "FF9B0866DFF03E34FC021119D7D5D4FBFEE87D3EC7A62A3C9B301C5B4EB0BB03"}])");
  ASSERT_THAT(list.networks, SizeIs(1));
  EXPECT_THAT(list.failed, IsEmpty());
  const NetworkDescription& network = list.networks[0];
  EXPECT_EQ(network.name, "a");
  EXPECT_EQ(network.file, folder_ / "nets/x.pt");
  EXPECT_EQ(network.backend, Backend::torchscript);
  EXPECT_EQ(network.preprocessing.input_size, 96);
  EXPECT_EQ(network.preprocessing.input_scale, 1.0);
  EXPECT_TRUE(network.preprocessing.bgr);
  EXPECT_THAT(network.preprocessing.mean, ElementsAre(104, 117, 123));
  EXPECT_THAT(network.preprocessing.std, ElementsAre(1, 2, 3));
  EXPECT_EQ(network.feature_output, "pool");
  EXPECT_EQ(network.logits_output, "out");
  EXPECT_EQ(network.feature_dim, 512);
  EXPECT_EQ(network.classes, 0);
  EXPECT_EQ(network.params, 1235496);
  EXPECT_EQ(network.licence, "MIT");
  EXPECT_EQ(network.sha256.substr(0, 4), "ff9b");
  EXPECT_TRUE(network.described);
}

TEST_F(HubJson, NeedsOnlyAFile) {
  const NetworkList list = read(R"([{"file": "x.pt"}, {"file": "y.bin", "backend": "onnx"}])");
  ASSERT_THAT(list.networks, SizeIs(2));
  EXPECT_EQ(list.networks[0].name, "x");
  EXPECT_FALSE(list.networks[0].classes.has_value());
  EXPECT_EQ(list.networks[1].backend, Backend::onnx);
}

TEST_F(HubJson, NamesFileEntryAndKeyOfWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"name": "a"})", "'file' must be"},
      {R"({"file": "a.bin"})", "'backend' must be given"},
      {R"({"file": "a.pt", "backend": "tflite"})", "'backend' must be \"torchscript\" or \"onnx\""},
      {R"({"file": "a.pt", "input_size": "224"})", "'input_size' must be a whole number"},
      {R"({"file": "a.pt", "input_size": 0})", "'input_size' must be a whole number"},
      {R"({"file": "a.pt", "input_size": 99999999})", "at most 16384"},
      {R"({"file": "a.pt", "input_size": 22.5})", "found 22.5"},
      {R"({"file": "a.pt", "input_scale": 0})", "'input_scale' must be a number above 0"},
      {R"({"file": "a.pt", "input_scale": "x"})", "'input_scale' must be a number"},
      {R"({"file": "a.pt", "mean": [0.5]})", "'mean' must be an array of 3 numbers"},
      {R"({"file": "a.pt", "mean": [0.5, 0.5, "x"]})", "'mean' must be an array of 3 numbers"},
      {R"({"file": "a.pt", "std": [1, 1, 0]})", "'std' must be 3 numbers above 0"},
      {R"({"file": "a.pt", "channel_order": "RBG"})", "'channel_order' must be"},
      {R"({"file": "a.pt", "classes": -1})", "'classes' must be a whole number"},
      {R"({"file": "a.pt", "feature_dim": []})", "'feature_dim' must be a whole number"},
      {R"({"file": "a.pt", "licence": 3})", "'licence' must be text"},
      {R"({"file": "a.pt", "sha256": "12"})", "'sha256' must be 64 hexadecimal digits"},
      {R"({"file": 7})", "'file' must be text; found 7"},
      {R"("a.pt")", "expected an object"},
  };
  for (const auto& [entry, message] : cases) {
    const std::string found = complaint(entry);
    EXPECT_THAT(found, HasSubstr(message)) << entry;
    EXPECT_THAT(found, HasSubstr("hub.json: entry 1")) << entry;
  }
}

TEST_F(HubJson, OneBadEntryDoesNotStopTheOthers) {
  const NetworkList list =
      read(R"([{"file": "a.pt"}, {"name": "b", "file": "b.pt", "std": 1}, {"file": "c.onnx"},
               {"file": "x/a.pt"}])");
  ASSERT_THAT(list.networks, SizeIs(2));
  ASSERT_THAT(list.failed, SizeIs(2));
  EXPECT_EQ(list.failed[0].name, "b");
  EXPECT_THAT(list.failed[0].error, HasSubstr("entry 2 ('b')"));
  EXPECT_THAT(list.failed[1].error, HasSubstr("'name' is that of an earlier entry"));
}

TEST_F(HubJson, ThatIsNoArrayIsRefused) {
  for (const char* text : {"", "{", "[1,", "\xff\xfe"})
    EXPECT_THAT(error_of([&] { read(text); }), HasSubstr("hub.json: not valid JSON")) << text;
  EXPECT_THAT(error_of([&] { read("{\"a\": 1}"); }), HasSubstr("expected an array of objects"));
}

class FindNetworks : public HubJson {};

TEST_F(FindNetworks, TakesDefaultsWithANoteForFilesNobodyDescribes) {
  write_text(folder_ / "hub.json", R"([{"file": "b.pt", "input_size": 32}])");
  for (const char* name : {"b.pt", "a.onnx", "c.npy"}) write_text(folder_ / name, "x");
  const NetworkList list = find_networks({folder_.path()});
  ASSERT_THAT(list.networks, SizeIs(2));
  EXPECT_EQ(list.networks[0].name, "a");
  EXPECT_EQ(list.networks[0].backend, Backend::onnx);
  EXPECT_FALSE(list.networks[0].described);
  EXPECT_EQ(list.networks[0].preprocessing.input_size, 224);
  EXPECT_THAT(list.networks[0].preprocessing.mean, ElementsAre(0.485, 0.456, 0.406));
  EXPECT_EQ(list.networks[1].preprocessing.input_size, 32);
  ASSERT_THAT(list.notes, SizeIs(1));
  EXPECT_THAT(list.notes[0], HasSubstr("a.onnx: no hub.json describes it; assuming 224 px"));
}

TEST_F(FindNetworks, DescribesASingleFileByTheHubJsonBesideIt) {
  write_text(folder_ / "hub.json", R"([{"name": "x", "file": "b.pt", "input_size": 32},
                                       {"file": "bad.pt", "std": 0}])");
  for (const char* name : {"b.pt", "bad.pt"}) write_text(folder_ / name, "x");
  const NetworkList list = find_networks({folder_ / "b.pt", folder_ / "bad.pt"});
  ASSERT_THAT(list.networks, SizeIs(1));
  EXPECT_EQ(list.networks[0].name, "x");
  EXPECT_THAT(list.failed, SizeIs(1)) << "no defaults for a file whose entry is wrong";
  EXPECT_THAT(list.notes, IsEmpty());
}

TEST_F(FindNetworks, RefusesTwoOfOneNameAndPathsThatDoNotExist) {
  for (const char* name : {"a.pt", "a.onnx"}) write_text(folder_ / name, "x");
  EXPECT_THAT(error_of([&] { find_networks({folder_.path()}); }),
              HasSubstr("two networks are called 'a'"));
  EXPECT_THAT(error_of([&] { find_networks({folder_ / "gone"}); }),
              HasSubstr("gone: no such file or directory"));
  EXPECT_THAT(find_networks({folder_ / "a.pt", folder_ / "a.pt"}).networks, SizeIs(1));
}

}  // namespace
}  // namespace assay
