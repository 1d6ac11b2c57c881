#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/hub.h"
#include "support.h"

namespace assay {
namespace {

using testing::HasSubstr;

std::vector<std::string> names(const ModelList& catalogue) {
  std::vector<std::string> all;
  for (const Model& model : catalogue.models) all.push_back(model.name);
  return all;
}

class CatalogueTest : public testing::Test {
 protected:
  void touch(const std::string& name) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    test::write_text(folder_ / name, "x");
  }
  test::TemporaryDirectory folder_;
};

// One of many entries may not end a whole hub: it is a model, and fails as one.
TEST_F(CatalogueTest, LinksThatLeadToThemselvesAreModelsThatFailAlone) {
  touch("a.npy");
  std::filesystem::create_symlink("loop.npy", folder_ / "loop.npy");
  std::filesystem::create_symlink("notes", folder_ / "notes");
  const ModelList found = find_models({folder_.path()}, {});
  EXPECT_EQ(names(found), (std::vector<std::string>{"a", "loop"}));
  EXPECT_THAT(test::error_of([&] { find_models({folder_ / "loop.npy"}, {}); }),
              HasSubstr("loop.npy: Too many levels"));
}

TEST_F(CatalogueTest, NamesModelsByTheirFileStems) {
  for (const char* file :
       {"b.npy", "a.npz", "c.h5", "d.safetensors", "e/features.npy", "f.v1.5.npy"})
    touch(file);
  EXPECT_EQ(names(find_models({folder_.path()}, {})),
            (std::vector<std::string>{"a", "b", "c", "d", "e", "f.v1.5"}));
}

TEST_F(CatalogueTest, LeavesOutLabelsTablesNetworksAndStrangers) {
  for (const char* file : {"a.npy", "labels.npy", "truth.csv", "README.md", "hub.json", "net.pt",
                           "sub/other.npy", "._a.npy", ".b/features.npy"}) {
    touch(file);
  }
  const ModelList catalogue = find_models({folder_.path()}, folder_ / "labels.npy");
  EXPECT_EQ(names(catalogue), std::vector<std::string>{"a"});
  EXPECT_EQ(catalogue.networks.size(), 1U);
}

TEST_F(CatalogueTest, PutsShardsInOrder) {
  for (const char* file : {"a.00001.npy", "a.00000.npy", "a.00002.npy", "b.npy"}) touch(file);
  const ModelList catalogue = find_models({folder_.path()}, {});
  ASSERT_EQ(names(catalogue), (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(catalogue.models[0].features.size(), 3U);
  EXPECT_EQ(catalogue.models[0].features[1].filename(), "a.00001.npy");
}

TEST_F(CatalogueTest, RefusesMissingShardsAndDoubleNames) {
  touch("s/a.00000.npy");
  touch("s/a.00002.npy");
  EXPECT_THAT(test::error_of([&] { find_models({folder_ / "s"}, {}); }),
              HasSubstr("shard 1 of 'a' is missing"));
  touch("d/a.npy");
  touch("d/a.h5");
  EXPECT_THAT(test::error_of([&] { find_models({folder_ / "d"}, {}); }),
              HasSubstr("two models are called 'a'"));
}

TEST_F(CatalogueTest, TakesFilesAndSingleModelFolders) {
  touch("x.npy");
  touch("y.csv");
  touch("m/features.h5");
  EXPECT_EQ(names(find_models(
                {folder_ / "x.npy", folder_ / "y.csv", folder_ / "m", folder_ / "x.npy"}, {})),
            (std::vector<std::string>{"m", "x", "y"}));
}

TEST_F(CatalogueTest, ExplainsWhatIsNotThere) {
  EXPECT_THAT(test::error_of([&] { find_models({folder_ / "none"}, {}); }),
              HasSubstr("no such file or directory"));
  EXPECT_THAT(test::error_of([&] { find_models({folder_.path()}, {}); }),
              HasSubstr("no feature files found"));
  touch("a.doc");
  EXPECT_THAT(test::error_of([&] { find_models({folder_ / "a.doc"}, {}); }), HasSubstr(".npy"));
}

TEST(Counterpart, IsFoundByNameUnlessThereIsOnlyOne) {
  const ModelList one{{{"train", {}}}, {}};
  const ModelList held{{{"test", {}}}, {}};
  EXPECT_EQ(same_model_in(one, one.models[0], held).name, "test");
  const ModelList two{{{"a", {}}, {"b", {}}}, {}};
  EXPECT_EQ(same_model_in(two, two.models[1], two).name, "b");
  EXPECT_THAT(test::error_of([&] { same_model_in(two, two.models[0], held); }),
              HasSubstr("'test'"));
}

}  // namespace
}  // namespace assay
