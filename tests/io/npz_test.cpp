// Tests: io/write_npz.
#include "io/npz.h"

#include <gtest/gtest.h>
#include <zip.h>

#include "files.h"
#include "support.h"

namespace assay {
namespace {

using test::error_of;
using test::npy;
using test::says;

struct Entry {
  std::string name;
  std::string content;
};

std::filesystem::path write_zip(const std::string& name, const std::vector<Entry>& entries,
                                zip_int32_t method) {
  const std::filesystem::path path = test::scratch(name);
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  for (const Entry& entry : entries) {
    zip_source_t* source =
        zip_source_buffer(archive, entry.content.data(), entry.content.size(), 0);
    const zip_int64_t index = zip_file_add(archive, entry.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), method, 0);
  }
  EXPECT_EQ(zip_close(archive), 0);
  return path;
}

std::vector<Entry> features_and_labels() {
  std::vector<float> features;
  for (int i = 0; i < 600; ++i) features.push_back(static_cast<float>(i % 7));
  return {{"features.npy", npy("'<f4'", "(200, 3)", test::bytes_of(features))},
          {"labels.npy", npy("'<i8'", "(2,)", test::bytes_of<std::int64_t>({4, 5}))},
          {"readme.txt", "not an array"}};
}

TEST(Npz, ReadsStoredAndDeflatedMembers) {
  for (const zip_int32_t method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    const auto path = write_zip("a.npz", features_and_labels(), method);
    EXPECT_EQ(npz_members(path), (std::vector<std::string>{"features", "labels"}));
    const Array features = open_npz_member(path, "features");
    EXPECT_EQ(features.shape, (std::vector<Index>{200, 3}));
    EXPECT_EQ(number_at(features, 13), 6);
    EXPECT_EQ(number_at(features, 599), 4);  // 599 = 85 * 7 + 4
    EXPECT_EQ(features.where, path.string() + ":features");
    EXPECT_EQ(test::numbers(open_npz_member(path, "labels")), (std::vector<double>{4, 5}));
  }
}

TEST(Npz, ArraysOutliveTheirArchive) {
  const auto path = write_zip("a.npz", features_and_labels(), ZIP_CM_DEFLATE);
  const Array copy = [&] { return Array(open_npz_member(path, "labels")); }();
  std::filesystem::remove(path);
  EXPECT_EQ(number_at(copy, 1), 5);
}

TEST(Npz, ListsWhatThereIsWhenAMemberIsMissing) {
  const auto path = write_zip("a.npz", features_and_labels(), ZIP_CM_STORE);
  EXPECT_TRUE(says(error_of([&] { open_npz_member(path, "probs"); }),
                   "holds no array 'probs'; it holds: features, labels"));
}

TEST(Npz, ReadsWhatItWrites) {
  const test::TemporaryDirectory folder;
  const std::vector<float> numbers = {1.5F, -2.0F, 0.0F, 3.25F, 1e-30F, 7.0F};
  const std::vector<NpzMember> members = {
      {"numbers", ElementType::f32, {2, 3}, std::as_bytes(std::span(numbers))},
      {"empty", ElementType::f64, {0}, {}}};
  write_npz(folder / "a.npz", members);
  EXPECT_EQ(npz_members(folder / "a.npz"), (std::vector<std::string>{"numbers", "empty"}));
  const Array array = open_npz_member(folder / "a.npz", "numbers");
  EXPECT_EQ(array.shape, (std::vector<Index>{2, 3}));
  for (Index i = 0; i < 6; ++i)
    EXPECT_EQ(number_at(array, i), static_cast<double>(numbers[static_cast<std::size_t>(i)]));
  EXPECT_EQ(open_npz_member(folder / "a.npz", "empty").size(), 0);
  // The same members, the same bytes; nothing else is left beside the file.
  write_npz(folder / "b.npz", members);
  EXPECT_EQ(test::read_file(folder / "a.npz"), test::read_file(folder / "b.npz"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
  EXPECT_TRUE(says(error_of([&] { write_npz(folder.path() / "no" / "c.npz", members); }), "c.npz"));
}

TEST(Npz, RefusesWhatIsNotAnArchive) {
  const auto error = [](const std::string& bytes) {
    return error_of([&] { npz_members(test::write_file("a.npz", bytes)); });
  };
  EXPECT_TRUE(says(error(""), "the file is empty"));
  EXPECT_TRUE(says(error("plain text"), "not a readable .npz archive"));
  EXPECT_TRUE(says(error_of([] { npz_members("/nowhere.npz"); }), "cannot open"));
}

TEST(Npz, RefusesEveryTruncation) {
  const auto path = write_zip("a.npz", features_and_labels(), ZIP_CM_DEFLATE);
  const std::string whole = test::read_file(path);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto cut = test::write_file("cut.npz", whole.substr(0, size));
    EXPECT_NE(error_of([&] { open_npz_member(cut, "features"); }), "") << size << " bytes";
  }
}

TEST(Npz, NoticesEveryDamagedByteOfTheData) {
  for (const zip_int32_t method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    const auto path = write_zip("a.npz", features_and_labels(), method);
    const std::string whole = test::read_file(path);
    // Local header: 30 bytes and the name; the data ends before the next one.
    const std::size_t begin = 30 + std::string("features.npy").size();
    const std::size_t end = whole.find("PK\x03\x04", begin);
    for (std::size_t at = begin; at < end; at += 5) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
      const auto file = test::write_file("damaged.npz", damaged);
      EXPECT_NE(error_of([&] { open_npz_member(file, "features"); }), "") << "byte " << at;
    }
  }
}

TEST(Npz, RefusesASizeThatCannotBeBeforeAllocatingIt) {
  const auto path = write_zip("a.npz", features_and_labels(), ZIP_CM_DEFLATE);
  std::string bytes = test::read_file(path);
  // Central directory entry: the unpacked size lies 24 bytes in. 4294967294 = 0xFFFFFFFE.
  const std::size_t entry = bytes.find("PK\x01\x02");
  bytes.replace(entry + 24, 4, "\xFE\xFF\xFF\xFF");
  const auto lying = test::write_file("lying.npz", bytes);
  EXPECT_TRUE(says(error_of([&] { open_npz_member(lying, "features"); }),
                   "claims 4294967294 bytes packed into"));
}

TEST(Npz, RefusesMembersWhoseHeaderLies) {
  const std::string image = npy("'<f4'", "(1000000, 1000000)", "");
  const auto path = write_zip("a.npz", {{"features.npy", image}}, ZIP_CM_DEFLATE);
  EXPECT_TRUE(says(error_of([&] { open_npz_member(path, "features"); }), "cut short"));
}

}  // namespace
}  // namespace assay
