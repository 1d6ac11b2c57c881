#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "parts/part_file.h"

namespace assay {

// Parts of one command, checked to belong together.
struct PartSet {
  std::vector<PartFile> parts;  // by number, each at most once
  std::vector<Index> missing;   // numbers
  std::filesystem::path first;  // a file, for messages
};

// Throws Error naming the files when a part is damaged or there twice, or when parts differ in
// command, version, data or number. Missing parts are listed, and an Error unless allowed.
PartSet read_parts(const std::vector<std::filesystem::path>& files, bool allow_missing);

// Computes nothing of the list that the parts hold, and everything of all others.
class MergedShare : public WorkShare {
 public:
  explicit MergedShare(PartSet set) : set_(std::move(set)) {}

  const PartSet& parts() const { return set_; }
  bool used() const { return used_; }  // whether the command came to the list of the parts

  void begin(const WorkList& list) override;
  bool computes(Index /*unit*/) const override { return !in_parts_; }
  void keep(Index /*unit*/, UnitOutcome /*outcome*/) override {}
  void complete() override {}
  std::optional<UnitOutcome> outcome(Index unit) const override;

 private:
  PartSet set_;
  bool in_parts_ = false;
  bool used_ = false;
};

}  // namespace assay
