// Tests: report/page_template, report/provenance.
#include "report/html_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;
using test::error_of;
using test::TemporaryDirectory;
using test::write_text;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kHostile = "<script>alert(1)</script>";

Json ranking(const std::string& name) {
  return {{"command", "rank"}, {"models", {{{"name", name}, {"rank", 1}}}}};
}

std::string contents_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

TEST(JsonForHtml, HoldsNothingThatHtmlCouldTakeForItsOwn) {
  const Json json = {{"a", kHostile}, {"b", "<!-- & ]]>"}, {"c", "\u2028\u2029"}};
  const std::string text = json_for_html(json);
  for (const char* forbidden : {"<", ">", "&", "\u2028", "\u2029"})
    EXPECT_THAT(text, Not(HasSubstr(forbidden)));
  EXPECT_EQ(Json::parse(text), json);
}

TEST(JsonForHtml, ShowsAReplacementMarkForWhatIsNotUtf8) {
  EXPECT_EQ(json_for_html({{"name",
                            "a\xff"
                            "b"}}),
            "{\"name\":\"a\\ufffdb\"}");
}

TEST(HtmlPage, PutsTheResultsWhereTheMarkIs) {
  const PageResult one{ranking(kHostile), "rank.json"};
  const std::string page = html_page("<head>@ASSAY_RESULTS@</tail>", {&one, 1});
  EXPECT_THAT(page, testing::StartsWith("<head>{\"results\":[{\"kind\":\"rank\",\"source\":"));
  EXPECT_THAT(page, testing::EndsWith("}</tail>"));
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
  const std::string inside = page.substr(6, page.size() - 6 - 7);
  const Json parsed = Json::parse(inside);
  EXPECT_EQ(parsed["results"][0]["result"], one.result);
  EXPECT_EQ(parsed["results"][0]["source"], "rank.json");
}

// A model may be called like the mark: it is looked for in the page alone.
TEST(HtmlPage, IsNotFooledByAModelNamedLikeTheMark) {
  const PageResult one{ranking("@ASSAY_RESULTS@")};
  EXPECT_EQ(html_page("[@ASSAY_RESULTS@]", {&one, 1}),
            "[{\"results\":[{\"kind\":\"rank\",\"result\":" + one.result.dump() + "}]}]");
}

TEST(HtmlPage, RefusesAPageWithoutOrWithTwoMarks) {
  const PageResult one{ranking("a")};
  for (const char* page : {"", "<html>", "@ASSAY_RESULTS@@ASSAY_RESULTS@"}) {
    EXPECT_THAT(error_of([&] { html_page(page, {&one, 1}); }), HasSubstr("make web"));
  }
}

TEST(PageKind, IsTheCommandOrAnEvaluationByItsFields) {
  EXPECT_EQ(page_kind(ranking("a"), "x"), "rank");
  EXPECT_EQ(page_kind({{"command", "prior score"}, {"models", {1}}}, "x"), "prior score");
  EXPECT_EQ(page_kind({{"command", "tune"}, {"runs", {1}}}, "x"), "tune");
  EXPECT_EQ(page_kind({{"truth_column", "accuracy"}, {"metrics", {{"logme", 1}}}}, "x"),
            "evaluate");
}

TEST(PageKind, ExplainsWhatItCannotShow) {
  const auto refused = [](const Json& json) {
    return error_of([&] { page_kind(json, "my.json"); });
  };
  for (const Json& foreign : {Json{{"a", 1}}, Json::array({1}), Json(3), Json(nullptr),
                              Json{{"command", 7}}, Json{{"metrics", {1}}}})
    EXPECT_THAT(refused(foreign), AllOf(HasSubstr("my.json"), HasSubstr("no result of assay")));
  EXPECT_THAT(refused({{"command", "cache list"}}),
              AllOf(HasSubstr("`assay cache list`"), HasSubstr("rank, evaluate, curve")));
  for (const Json& empty :
       {Json{{"command", "rank"}}, Json{{"command", "rank"}, {"models", Json::array()}},
        Json{{"command", "rank"}, {"models", 3}}})
    EXPECT_THAT(refused(empty), HasSubstr("without models"));
}

TEST(ReadPageResult, NamesTheFileThatIsNoResult) {
  const TemporaryDirectory folder;
  write_text(folder / "text.json", "not json");
  write_text(folder / "other.json", "{\"hello\": 1}");
  write_text(folder / "rank.json", ranking("a").dump());
  const auto reads = [&](const char* name) {
    return error_of([&] { read_page_result(folder / name); });
  };
  EXPECT_THAT(reads("text.json"), AllOf(HasSubstr("text.json"), HasSubstr("not valid JSON")));
  EXPECT_THAT(reads("other.json"), AllOf(HasSubstr("other.json"), HasSubstr("no result of assay")));
  EXPECT_THAT(reads("gone.json"), AllOf(HasSubstr("gone.json"), HasSubstr("No such file")));
  EXPECT_EQ(read_page_result(folder / "rank.json").result, ranking("a"));
}

TEST(RequireWritablePage, SaysBeforehandWhatWouldFail) {
  const TemporaryDirectory folder;
  EXPECT_NO_THROW(require_writable_page(folder / "new.html"));
  EXPECT_NO_THROW(require_writable_page("/dev/null"));
  EXPECT_THAT(error_of([&] { require_writable_page(folder.path()); }), HasSubstr("directory"));
  EXPECT_THAT(error_of([&] { require_writable_page(folder / "no" / "new.html"); }),
              HasSubstr("no directory"));
}

TEST(WriteHtmlPage, WritesThePageOfThisBuildOrSaysHowToGetOne) {
  const TemporaryDirectory folder;
  const PageResult one{ranking(kHostile)};
  if (!has_html_page()) {
    EXPECT_THAT(error_of([&] {
                  write_html_page(folder / "page.html", {&one, 1});
                }),
                AllOf(HasSubstr("Node.js"), HasSubstr("make web"), HasSubstr("`json`")));
    EXPECT_FALSE(std::filesystem::exists(folder / "page.html"));
    return;
  }
  write_html_page(folder / "page.html", {&one, 1});
  const std::string page = contents_of(folder / "page.html");
  EXPECT_THAT(page, testing::StartsWith("<!doctype html>"));
  EXPECT_THAT(page, HasSubstr("\\u003cscript\\u003ealert(1)\\u003c/script\\u003e"));
  EXPECT_THAT(page, Not(HasSubstr(kHostile)));
  EXPECT_THAT(page, Not(HasSubstr("@ASSAY_RESULTS@")));
}

}  // namespace
}  // namespace assay
