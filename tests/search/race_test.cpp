// Tests: search/race, search/budget, search/drop_rule.
#include "search/race.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "assay/error.h"
#include "core/random.h"
#include "search/budget.h"
#include "support.h"

namespace assay {
namespace {

// Models that get each sample right with a probability of their own, `late` models with more of it
// the more samples are seen. Samples are shared: some are easy for all.
class CoinField : public RaceField {
 public:
  CoinField(std::vector<double> accuracy, Index samples, std::uint64_t seed)
      : accuracy_(std::move(accuracy)), samples_(samples), seed_(seed) {}

  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < accuracy_.size(); ++k)
      names.push_back(std::string("m") + static_cast<char>('a' + k));
    return names;
  }

  LookResult look(std::size_t model, const std::vector<Index>& looks) override {
    if (broken.contains(model)) throw Error(ErrorCode::bad_input, "torn.npy: cut short");
    const Index rows = looks.back();
    LookResult out;
    out.dim = 4;
    double right = 0.0;
    for (Index i = 0; i < rows; ++i) right += outcome(model, i, rows);
    out.sighting.value = right / static_cast<double>(rows);
    for (Index i = 0; i < rows; ++i)
      out.sighting.contributions.push_back((outcome(model, i, rows) - out.sighting.value) /
                                           static_cast<double>(rows));
    const Index before = looks.size() < 2 ? 0 : looks[looks.size() - 2];
    out.passes = cached ? 0 : rows - before;
    visits.push_back(model);
    most = std::max(most, rows);
    return out;
  }

  bool side_by_side() const override { return false; }

  double value_on_all(std::size_t model) {
    double right = 0.0;
    for (Index i = 0; i < samples_; ++i) right += outcome(model, i, samples_);
    return right / static_cast<double>(samples_);
  }

  std::set<std::size_t> broken;
  std::set<std::size_t> late;  // gain 0.08 with every doubling
  bool cached = false;
  std::vector<std::size_t> visits;
  Index most = 0;

 private:
  double outcome(std::size_t model, Index row, Index rows) const {
    const double doublings = std::log2(static_cast<double>(samples_) / static_cast<double>(rows));
    const double p = accuracy_[model] - (late.contains(model) ? 0.08 * doublings : 0.0);
    // A seed for each number would cost more than all the rest.
    const std::uint64_t bits = mixed_seed(seed_, model, static_cast<std::uint64_t>(row));
    return static_cast<double>(bits >> 11) * 0x1p-53 < p ? 1.0 : 0.0;
  }

  std::vector<double> accuracy_;
  Index samples_;
  std::uint64_t seed_;
};

RaceSetting setting_for(const CoinField& field, Index samples, double share) {
  RaceSetting setting;
  for (Index rows = std::max<Index>(16, samples / 64); rows < samples; rows *= 2)
    setting.looks.push_back(rows);
  setting.looks.push_back(samples);
  setting.budget.amount = share;
  setting.order.resize(field.names().size());
  std::iota(setting.order.begin(), setting.order.end(), std::size_t{0});
  return setting;
}

std::vector<std::string> reported(const RaceOutcome& outcome) {
  std::vector<std::string> names;
  for (const RacedModel& model : outcome.models)
    if (model.reported) names.push_back(model.name);
  std::ranges::sort(names);
  return names;
}

const RacedModel& model_of(const RaceOutcome& outcome, const std::string& name) {
  return *std::ranges::find(outcome.models, name, &RacedModel::name);
}

using Names = std::vector<std::string>;

TEST(Race, DropsWhatIsPlainlyWorseAndSaysWhen) {
  CoinField field({0.9, 0.88, 0.3, 0.86, 0.2, 0.25}, 4096, 1);
  const RaceOutcome outcome = run_race(test::pool(), field, setting_for(field, 4096, 0.25), {});
  EXPECT_EQ(outcome.end, RaceEnd::decided);
  EXPECT_EQ(reported(outcome), (Names{"ma", "mb", "md"}));
  for (const char* name : {"mc", "me", "mf"}) {
    const RacedModel& model = model_of(outcome, name);
    EXPECT_EQ(model.state, RaceState::dropped);
    ASSERT_TRUE(model.looks.back().high);
    EXPECT_LT(*model.looks.back().high, 0.0);
    EXPECT_EQ(model.passes, model.samples());
  }
  EXPECT_LT(static_cast<double>(outcome.passes), 0.05 * 6 * 4096);
}

