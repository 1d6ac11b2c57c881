#include "assay/thread_pool.h"

#include "core/machine.h"

extern "C" void openblas_set_num_threads(int threads);
extern "C" int openblas_get_num_threads();

namespace assay {
namespace {

thread_local bool inside_task = false;

}  // namespace

ThreadPool::ThreadPool(int threads) {
  // Only when needed: the call would restart the threads of a library that has none left.
  if (openblas_get_num_threads() != 1) openblas_set_num_threads(1);
  if (threads <= 0) threads = usable_processors();
  for (int i = 1; i < threads; ++i) {
    workers_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }
}

ThreadPool::~ThreadPool() {
  for (std::jthread& worker : workers_) worker.request_stop();
}

void ThreadPool::run(Index count, const std::function<void(Index)>& task) {
  // A single task is no sharing out: what it runs itself may still be shared.
  if (inside_task || workers_.empty() || count == 1) {
    for (Index i = 0; i < count; ++i) {
      if (watch_) watch_();
      task(i);
    }
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    task_ = &task;
    next_ = 0;
    count_ = count;
    failure_ = nullptr;
    ++round_;
  }
  wake_.notify_all();
  drain();
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0 && next_ >= count_; });
  task_ = nullptr;
  if (failure_) std::rethrow_exception(failure_);
}

void ThreadPool::work(const std::stop_token& stop) {
  Index seen = 0;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, stop, [&] { return round_ != seen; })) return;
      seen = round_;
    }
    drain();
  }
}

void ThreadPool::drain() {
  std::unique_lock lock(mutex_);
  while (task_ != nullptr && next_ < count_) {
    const Index mine = next_++;
    const std::function<void(Index)>& task = *task_;
    ++busy_;
    lock.unlock();
    std::exception_ptr failure;
    inside_task = true;
    try {
      if (watch_) watch_();
      task(mine);
    } catch (...) {
      failure = std::current_exception();
    }
    inside_task = false;
    lock.lock();
    --busy_;
    if (failure) {
      if (!failure_) failure_ = failure;
      next_ = count_;  // nothing further is handed out
    }
  }
  if (busy_ == 0) done_.notify_all();
}

}  // namespace assay
