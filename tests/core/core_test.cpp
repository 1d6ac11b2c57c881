// Tests: core/clock, core/error, core/names, core/thread_pool.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "assay/error.h"
#include "assay/thread_pool.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/text.h"
#include "support.h"

namespace assay {
namespace {

using testing::HasSubstr;

TEST(ThreadPool, RunsEveryTaskOnce) {
  ThreadPool pool(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::atomic<int>> hits(37);
    pool.run(37, [&](Index i) { ++hits[static_cast<std::size_t>(i)]; });
    for (const std::atomic<int>& hit : hits) ASSERT_EQ(hit, 1);
  }
}

TEST(ThreadPool, RethrowsTheFirstExceptionAndGoesOnWorking) {
  ThreadPool pool(2);
  EXPECT_THROW(pool.run(100,
                        [](Index i) {
                          if (i == 40) throw std::runtime_error("forty");
                        }),
               std::runtime_error);
  std::atomic<int> done = 0;
  pool.run(10, [&](Index) { ++done; });
  EXPECT_EQ(done, 10);
}

TEST(ThreadPool, CarriesOutNestedRunsOnTheSpot) {
  ThreadPool pool(2);
  std::atomic<int> done = 0;
  pool.run(4, [&](Index) { pool.run(5, [&](Index) { ++done; }); });
  EXPECT_EQ(done, 20);
}

TEST(Random,
     GivesTheSameNumbersEverywhere) {  // mt19937_64's 10000th value is fixed by the standard
  Random a(7);
  Random b(7);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.normal(), b.normal());
  EXPECT_NE(Random(7).uniform(), Random(8).uniform());
}

TEST(Random, NormalsHaveMeanZeroAndVarianceOne) {
  Random random(1);
  double sum = 0.0;
  double squares = 0.0;
  for (int i = 0; i < 200000; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / 200000, 0.0, 0.01);
  EXPECT_NEAR(squares / 200000, 1.0, 0.02);
}

TEST(Random, PermutationsHoldEveryNumberOnce) {
  std::vector<Index> order = Random(3).permutation(100);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (Index i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST(ParseBytes, UnderstandsUnitsAndRefusesTheRest) {
  EXPECT_EQ(parse_bytes("2GiB"), Index{2} << 30);
  EXPECT_EQ(parse_bytes("1.5 MB"), 1500000);
  EXPECT_EQ(parse_bytes("4096"), 4096);
  EXPECT_EQ(parse_bytes("512M"), Index{512} << 20);
  for (const char* bad : {"", "GiB", "2 GiBs", "-1MB", "0", "nan", "1e30TB"}) {
    EXPECT_THAT(test::error_of([&] { parse_bytes(bad); }), HasSubstr("is not an amount of memory"))
        << bad;
  }
}

TEST(Text, SplitsTrimsAndSuggests) {
  EXPECT_EQ(split_list(" a, b ,,c"), (std::vector<std::string>{"a", "b", "", "c"}));
  const std::vector<std::string> names = {"hscore", "logme", "leep"};
  EXPECT_EQ(closest_match("logmr", names), "logme");
  EXPECT_EQ(closest_match("h_score", names), "hscore");
  EXPECT_EQ(closest_match("completely else", names), "");
}

TEST(Text, AWordLeftUnfinishedGoesOnAsTheShortestThatBeginsWithIt) {
  const std::vector<std::string> names{"--target-loss", "--target-accuracy", "--target-accuracies"};
  EXPECT_EQ(closest_match("--target-acc", names), "--target-accuracy");
  EXPECT_EQ(closest_match("--target-los", names), "--target-loss");
}

TEST(Text, WritesNumbersForPeople) {
  EXPECT_EQ(with_thousands(1234567), "1,234,567");
  EXPECT_EQ(with_thousands(-1234), "-1,234");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(human_bytes(1.5 * (1 << 30)), "1.5 GiB");
  EXPECT_EQ(human_bytes(12), "12 B");
  EXPECT_EQ(display_width("±µ↑x"), 4);
}

std::string failure(const std::string& message) {
  try {
    fail_input(message);
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(FailInput, ShowsZeroBytesAndCutsWhatWouldBuryTheMessage) {
  EXPECT_EQ(failure(std::string("cell 'a\0b' is no number", 23)), "cell 'a\\0b' is no number");
  EXPECT_EQ(failure("größer als 5 €"), "größer als 5 €");
  const std::string cut = failure("expected 'name', got " + std::string(3'000'000, 'x'));
  EXPECT_TRUE(cut.starts_with("expected 'name', got xxx"));
  EXPECT_TRUE(cut.ends_with(" ... (2,992,021 more bytes)")) << cut.substr(cut.size() - 40);
}

TEST(ThreadPool, EndsARunThatItsWatchGivesUp) {
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    std::atomic<int> done = 0;
    pool.watch([&] {
      if (done >= 5) throw std::runtime_error("enough");
    });
    EXPECT_THROW(pool.run(1000, [&](Index) { ++done; }), std::runtime_error);
    EXPECT_LT(done, 5 + threads);
    pool.watch({});
    pool.run(10, [&](Index) { ++done; });
    EXPECT_GE(done, 15);
  }
}

}  // namespace
}  // namespace assay
