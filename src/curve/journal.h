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
// nothing else; a line cut short is skipped. Several runs may share the file.
class CurveJournal {
 public:
  // An empty directory keeps nothing. Throws Error when the file cannot be written.
  CurveJournal(const std::filesystem::path& directory, const std::string& what_determines_it);
  ~CurveJournal();
  CurveJournal(const CurveJournal&) = delete;
  CurveJournal& operator=(const CurveJournal&) = delete;
  CurveJournal(CurveJournal&&) = delete;
  CurveJournal& operator=(CurveJournal&&) = delete;

  std::optional<ProbeOutcome> find(Index seed, Index n) const;
  void add(Index seed, Index n, const ProbeOutcome& outcome);  // from any thread

 private:
  void read(const std::filesystem::path& path);
  void append(const std::string& line) const;

  int descriptor_ = -1;
  std::filesystem::path path_;
  std::mutex mutex_;
  std::map<std::pair<Index, Index>, ProbeOutcome> finished_;
};

}  // namespace assay
