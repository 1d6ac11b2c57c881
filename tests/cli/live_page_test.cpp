#include "live_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html_page.h"
#include "run_command.h"
#include "support.h"

namespace assay {
namespace {

using Json = nlohmann::json;
using test::read_text;

Json content_of(const std::string& page) {
  const std::string start = "<script type=\"application/json\" id=\"results\">";
  const std::size_t from = page.find(start) + start.size();
  return Json::parse(page.substr(from, page.find("</script>", from) - from));
}

class LivePageTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_html_page()) GTEST_SKIP() << "built without the page: run `make web`";
    global_.command_line = {"assay", "tune", "hub"};
  }

  std::filesystem::path html() const { return folder_ / "page.html"; }

  test::TemporaryDirectory folder_;
  cli::GlobalOptions global_;
};

TEST_F(LivePageTest, LeavesShortRunsAlone) {
  cli::LivePage page(global_, html());
  page.show(0.5, "resnet", 1.0);
  page.stop();
  EXPECT_FALSE(std::filesystem::exists(html()));
}

TEST_F(LivePageTest, SaysHowFarALongRunIsAndWhatItDid) {
  cli::LivePage page(global_, html());
  page.show(0.1, "resnet", 1.0);
  page.show(0.2, "<b>vit</b>", 6.0);
  const std::string text = read_text(html());
  const Json running = content_of(text).at("running");
  EXPECT_EQ(running.at("state"), "running");
  EXPECT_EQ(running.at("done"), 0.2);
  EXPECT_EQ(running.at("command"), Json({"assay", "tune", "hub"}));
  EXPECT_EQ(running.at("steps").size(), 2U);
  EXPECT_EQ(running.at("steps")[0].at("what"), "resnet");
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("<b>vit</b>")));
  EXPECT_THAT(test::entries_of(folder_.path()), testing::ElementsAre("page.html"));
}

TEST_F(LivePageTest, IsWrittenEveryFewSecondsOnly) {
  cli::LivePage page(global_, html());
  page.show(0.2, "resnet", 6.0);
  page.show(0.3, "resnet", 7.0);
  EXPECT_EQ(content_of(read_text(html())).at("running").at("done"), 0.2);
  page.show(0.4, "resnet", 11.5);
  EXPECT_EQ(content_of(read_text(html())).at("running").at("done"), 0.4);
}

TEST_F(LivePageTest, SaysThatARunEndedWithoutAResult) {
  cli::LivePage page(global_, html());
  page.show(0.2, "resnet", 6.0);
  page.stop();
  EXPECT_EQ(content_of(read_text(html())).at("running").at("state"), "stopped");
}

TEST_F(LivePageTest, OfACommandWithoutHtmlWritesNothing) {
  cli::LivePage page(global_, {});
  EXPECT_FALSE(page.wanted());
  page.show(0.2, "resnet", 6.0);
  EXPECT_TRUE(test::entries_of(folder_.path()).empty());
}

}  // namespace
}  // namespace assay
