// Answers that a worker taken over by its file could give: none may reach beyond what was sent.
#include "io/hdf5_asked.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "files.h"

namespace assay {
namespace {

using hdf5::Answer;
using hdf5::AskedSource;
using hdf5::Packer;

// A line on which everything has been said already, and who listens to it.
class SaidBefore {
 public:
  explicit SaidBefore(const std::string& bytes) : ends_(line()), source_(ends_[0], kPeer) {
    EXPECT_TRUE(hdf5::send_bytes(ends_[1], bytes.data(), bytes.size()));
    ::shutdown(ends_[1], SHUT_WR);
  }
  ~SaidBefore() {
    for (const int end : ends_) ::close(end);
  }
  SaidBefore(const SaidBefore&) = delete;
  SaidBefore& operator=(const SaidBefore&) = delete;
  SaidBefore(SaidBefore&&) = delete;
  SaidBefore& operator=(SaidBefore&&) = delete;

  AskedSource& source() { return source_; }

 private:
  static std::array<int, 2> line() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    return ends;
  }
  inline static const hdf5::Peer kPeer = {"a.h5", [](int) {}, [] { return "a.h5: gone"; }};

  std::array<int, 2> ends_;
  AskedSource source_;
};

std::string answer(const std::string& body) {
  const Answer head{.size = body.size()};
  return std::string(reinterpret_cast<const char*>(&head), sizeof head) + body;
}

std::string array(ElementType type, Index item_size, const std::vector<Index>& shape,
                  const std::string& bytes) {
  Packer out;
  out.number(static_cast<std::int64_t>(type));
  out.number(item_size);
  out.number(std::ssize(shape));
  for (const Index extent : shape) out.number(extent);
  return answer(out.bytes() + bytes);
}

std::string reading(const std::string& said) {
  SaidBefore line(said);
  return test::error_of([&] { line.source().read("x"); });
}

TEST(Hdf5Asked, ReadsWhatWasSent) {
  SaidBefore line(array(ElementType::i16, 2, {2}, std::string("\1\0\2\0", 4)));
  EXPECT_EQ(test::numbers(line.source().read("x")), (std::vector<double>{1, 2}));
}

TEST(Hdf5Asked, RefusesElementsOfAnotherWidthThanTheirType) {
  EXPECT_TRUE(test::says(reading(array(ElementType::f64, 1, {4}, "1234")), "no sensible answer"));
  EXPECT_TRUE(test::says(reading(array(ElementType::f64, 0, {1 << 30}, "")), "no sensible"));
  EXPECT_TRUE(test::says(reading(array(ElementType::bytes, 0, {1 << 30}, "")), "no sensible"));
  EXPECT_TRUE(test::says(reading(array(ElementType::ucs4, 3, {1}, "abc")), "no sensible"));
  EXPECT_EQ(reading(array(ElementType::bytes, 3, {1}, "abc")), "");
}

TEST(Hdf5Asked, RefusesShapesThatAreNotWhatFollows) {
  EXPECT_TRUE(test::says(reading(array(ElementType::i8, 1, {5}, "1234")), "no sensible"));
  EXPECT_TRUE(test::says(reading(array(ElementType::i8, 1, {-1}, "1")), "no sensible"));
  SaidBefore line(array(ElementType::f32, 0, {Index{1} << 40, Index{1} << 40}, ""));
  EXPECT_TRUE(test::says(test::error_of([&] { line.source().shape("x"); }), "no sensible"));
}

TEST(Hdf5Asked, RefusesTypesThatThereAreNot) {
  EXPECT_TRUE(test::says(reading(array(static_cast<ElementType>(99), 8, {1}, "12345678")),
                         "makes no sense"));
}

TEST(Hdf5Asked, SaysWhyTheLineWentDead) {
  EXPECT_EQ(reading(""), "a.h5: gone");
  const std::string whole = array(ElementType::i8, 1, {4}, "1234");
  EXPECT_EQ(reading(whole.substr(0, whole.size() - 1)), "a.h5: gone");
}

TEST(Hdf5Asked, RowsAreOfTheSizeAskedFor) {
  SaidBefore line(answer("1234567"));
  float out[2] = {};
  EXPECT_TRUE(test::says(test::error_of([&] {
                           line.source().read_rows({"x", 0, 1, 2, ElementType::f32}, out);
                         }),
                         "no sensible"));
}

}  // namespace
}  // namespace assay
