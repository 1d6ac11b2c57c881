#pragma once

#include <string>
#include <vector>

#include "assay/prior.h"
#include "assay/thread_pool.h"
#include "assay/types.h"
#include "prior/task_prior.h"

namespace assay {

// A prior whose files are open: its parts multiply.
struct OpenPrior {
  std::string name;  // of its parts, joined by *
  std::vector<GivenPriorPart> parts;

  // Whether a part is that model's features: a model that is its own judge.
  bool holds(const std::string& model) const;
};

OpenPrior prior_of(std::vector<GivenPriorPart> parts);

// Throws Error for a part that cannot be read.
OpenPrior open_prior(const PriorParts& parts);

// Throws Error where a part has not `rows` samples; `expected_of` names what has.
void require_rows_of(const OpenPrior& prior, Index rows, const std::string& expected_of);

// The kernels and groupings. Throws Error for what make_kernel and kernel_axes refuse.
template <typename T>
TaskPrior<T> load_prior(ThreadPool& pool, const OpenPrior& prior, Index rows,
                        const KernelOptions& kernel);

// The name of a kernel matrix's file in `kernel:FILE`, or empty.
std::string kernel_file(const std::string& part);

// Throws Error unless a file with `found` rows fits samples that another has `expected` of.
void require_same_rows(Index found, Index expected, const std::string& where,
                       const std::string& expected_of);

// The classes of a labelling, one per row; Error for other targets.
std::vector<Label> grouping_of(Targets targets);

// Files that parts are read from beside features: labellings, for provenance.
std::vector<std::filesystem::path> label_files(const std::vector<PriorParts>& priors);

}  // namespace assay