TEST(Race, NeverSpendsMoreThanItsBudget) {
  for (const double share : {0.02, 0.1, 0.25, 0.7}) {
    CoinField field(std::vector<double>(12, 0.7), 2048, 3);
    const RaceOutcome outcome = run_race(test::pool(), field, setting_for(field, 2048, share), {});
    EXPECT_LE(static_cast<double>(outcome.passes), share * 12 * 2048) << share;
    EXPECT_EQ(outcome.end, RaceEnd::budget) << share;
  }
}

// Twelve equal models: nothing to find, and nothing is said to be found.
TEST(Race, OfTiesSettlesNothing) {
  CoinField field(std::vector<double>(12, 0.7), 2048, 4);
  const RaceOutcome outcome = run_race(test::pool(), field, setting_for(field, 2048, 0.2), {});
  EXPECT_EQ(outcome.end, RaceEnd::budget);
  EXPECT_EQ(reported(outcome).size(), 3U);
  EXPECT_EQ(std::ranges::count(outcome.models, RaceState::dropped, &RacedModel::state), 0);
  EXPECT_GT(std::ranges::count(outcome.models, RaceState::set_aside, &RacedModel::state), 0);
}

// A hub of noise: the best on all rows is dropped in no more than 5 % of races.
TEST(Race, HoldsItsConfidenceOnNoise) {
  constexpr int kRaces = 200;
  int wrong = 0;
  for (int race = 0; race < kRaces; ++race) {
    CoinField field(std::vector<double>(8, 0.5), 512, 100 + race);
    const RaceOutcome outcome = run_race(test::pool(), field, setting_for(field, 512, 1.0), {});
    std::size_t best = 0;
    for (std::size_t k = 1; k < 8; ++k)
      if (field.value_on_all(k) > field.value_on_all(best)) best = k;
    const RacedModel& model = model_of(outcome, field.names()[best]);
    // Of those as good as the best one may have been kept instead.
    double kept = 0.0;
    for (std::size_t k = 0; k < 8; ++k)
      if (model_of(outcome, field.names()[k]).state != RaceState::dropped)
        kept = std::max(kept, field.value_on_all(k));
    wrong += model.state == RaceState::dropped && kept < field.value_on_all(best) ? 1 : 0;
  }
  EXPECT_LE(wrong, kRaces / 20);
}

// The best on all rows starts 0.4 behind. That half of the models gain as it does says how much
// slopes differ; six models are few to tell it from, so that 6 of these races lose it, more than
// the stated confidence allows (docs/study-races.md). A guard against worse, no proof of 95 %.
TEST(Race, KeepsAModelThatCatchesUp) {
  int lost = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CoinField field({0.75, 0.74, 0.60, 0.72, 0.85, 0.50}, 4096, seed);
    field.late = {2, 4, 5};
    const RaceOutcome outcome = run_race(test::pool(), field, setting_for(field, 4096, 1.0), {});
    lost += model_of(outcome, "me").state == RaceState::dropped ? 1 : 0;
  }
  EXPECT_LE(lost, 10);
}

TEST(Race, OfOneModelNeedsOneLook) {
  CoinField field({0.6}, 1024, 5);
  const RaceOutcome outcome = run_race(test::pool(), field, setting_for(field, 1024, 0.25), {});
  EXPECT_EQ(outcome.end, RaceEnd::decided);
  EXPECT_EQ(outcome.looks, std::vector<Index>{16});
  EXPECT_EQ(reported(outcome), Names{"ma"});
}

TEST(Race, GoesOnWithoutModelsThatFail) {
  CoinField field({0.9, 0.8, 0.7, 0.3, 0.2}, 2048, 6);
  field.broken = {0, 3};
  const RaceOutcome outcome = run_race(test::pool(), field, setting_for(field, 2048, 0.5), {});
  ASSERT_EQ(outcome.failed.size(), 2U);
  EXPECT_EQ(outcome.failed.front().name, "ma");
  EXPECT_EQ(outcome.failed.front().error, "torn.npy: cut short");
  EXPECT_EQ(reported(outcome), (Names{"mb", "mc", "me"}));
}

