#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "assay/progress.h"

namespace assay::python {

// Ends the work of a call that Python has given up. No std::exception: nobody in between may take
// it for a model that failed.
struct Stopped {};

// A call that may take long. The library works on a thread of its own without the GIL; the thread
// that called from Python waits, sees to Ctrl-C and runs whatever is Python. So progress and
// learners are called on the thread that the user called from.
class LongCall {
 public:
  // `progress`: None, or a function of the share that is done and the name of the step.
  explicit LongCall(pybind11::object progress) : progress_(std::move(progress)) {}

  // Runs `work` to its end; with the GIL. What it throws comes out here, or the Python error that
  // stopped it.
  void run(const std::function<void()>& work);

  // For the library; of any thread.
  ProgressCallback progress();

  // Runs `action` on the calling thread, with the GIL; of a thread of the library. Throws Stopped
  // when it raises, and when the call has been given up.
  void on_caller(const std::function<void()>& action);

  // Throws Stopped when the call has been given up: for ThreadPool::watch.
  std::function<void()> watch() const;

 private:
  void check() const;  // throws Stopped
  void attend();
  void serve(const std::function<void()>* action,
             const std::optional<std::pair<double, std::string>>& news);

  pybind11::object progress_;
  std::atomic<bool> stopped_ = false;
  std::exception_ptr raised_;  // by Python; touched by the calling thread alone
  std::mutex mutex_;
  std::condition_variable changed_;
  bool finished_ = false;
  const std::function<void()>* action_ = nullptr;
  std::optional<std::pair<double, std::string>> news_;
};

}  // namespace assay::python
