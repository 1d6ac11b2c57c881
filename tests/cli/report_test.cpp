#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "report/html_page.h"
#include "run_command.h"
#include "support.h"

namespace assay {
namespace {

using Json = nlohmann::json;
using test::CommandResult;
using test::entries_of;
using test::read_text;
using test::run_assay;
using test::write_text;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// What the C++ side put into a page.
Json results_in(const std::string& page) {
  const std::string start = "<script type=\"application/json\" id=\"results\">";
  const std::size_t from = page.find(start) + start.size();
  const std::size_t to = page.find("</script>", from);
  return Json::parse(page.substr(from, to - from)).at("results");
}

class Report : public test::HubTest {
 protected:
  void SetUp() override {
    if (!has_html_page()) GTEST_SKIP() << "built without the page: run `make web`";
  }

  std::string page() const { return file("page.html").string(); }
};

TEST_F(Report, OfARankingHoldsWhatTheJsonHolds) {
  const CommandResult result =
      rank({"--metric", "logme,knn", "--html", page(), "--json", file("rank.json").string()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("report written to"));
  const Json results = results_in(read_text(page()));
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].at("kind"), "rank");
  EXPECT_EQ(results[0].at("result"), Json::parse(read_text(file("rank.json"))));
}

TEST_F(Report, OfARankingShowsAgreementAndFixedPoints) {
  rank({"--metric", "logme,knn", "--html", page()});
  const Json result = results_in(read_text(page()))[0].at("result");
  EXPECT_EQ(result.at("agreement").at("metrics"), Json({"logme", "knn"}));
  EXPECT_EQ(result.at("agreement").at("kendall")[0][0], 1.0);
  EXPECT_EQ(result.at("agreement").at("kendall")[0][1], result.at("agreement").at("kendall")[1][0]);
  const Json fixed = result.at("models")[0].at("scores").at("logme").at("fixed_point");
  ASSERT_EQ(fixed.at("columns").size(), 3U);
  for (const Json& column : fixed.at("columns")) {
    // f crosses the diagonal where the evidence is largest.
    const double t = column.at("t");
    for (std::size_t k = 0; k + 1 < fixed.at("t").size(); ++k) {
      const double here = fixed.at("t")[k];
      const double next = fixed.at("t")[k + 1];
      if (here > t || next < t) continue;
      EXPECT_GE(column.at("f")[k], here);
      EXPECT_LE(column.at("f")[k + 1], next);
    }
  }
}

TEST_F(Report, FixedPointsAreOnlyComputedWhenAskedFor) {
  const Json plain = rank_json({"--metric", "logme"});
  EXPECT_FALSE(plain.at("models")[0].at("scores").at("logme").contains("fixed_point"));
  const Json asked = rank_json({"--metric", "logme", "--fixed-points"});
  EXPECT_TRUE(asked.at("models")[0].at("scores").at("logme").contains("fixed_point"));
}

TEST_F(Report, OfEveryCommandHoldsItsResult) {
  write_text(file("truth.csv"), "name,accuracy\ngood,0.9\nfair,0.7\npoor,0.5\n");
  write_text(file("curve.csv"), "name,seed,samples,val_loss\na,0,10,1.5\na,0,100,0.4\n");
  const std::string hub = hub_.string();
  const std::string labels = labels_.string();
  rank({"--json", file("rank.json").string()});
  const std::vector<std::pair<std::string, Words>> cases = {
      {"evaluate",
       {"evaluate", "--scores", file("rank.json").string(), "--truth", file("truth.csv").string()}},
      {"curve", {"curve", hub, "--labels", labels, "--sizes", "3", "--seeds", "2", "--no-journal"}},
      {"curve", {"curve", "measure", file("curve.csv").string(), "--classes", "3"}},
      {"prior score", {"prior", "score", hub, "--prior", "labels:" + labels}},
  };
  for (auto [kind, words] : cases) {
    words.insert(words.end(), {"--html", page(), "--quiet"});
    const CommandResult result = run_assay(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, IsEmpty());
    const Json results = results_in(read_text(page()));
    EXPECT_EQ(results[0].at("kind"), kind);
    EXPECT_TRUE(results[0].at("result").contains("provenance"));
  }
}

TEST_F(Report, OfAnEvaluationHoldsEveryModel) {
  write_text(file("truth.csv"), "name,accuracy,params\ngood,0.9,10\nfair,0.7,20\nlost,0.5,30\n");
  write_text(file("scores.csv"), "name,loss\ngood,1\nfair,2\npoor,3\n");
  const CommandResult result =
      run_assay({"evaluate", "--scores", file("scores.csv").string(), "--truth",
                 file("truth.csv").string(), "--lower-is-better", "loss", "--json", "-"});
  const Json set = test::json_of(result).at("datasets").begin().value();
  EXPECT_EQ(set.at("truth_direction"), "higher");
  EXPECT_EQ(set.at("metrics").at("loss").at("direction"), "lower");
  const Json good = {
      {"name", "good"}, {"truth", 0.9}, {"scores", {{"loss", 1.0}, {"params", 10.0}}}};
  EXPECT_EQ(set.at("models")[1], good);
}

TEST_F(Report, CombinesSeveralResults) {
  rank({"--json", file("rank.json").string()});
  run_assay({"prior", "score", hub_.string(), "--prior", "labels:" + labels_.string(), "--json",
             file("prior.json").string()});
  const CommandResult result = run_assay(
      {"report", file("rank.json").string(), file("prior.json").string(), "--html", page()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("2 results"));
  const Json results = results_in(read_text(page()));
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].at("kind"), "rank");
  EXPECT_EQ(results[1].at("kind"), "prior score");
  EXPECT_EQ(results[1].at("source"), file("prior.json").string());
}