TEST(Race, OfModelsThatAllFailHasNone) {
  CoinField field({0.9, 0.8}, 2048, 6);
  field.broken = {0, 1};
  const RaceOutcome outcome = run_race(test::pool(), field, setting_for(field, 2048, 0.5), {});
  EXPECT_TRUE(outcome.models.empty());
  EXPECT_EQ(outcome.failed.size(), 2U);
}

// Who is tried first changes nothing where the budget serves all at the first look.
TEST(Race, FindsTheSameUnderAPriorThatIsWrong) {
  CoinField right({0.9, 0.88, 0.86, 0.5, 0.4, 0.3}, 4096, 7);
  CoinField wrong({0.9, 0.88, 0.86, 0.5, 0.4, 0.3}, 4096, 7);
  RaceSetting setting = setting_for(right, 4096, 0.25);
  const RaceOutcome a = run_race(test::pool(), right, setting, {});
  std::ranges::reverse(setting.order);
  const RaceOutcome b = run_race(test::pool(), wrong, setting, {});
  EXPECT_EQ(reported(a), reported(b));
  EXPECT_EQ(a.passes, b.passes);
  EXPECT_EQ(wrong.visits.front(), 5U);
}

// With a budget for two models the wrong prior misses the best, and says that four are unknown.
TEST(Race, SaysWhoWasNeverTried) {
  CoinField field({0.9, 0.88, 0.86, 0.5, 0.4, 0.3}, 4096, 7);
  RaceSetting setting = setting_for(field, 4096, 0.25);
  setting.budget = {SearchBudget::Unit::passes, 2.5 * 64, "160-images"};
  std::ranges::reverse(setting.order);
  const RaceOutcome outcome = run_race(test::pool(), field, setting, {});
  EXPECT_EQ(outcome.end, RaceEnd::budget);
  EXPECT_EQ(std::ranges::count(outcome.models, RaceState::untried, &RacedModel::state), 4);
  EXPECT_EQ(reported(outcome), (Names{"me", "mf"}));
  EXPECT_EQ(outcome.models.back().samples(), 0);
}

TEST(Race, PaysNothingForWhatIsCached) {
  CoinField field({0.7, 0.7, 0.7, 0.7, 0.7}, 1024, 8);
  field.cached = true;
  const RaceOutcome outcome = run_race(test::pool(), field, setting_for(field, 1024, 1.0), {});
  EXPECT_EQ(outcome.passes, 0);
  EXPECT_EQ(outcome.end, RaceEnd::all_seen);
  EXPECT_EQ(field.most, 1024);
}

TEST(Race, OnAllRowsKnowsTheOrder) {
  CoinField field({0.70, 0.71, 0.72, 0.73, 0.74}, 256, 9);
  RaceSetting setting = setting_for(field, 256, 1.0);
  setting.top = 1;
  const RaceOutcome outcome = run_race(test::pool(), field, setting, {});
  ASSERT_EQ(outcome.end, RaceEnd::all_seen);
  std::size_t best = 0;
  for (std::size_t k = 1; k < 5; ++k)
    if (field.value_on_all(k) > field.value_on_all(best)) best = k;
  EXPECT_EQ(reported(outcome), Names{field.names()[best]});
}

// Eleven of sixteen for the leader, none against: McNemar's z is sqrt(11), times the share of the
// population that was not seen.
TEST(DropRule, TakesTheSpreadAboutZero) {
  Sighting leader{.value = 12.0 / 16.0};
  Sighting model{.value = 1.0 / 16.0};
  for (int i = 0; i < 16; ++i) {
    leader.contributions.push_back(((i < 12 ? 1.0 : 0.0) - leader.value) / 16.0);
    model.contributions.push_back(((i < 1 ? 1.0 : 0.0) - model.value) / 16.0);
  }
  const RaceLook look = look_at({.level = 0.95}, {16, 8, 64}, model, leader, 0.0);
  EXPECT_NEAR(look.difference, -11.0 / 16.0, 1e-15);
  EXPECT_NEAR(look.error, std::sqrt(11.0) / 16.0 * std::sqrt(0.75), 1e-14);
  EXPECT_EQ(look.drift, 0.0);
  // Student's t, 15 degrees of freedom, one-sided 5 %: 1.753050 (tables).
  EXPECT_NEAR(*look.high, look.difference + 1.753050 * look.error, 1e-6);
}

