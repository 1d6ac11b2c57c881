// Whole commands about many models: rank --budget, track, similar, hub list.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_command.h"
#include "support.h"

namespace assay {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::json_of;
using test::run_assay;
using testing::HasSubstr;
using testing::IsEmpty;

class ManyModels : public test::HubTest {};

TEST_F(ManyModels, ARaceFindsTheBest) {
  const CommandResult result = rank({"--budget", "60%", "--top", "1", "--json", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  const json all = json_of(result);
  EXPECT_EQ(all.at("command"), "rank");
  EXPECT_EQ(all.at("by"), "ridge_loo");
  EXPECT_EQ(all.at("models").at(0).at("name"), "good");
  EXPECT_EQ(all.at("models").at(0).at("rank"), 1);
  EXPECT_TRUE(all.at("models").at(0).at("reported"));
  EXPECT_TRUE(all.at("models").at(0).at("tie_group").is_null());
  EXPECT_LE(all.at("race").at("passes"), 0.6 * all.at("race").at("full_passes").get<double>());
  EXPECT_EQ(json_of(rank({"--budget", "60%", "--top", "1", "--json", "-"})).at("race").at("passes"),
            all.at("race").at("passes"));
}

TEST_F(ManyModels, ARaceSaysWhatItCannotServe) {
  EXPECT_THAT(rank({"--budget", "a lot"}).err, HasSubstr("--budget a lot: expected a share"));
  EXPECT_THAT(rank({"--top", "2"}).err, HasSubstr("add --budget"));
  EXPECT_THAT(rank({"--budget", "25%", "--metric", "logme"}).err, HasSubstr("name it with --by"));
  EXPECT_THAT(rank({"--budget", "25%", "--by", "leep"}).err, HasSubstr("of the features alone"));
  EXPECT_EQ(rank({"--budget", "25%", "--ci", "0"}).exit_code, 2);
  EXPECT_EQ(rank({"--budget", "25%", "--controls"}).exit_code, 2);
}

TEST_F(ManyModels, ABudgetOfTimeSaysThatItCannotBeRepeated) {
  const CommandResult result = rank({"--budget", "1h"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("not reproducible"));
}

TEST_F(ManyModels, APriorOrdersWhoIsTriedFirst) {
  test::write_text(file("prior.csv"), "name,downloads\npoor,3\nfair,2\ngood,1\nnobody,9\n");
  const CommandResult wrong = rank({"--budget", "60%", "--top", "1", "--prior-ranking",
                                    file("prior.csv").string(), "--json", "-"});
  EXPECT_EQ(json_of(wrong).at("models").at(0).at("name"), "good");
  EXPECT_THAT(wrong.err, HasSubstr("such as nobody"));
}

TEST_F(ManyModels, RequirementsLeaveModelsOut) {
  test::write_text(hub_ / "hub.json",
                   R"([{"name": "good", "file": "good.pt", "licence": "GPL-3.0"},
                      {"name": "fair", "file": "fair.pt", "licence": "MIT", "ms": 3},
                      {"name": "poor", "file": "poor.pt", "licence": "MIT", "trained_on": "here"}])");
  const CommandResult listed =
      run_assay({"hub", "list", hub_.string(), "--licence", "mit", "--json", "-"});
  EXPECT_EQ(json_of(listed).at("models").size(), 2U);
  EXPECT_EQ(json_of(listed).at("passed_over").at(0).at("reason"), "licence GPL-3.0");
  const CommandResult ranked = rank({"--require", "licence=mit", "--json", "-"});
  EXPECT_EQ(json_of(ranked).at("models").size(), 2U);
  EXPECT_THAT(ranked.err, HasSubstr("passed over good: licence GPL-3.0"));
  EXPECT_EQ(json_of(rank({"--require", "licence=mit", "--exclude-seen", "HERE", "--json", "-"}))
                .at("models")
                .size(),
            1U);
  EXPECT_EQ(rank({"--require", "ms<1"}).exit_code, 2);
  EXPECT_EQ(rank({"--require", "licence=mit", "--json", (hub_ / "fair.npy").string()}).exit_code,
            2);
}

TEST_F(ManyModels, TrackFollowsSteps) {
  const CommandResult result =
      run_assay({"track", (hub_ / "poor.npy").string(), (hub_ / "fair.npy").string(),
                 (hub_ / "good.npy").string(), "--steps", "1,2,3", "--labels", labels_.string(),
                 "--json", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json all = json_of(result);
  EXPECT_EQ(all.at("best"), "good");
  EXPECT_EQ(all.at("best_step"), 3.0);
  EXPECT_GT(all.at("models").at(2).at("scores").at("logme").at("change_low"), 0.0);
  EXPECT_THAT(run_assay({"track", hub_.string(), "--labels", labels_.string()}).err,
              HasSubstr("with --steps"));
}

TEST_F(ManyModels, SimilarComparesAllPairs) {
  const CommandResult result = run_assay({"similar", hub_.string(), "--json", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json all = json_of(result);
  EXPECT_EQ(all.at("cka").size(), 3U);
  EXPECT_EQ(all.at("diverse").size(), 3U);
  EXPECT_NEAR(all.at("cka").at(1).at(1), 1.0, 1e-12);
}

}  // namespace
}  // namespace assay
