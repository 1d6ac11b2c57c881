#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "assay/types.h"

namespace assay {

// A fixed team of threads that share out numbered tasks.
//
// Results must not depend on the number of threads: a task writes only what its
// number owns, and sums over tasks are taken in task order by the caller.
// OpenBLAS runs single-threaded inside tasks (the constructor sees to it); our
// own team beside a threaded BLAS halves the speed of both.
class ThreadPool {
 public:
  // threads >= 1, the caller included. 0 = one per core that this process may use.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ThreadPool(ThreadPool&&) = delete;
  ThreadPool& operator=(ThreadPool&&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls task(0) ... task(count - 1), each once, and returns when all are done.
  // The first exception stops the sharing out and is rethrown here. A task may
  // itself call run(): it is then carried out by the calling thread alone, unless the task is the
  // only one.
  void run(Index count, const std::function<void(Index)>& task);

  // Called before every task, on its thread, from the next run() on: what it throws ends the run,
  // so that whoever waits for a long one can give it up.
  void watch(std::function<void()> check) { watch_ = std::move(check); }

 private:
  void work(const std::stop_token& stop);
  void drain();

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable done_;
  std::function<void()> watch_;
  const std::function<void(Index)>* task_ = nullptr;
  Index next_ = 0;
  Index count_ = 0;
  int busy_ = 0;
  Index round_ = 0;
  std::exception_ptr failure_;
  std::vector<std::jthread> workers_;  // last: they end before the rest is destroyed
};

}  // namespace assay
