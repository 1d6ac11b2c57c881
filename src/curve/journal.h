#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "assay/types.h"
#include "curve/probes.h"

namespace assay {

// Finished probes of one model, a line of JSON each, in a file named after everything that
// determines them. A line is appended by one write, so a killed run loses the probes in flight and
// nothing else. Lines carry a digest (io/sealed_json.h): one that is cut short, damaged or of
// another file is skipped, and its probe runs again. Several runs may share the file.
class CurveJournal {
 public:
  // An empty directory keeps nothing. Throws Error when the file cannot be opened.
  CurveJournal(const std::filesystem::path& directory, const std::string& cache_key);
  ~CurveJournal();
  CurveJournal(const CurveJournal&) = delete;
  CurveJournal& operator=(const CurveJournal&) = delete;
  CurveJournal(CurveJournal&&) = delete;
  CurveJournal& operator=(CurveJournal&&) = delete;

  std::optional<ProbeOutcome> find(Index seed, Index n) const;
  void add(Index seed, Index n, const ProbeOutcome& outcome);  // from any thread

  // Why nothing is kept any more, such as a full disk; empty while all is well. The run goes on: a
  // journal only spares work.
  std::string problem() const;

  // The file's name in its directory.
  static std::string file_name(const std::string& cache_key);

 private:
  void read(const std::filesystem::path& path);
  void append(const std::string& line);

  int descriptor_ = -1;
  std::filesystem::path path_;
  std::string cache_key_;
  std::string problem_;
  mutable std::mutex mutex_;
  std::map<std::pair<Index, Index>, ProbeOutcome> finished_;
};

}  // namespace assay
