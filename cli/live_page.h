#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "common.h"

namespace assay::cli {

// While a long run goes on, --html says how far it is: the page is written anew, atomically, every
// few seconds after the first ones, and reads itself anew in the browser. The result takes its
// place at the end. Writes nothing where no page was asked for.
class LivePage {
 public:
  LivePage() = default;
  LivePage(const GlobalOptions& global, std::filesystem::path html);

  bool wanted() const { return !html_.empty(); }
  void show(double done, const std::string& what, double elapsed);
  // The run ended without a result: the page says so, where it said that the run goes on.
  void stop();

 private:
  void write(const char* state);

  std::filesystem::path html_;
  nlohmann::ordered_json content_;
  double last_written_ = 0.0;
  bool visible_ = false;
};

}  // namespace assay::cli
