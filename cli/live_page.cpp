#include "live_page.h"

#include <algorithm>
#include <ctime>

#include "assay/error.h"
#include "assay/version.h"
#include "report/html_page.h"

namespace assay::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kFirst = 5.0;  // seconds; shorter runs show their result alone
constexpr double kEvery = 5.0;
constexpr std::size_t kMostSteps = 200;

std::int64_t unix_seconds() { return static_cast<std::int64_t>(std::time(nullptr)); }

}  // namespace

LivePage::LivePage(const GlobalOptions& global, std::filesystem::path html)
    : html_(std::move(html)) {
  // A pipe takes one page: the result.
  if (!global.part.empty() || global.follows) html_.clear();  // another process shows the result
  if (std::filesystem::exists(html_) && !std::filesystem::is_regular_file(html_)) html_.clear();
  content_ = {{"command", global.command_line},
              {"version", kVersion},
              {"started", unix_seconds()},
              {"every", kEvery},
              {"steps", Json::array()}};
}

void LivePage::show(double done, const std::string& what, double elapsed) {
  if (!wanted()) return;
  Json& steps = content_["steps"];
  if (steps.empty() || steps.back().at("what") != what) {
    if (steps.size() >= kMostSteps) steps.erase(0);
    steps.push_back({{"what", what}, {"at", elapsed}});
  }
  if (elapsed < kFirst || elapsed - last_written_ < kEvery) return;
  last_written_ = elapsed;
  content_["done"] = std::clamp(done, 0.0, 1.0);
  content_["elapsed"] = elapsed;
  write("running");
}

void LivePage::stop() {
  if (visible_) write("stopped");
}

// A page that cannot be written now may be later, and the result is what counts.
void LivePage::write(const char* state) {
  content_["state"] = state;
  content_["written"] = unix_seconds();
  try {
    write_running_page(html_, content_);
    visible_ = true;
  } catch (const Error&) {
    html_.clear();
  }
}

}  // namespace assay::cli