Sighting seen(double before, double value, double spread = 0.1) {
  return {.value = value, .contributions = {spread, -spread, spread, -spread}, .before = before};
}

// Contributions are the same, so that the only error is that of g^2 / m, by hand.
TEST(DropRule, AllowsForWhatTheDifferenceStillGains) {
  const Sighting leader = seen(0.7, 0.8);
  const Sighting model = seen(0.3, 0.6);  // from -0.4 to -0.2 in two doublings; three are left
  const LookPlace place{64, 16, 512};
  const double variance = 0.04 / 64.0;
  const double noise = variance * 3.0 / 4.0;
  const double slopes = 0.01;
  const RaceLook look = look_at({.models = 4, .looks = 5}, place, model, leader, slopes);
  const double trust = slopes / (slopes + noise);
  EXPECT_NEAR(look.drift, 3.0 * 0.1 * trust, 1e-14);
  EXPECT_NEAR(look.error, std::sqrt(variance * 7.0 / 8.0 + 9.0 * trust * noise), 1e-14);
  EXPECT_GT(*look.high, 0.0);
  // The other way round nothing is taken off.
  EXPECT_EQ(look_at({}, place, leader, model, slopes).drift, 0.0);
}

// Slopes of many models measured without error are what they are; measured with as much error as
// they vary, nothing is left.
TEST(DropRule, KnowsSlopesFromNoise) {
  const LookPlace place{64, 16, 512};
  std::vector<Sighting> models;
  Random random(4);
  for (int k = 0; k < 400; ++k) models.push_back(seen(0.5, 0.5 + 0.2 * random.normal(), 0.0));
  std::vector<const Sighting*> all;
  for (const Sighting& one : models) all.push_back(&one);
  // Slopes are 0.1 a doubling; the g^2 / m of the values adds noise of its own: 0.08 / 64 * 0.75.
  EXPECT_NEAR(true_slopes(place, all, models.front()), 2.0 * 0.01, 0.004);
  for (Sighting& one : models) one.contributions = {0.5, -0.5, 0.5 * random.normal(), 0.0};
  EXPECT_LT(true_slopes(place, all, models.front()), 0.01);
  EXPECT_EQ(true_slopes({64, 0, 512}, all, models.front()), 0.0);
}

TEST(DropRule, SaysNothingWithoutAnEarlierLook) {
  EXPECT_FALSE(look_at({}, {16, 0, 64}, seen(0, 0.1), seen(0, 0.9), 0.0).high);
}

TEST(DropRule, IsCertainOnAllRows) {
  EXPECT_NEAR(*look_at({}, {64, 0, 64}, seen(0, 0.8), seen(0, 0.9), 0.0).high, -0.1, 1e-15);
}

TEST(Budget, ReadsSharesImagesAndTimes) {
  EXPECT_EQ(parse_budget("25%").amount, 0.25);
  EXPECT_EQ(parse_budget("100%").unit, SearchBudget::Unit::share);
  EXPECT_EQ(parse_budget("5000-images").amount, 5000.0);
  EXPECT_EQ(parse_budget("5000-images").unit, SearchBudget::Unit::passes);
  EXPECT_EQ(parse_budget("2h").amount, 7200.0);
  EXPECT_EQ(parse_budget("1.5min").amount, 90.0);
  EXPECT_EQ(parse_budget("90s").unit, SearchBudget::Unit::seconds);
  for (const char* text :
       {"", "25", "0%", "101%", "-1h", "nan%", "inf-images", "h", "2 days", "1e999s"})
    EXPECT_NE(test::error_of([&] { parse_budget(text); }).find("expected a share"),
              std::string::npos)
        << text;
}

}  // namespace
}  // namespace assay
