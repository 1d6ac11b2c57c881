// Tests: images/array_images, images/file_images, images/open_image_data, images/read_arrays,
//   images/read_folders, images/read_manifest, images/split_image_data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "assay/error.h"
#include "assay/images.h"
#include "image_files.h"
#include "io/npy.h"
#include "support.h"

namespace assay {
namespace {

using test::error_of;
using test::put_image;
using test::put_images;
using test::put_labels;
using test::write_text;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class DataSets : public testing::Test {
 protected:
  std::string error() const {
    return error_of([&] { open_image_data(data_); });
  }
  test::TemporaryDirectory folder_;
  std::filesystem::path data_ = folder_ / "data";
};

TEST_F(DataSets, ClassFoldersGiveTheirNamesAsClasses) {
  put_image(data_ / "rose" / "b.png");
  put_image(data_ / "rose" / "deep" / "a.jpg", "rgb.jpg");
  put_image(data_ / "aster" / "x.WEBP", "rgb.webp");
  write_text(data_ / "rose" / "notes.txt", "passed over");
  write_text(data_ / "rose" / ".hidden.png", "passed over");
  write_text(data_ / "readme.md", "passed over");
  const ImageData data = open_image_data(data_);
  EXPECT_EQ(data.name, "data");
  EXPECT_THAT(data.train.targets.names, ElementsAre("aster", "rose"));
  EXPECT_THAT(data.train.targets.labels, ElementsAre(0, 1, 1));
  EXPECT_FALSE(data.test.has_value());
  EXPECT_THAT(data.train.images->name(1), HasSubstr("rose/b.png"));
  EXPECT_EQ(data.train.images->read(0).width, 16);
}

TEST_F(DataSets, FoldersOfPartsAreRecognised) {
  for (const char* part : {"train/a", "train/b", "val/a", "val/b"})
    put_image(data_ / part / "1.png");
  put_image(data_ / "train/b" / "2.png");
  const ImageData data = open_image_data(data_);
  EXPECT_THAT(data.train.targets.labels, ElementsAre(0, 1, 1));
  ASSERT_TRUE(data.test.has_value());
  EXPECT_THAT(data.test->targets.labels, ElementsAre(0, 1));
  put_image(data_ / "val/c" / "1.png");
  EXPECT_THAT(error(), AllOf(HasSubstr("'c'"), HasSubstr("training part")));
}

TEST_F(DataSets, AClassWithoutImagesIsAnErrorThatNamesIt) {
  put_image(data_ / "rose" / "1.png");
  std::filesystem::create_directories(data_ / "tulip");
  EXPECT_THAT(error(), AllOf(HasSubstr("tulip"), HasSubstr("no image")));
}

TEST_F(DataSets, AFolderWithoutImagesOrNoFolderIsAnError) {
  EXPECT_THAT(error(), HasSubstr("no such file"));
  std::filesystem::create_directories(data_);
  EXPECT_THAT(error(), HasSubstr("no images found"));
  write_text(folder_ / "data.txt", "x");
  EXPECT_THAT(error_of([&] { open_image_data(folder_ / "data.txt"); }),
              HasSubstr("not a data set"));
}

TEST_F(DataSets, UnreadableImagesAreNamedWhenTheyAreRead) {
  put_image(data_ / "a" / "good.png");
  write_text(data_ / "a" / "text.jpg", "no picture");
  const ImageData data = open_image_data(data_);
  EXPECT_EQ(data.train.images->read(0).height, 12);
  EXPECT_THAT(error_of([&] { data.train.images->read(1); }), HasSubstr("a/text.jpg"));
}

TEST_F(DataSets, ArraysAreMappedAndGreyIsReplicated) {
  std::filesystem::create_directories(data_);
  put_images(data_ / "train_images.npy", 4, 1);
  put_labels(data_ / "train_labels.npy", 4);
  put_images(data_ / "test_images.npy", 2, 3);
  put_labels(data_ / "test_labels.npy", 2);
  const ImageData data = open_image_data(data_);
  EXPECT_THAT(data.train.targets.labels, ElementsAre(0, 1, 2, 0));
  const std::vector<std::uint8_t> bytes = test::noise_bytes(4 * 30, 1);
  const Image third = data.train.images->read(2);
  EXPECT_EQ(third.height, 6);
  EXPECT_EQ(third.width, 5);
  for (std::size_t k = 0; k < 90; ++k) ASSERT_EQ(third.pixels[k], bytes[60 + k / 3]);
  ASSERT_TRUE(data.test.has_value());
  EXPECT_EQ(data.test->images->count(), 2);
  EXPECT_THAT(data.test->images->name(1), HasSubstr("test_images.npy: image 1"));
}

TEST_F(DataSets, ArraysThatAreNoImagesAreRefused) {
  std::filesystem::create_directories(data_);
  put_labels(data_ / "train_labels.npy", 4);
  EXPECT_THAT(error(),
              AllOf(HasSubstr("train_labels.npy is there"), HasSubstr("train_images.npy")));
  const std::filesystem::path file = data_ / "train_images.npy";
  put_images(file, 5);
  EXPECT_THAT(error(), AllOf(HasSubstr("4 labels for 5 images"), HasSubstr("train_labels.npy")));
  write_npy(file, Matrix::Zero(4, 3));
  EXPECT_THAT(error(), AllOf(HasSubstr("train_images.npy"), HasSubstr("uint8")));
  const std::vector<std::uint8_t> bytes(4 * 3 * 6 * 5);
  const auto write = [&](const std::vector<Index>& shape) {
    write_npy(file, ElementType::u8, shape, std::as_bytes(std::span(bytes)));
  };
  write({4, 3, 6, 5});
  EXPECT_THAT(error(), HasSubstr("transpose(0, 2, 3, 1)"));
  write({4, 90});
  EXPECT_THAT(error(), HasSubstr("(4, 90)"));
  write({0, 6, 5, 3});
  EXPECT_THAT(error(), HasSubstr("no images"));
}

TEST_F(DataSets, NpzFilesHoldImagesAndLabels) {
  const ImageData data = open_image_data(test::golden("images/images.npz"));
  EXPECT_EQ(data.name, "images");
  EXPECT_THAT(data.train.targets.labels, ElementsAre(1, 0, 1));
  EXPECT_THAT(data.train.images->read(2).pixels,
              ElementsAre(8, 8, 8, 9, 9, 9, 10, 10, 10, 11, 11, 11));
  data_ = test::golden("transfer/digits_raw/F.npy");
  EXPECT_THAT(error(), HasSubstr("not a data set"));
}

TEST_F(DataSets, ManifestsGiveClassesTargetsAndSplits) {
  for (const char* name : {"1.png", "2.png", "3.png"}) put_image(folder_ / "pictures" / name);
  data_ = folder_ / "flowers.csv";
  write_text(data_,
             "split,path,label\ntrain,pictures/1.png,rose\ntest,pictures/2.png,rose\n"
             "train,pictures/3.png,aster\n");
  const ImageData classes = open_image_data(data_);
  EXPECT_EQ(classes.name, "flowers");
  EXPECT_THAT(classes.train.targets.labels, ElementsAre(1, 0));
  EXPECT_THAT(classes.train.images->name(1), HasSubstr("3.png"));
  ASSERT_TRUE(classes.test.has_value());
  EXPECT_EQ(classes.test->images->count(), 1);
  write_text(data_, "path,width,angle\npictures/1.png,1.5,2\npictures/2.png,-3,0.25\n");
  const ImageData numbers = open_image_data(data_);
  EXPECT_EQ(numbers.train.targets.kind, TargetKind::regression);
  EXPECT_THAT(numbers.train.targets.names, ElementsAre("width", "angle"));
  EXPECT_EQ(numbers.train.targets.values(1, 1), 0.25);
}

TEST_F(DataSets, ManifestErrorsNameTheRow) {
  put_image(folder_ / "1.png");
  data_ = folder_ / "m.csv";
  const auto error_for = [&](const std::string& text) {
    write_text(data_, text);
    return error();
  };
  EXPECT_THAT(error_for("path,label\n1.png,a\ngone.png,b\n"),
              AllOf(HasSubstr("m.csv: row 1"), HasSubstr("gone.png")));
  EXPECT_THAT(error_for("path,label\n1.png,\n"), AllOf(HasSubstr("row 0"), HasSubstr("'label'")));
  EXPECT_THAT(error_for("file,label\n1.png,a\n"), HasSubstr("'path'"));
  EXPECT_THAT(error_for("path\n1.png\n"), HasSubstr("what to predict"));
  EXPECT_THAT(error_for("path,label,split\n1.png,a,later\n"), HasSubstr("'later'"));
  EXPECT_THAT(error_for("path,label,split\n1.png,a,test\n"), HasSubstr("train on"));
}

TEST_F(DataSets, ASeededSplitKeepsTheSharesOfClasses) {
  std::filesystem::create_directories(data_);
  put_images(data_ / "train_images.npy", 60);
  put_labels(data_ / "train_labels.npy", 60);
  const ImageData split = split_image_data(open_image_data(data_), 0.8, 7);
  ASSERT_TRUE(split.test.has_value());
  std::set<std::string> names;
  for (const LabelledImages* part : {&split.train, &*split.test}) {
    std::vector<Index> counts(3);
    for (const Label label : part->targets.labels) ++counts[static_cast<std::size_t>(label)];
    const Index expected = part == &split.train ? 16 : 4;
    EXPECT_THAT(counts, ElementsAre(expected, expected, expected));
    for (Index i = 0; i < part->images->count(); ++i) names.insert(part->images->name(i));
  }
  EXPECT_EQ(names.size(), 60U);  // every image once
  const ImageData again = split_image_data(open_image_data(data_), 0.8, 7);
  const ImageData other = split_image_data(open_image_data(data_), 0.8, 8);
  const auto order = [](const ImageData& data) {
    std::vector<std::string> all;
    for (Index i = 0; i < data.train.images->count(); ++i)
      all.push_back(data.train.images->name(i));
    return all;
  };
  EXPECT_EQ(order(split), order(again));
  EXPECT_NE(order(split), order(other));
  // Labels travel with their images: image i of the array has label i mod 3.
  for (Index i = 0; i < split.test->images->count(); ++i) {
    const std::string name = split.test->images->name(i);
    EXPECT_EQ(std::stol(name.substr(name.find_last_of(' '))) % 3,
              split.test->targets.labels[static_cast<std::size_t>(i)]);
  }
  EXPECT_THAT(error_of([&] { split_image_data(split, 0.5, 1); }), HasSubstr("test part"));
}

TEST(SplitChoice, IsAPartOrAShare) {
  EXPECT_FALSE(parse_split("train").test);
  EXPECT_TRUE(parse_split("test").test);
  EXPECT_EQ(parse_split("0.8").share, 0.8);
  EXPECT_FALSE(parse_split("0.8").test);
  EXPECT_TRUE(parse_split("0.8:test").test);
  for (const char* text : {"", "both", "0", "1", "1.5", "nan", "0.8:", "0.8:val", "train:test"})
    EXPECT_THAT(error_of([&] { parse_split(text); }), HasSubstr("is no split")) << text;
}

TEST_F(DataSets, DigestsTellContentsNotNames) {
  put_image(data_ / "a" / "1.png");
  put_image(data_ / "b" / "copy.png");
  put_image(data_ / "b" / "other.png", "grey.png");
  const Images images = open_image_data(data_).train.images;
  EXPECT_EQ(images->digest(0), images->digest(1));
  EXPECT_NE(images->digest(0), images->digest(2));
}

}  // namespace
}  // namespace assay
