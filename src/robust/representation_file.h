#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/array.h"
#include "assay/robust.h"
#include "assay/thread_pool.h"
#include "robust/synbench.h"

namespace assay {

// Representations of synthetic samples at several scales, as an .npz holds them. The samples stay
// in the file's own type until a scale is asked for.
class RepresentationFile {
 public:
  // Reads the archive and checks shapes, scales and labels; samples are checked as they are read.
  // Throws Error, also when it takes more than `memory_limit` bytes.
  RepresentationFile(const std::filesystem::path& path, Index memory_limit);

  // The same checks for arrays in memory, which must stay there.
  explicit RepresentationFile(const GivenRepresentations& given);

  const std::vector<double>& scales() const { return scales_; }
  Index dim() const { return train_.shape[2]; }
  Index train_count() const { return train_.shape[1]; }
  Index test_count() const { return test_.shape[1]; }

  // At scale number s. From any thread.
  LabelledRepresentation train(ThreadPool& pool, std::size_t s) const;
  LabelledRepresentation test(ThreadPool& pool, std::size_t s) const;

 private:
  void check(const std::string& where) const;
  void read_classes(const Array& train_labels, const Array& test_labels, const std::string& where);

  std::vector<double> scales_;
  Array train_;
  Array test_;
  std::vector<std::vector<Label>> train_labels_;
  std::vector<std::vector<Label>> test_labels_;
};

}  // namespace assay
