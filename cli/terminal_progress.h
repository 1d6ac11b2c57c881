#pragma once

#include <string>

#include "assay/progress.h"
#include "live_page.h"

namespace assay::cli {

// A line on the terminal with a percentage and the time left, for runs of more
// than two seconds; writes nothing when stderr is not a terminal or `quiet`. With a live page the
// same goes there, whatever stderr is.
class TerminalProgress {
 public:
  explicit TerminalProgress(bool quiet, LivePage page = {});
  ~TerminalProgress();
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;
  TerminalProgress(TerminalProgress&&) = delete;
  TerminalProgress& operator=(TerminalProgress&&) = delete;

  ProgressCallback callback();

 private:
  void show(double done, const std::string& what);
  void clear() const;

  bool enabled_;
  LivePage page_;
  int exceptions_;
  bool visible_ = false;
  double started_;
  double last_shown_ = 0.0;
};

}  // namespace assay::cli