TEST_F(Report, OfAFolderIsAGallery) {
  std::filesystem::create_directories(file("runs") / "monday");
  rank({"--json", (file("runs") / "b.json").string()});
  rank({"--seed", "1", "--json", (file("runs") / "monday" / "a.json").string()});
  write_text(file("runs") / "package.json", "{}");
  const CommandResult result = run_assay({"report", file("runs").string(), "--html", page()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("passed over"), HasSubstr("package.json")));
  const std::string text = read_text(page());
  EXPECT_EQ(results_in(text).size(), 2U);
  EXPECT_THAT(text, HasSubstr("\"gallery\":true"));
}

TEST_F(Report, ShowsAHostileNameAndRunsNothing) {
  const std::string name = "<script>alert(1)<";  // a file name holds no slash
  std::filesystem::copy(hub_ / "good.npy", hub_ / (name + ".npy"));
  EXPECT_EQ(rank({"--html", page()}).exit_code, 0);
  const std::string text = read_text(page());
  EXPECT_THAT(text, Not(HasSubstr(name)));
  const std::string shown = results_in(text)[0].at("result").at("models").dump();
  EXPECT_THAT(shown, HasSubstr(name));
}

TEST_F(Report, RefusesWhatItCannotReadOrWrite) {
  write_text(file("other.json"), "{\"hello\": 1}");
  write_text(file("text.json"), "hello");
  rank({"--json", file("rank.json").string()});
  const Words before = entries_of(folder_.path());
  const std::vector<std::pair<Words, std::string>> cases = {
      {{file("other.json").string(), "--html", page()}, "no result of assay"},
      {{file("text.json").string(), "--html", page()}, "not valid JSON"},
      {{file("gone.json").string(), "--html", page()}, "gone.json"},
      {{file("rank.json").string(), "--html", (file("no") / "page.html").string()}, "no directory"},
      {{file("rank.json").string(), "--html", hub_.string()}, "is a directory"},
      {{file("rank.json").string()}, "--html"},
  };
  for (const auto& [options, message] : cases) {
    Words words = {"report"};
    words.insert(words.end(), options.begin(), options.end());
    const CommandResult result = run_assay(words);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, HasSubstr(message));
  }
  EXPECT_EQ(entries_of(folder_.path()), before);
}

TEST_F(Report, ThatCannotBeWrittenFailsBeforeAnyWork) {
  const CommandResult result =
      rank(file("no_such_hub"), labels_, {"--html", (file("no") / "page.html").string()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("no directory"), Not(HasSubstr("no_such_hub"))));
}

class WithoutPage : public test::HubTest {};

TEST_F(WithoutPage, HtmlSaysHowToGetItBeforeAnyWork) {
  if (has_html_page()) GTEST_SKIP() << "built with the page";
  for (const Words& words :
       {Words{"rank", file("no_such_hub").string(), "--labels", labels_.string()},
        Words{"report", file("no_such.json").string()}}) {
    Words all = words;
    all.insert(all.end(), {"--html", file("page.html").string()});
    const CommandResult result = run_assay(all);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, AllOf(HasSubstr("make web"), Not(HasSubstr("no_such"))));
  }
}

}  // namespace
}  // namespace assay
