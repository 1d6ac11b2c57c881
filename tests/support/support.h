#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "assay/rows.h"
#include "assay/targets.h"
#include "assay/thread_pool.h"
#include "assay/types.h"
#include "metrics/problem.h"

namespace assay::test {

// tests/golden/... of the source tree.
std::filesystem::path golden(const std::string& relative);

// A directory of its own for the running test, removed with the object.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  TemporaryDirectory(TemporaryDirectory&&) = delete;
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void write_text(const std::filesystem::path& path, const std::string& text);

// The message of the Error that `action` throws; fails the test when it throws none.
std::string error_of(const std::function<void()>& action);

// Features around one random centre per class, and their labels 0 ... classes - 1 in turn.
struct Sample {
  Matrix features;  // n x D
  Targets targets;
};
Sample blobs(Index classes, Index per_class, Index dim, double spread, std::uint64_t seed = 1);
Matrix gaussian(Index rows, Index cols, std::uint64_t seed);
Targets class_targets(const std::vector<Label>& labels);
Targets value_targets(const Matrix& values);

// Problems from a matrix, by way of a forced side: D x D moments or the n x n kernel.
Problem primal_problem(const Matrix& features, const Targets& targets, bool center = false);
Problem dual_problem(const Matrix& features, const Targets& targets, bool center = false);

// All rows, n x D.
Matrix matrix_of(const RowSource& rows);

// Two threads, shared by the tests of a program.
ThreadPool& pool();

// LogME the slow way: Eq. 2 of the paper with dense matrices, D terms in log|A|,
// maximised over a fine grid of log t and by golden section. Columns of y only.
double brute_force_evidence(const Matrix& features, const Vector& y, double alpha, double beta);
double brute_force_logme(const Matrix& features, const Matrix& targets);

}  // namespace assay::test
