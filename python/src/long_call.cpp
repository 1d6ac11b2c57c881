#include "long_call.h"

#include <chrono>
#include <thread>

extern "C" void openblas_set_num_threads(int threads);
extern "C" int openblas_get_num_threads();

namespace assay::python {

namespace py = pybind11;

namespace {

// The library holds OpenBLAS to one thread, and NumPy may use the same OpenBLAS: its threads are
// given back when the last of several calls is over.
class BorrowedBlas {
 public:
  BorrowedBlas() {
    const std::lock_guard lock(mutex);
    if (users++ == 0) threads = openblas_get_num_threads();
    if (threads != 1) openblas_set_num_threads(1);
  }
  ~BorrowedBlas() {
    const std::lock_guard lock(mutex);
    if (--users == 0 && threads != 1) openblas_set_num_threads(threads);
  }
  BorrowedBlas(const BorrowedBlas&) = delete;
  BorrowedBlas& operator=(const BorrowedBlas&) = delete;
  BorrowedBlas(BorrowedBlas&&) = delete;
  BorrowedBlas& operator=(BorrowedBlas&&) = delete;

 private:
  static inline std::mutex mutex;
  static inline int users = 0;
  static inline int threads = 1;
};

}  // namespace

std::function<void()> LongCall::watch() const {
  return [this] { check(); };
}

void LongCall::check() const {
  if (stopped_) throw Stopped{};
}

ProgressCallback LongCall::progress() {
  return [this](double done, const std::string& what) {
    check();
    const std::lock_guard lock(mutex_);
    news_ = {done, what};
  };
}

void LongCall::on_caller(const std::function<void()>& action) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return action_ == nullptr; });
  check();
  action_ = &action;
  changed_.notify_all();
  changed_.wait(lock, [&] { return action_ != &action; });
  check();
}

void LongCall::run(const std::function<void()>& work) {
  std::exception_ptr failure;
  {
    const py::gil_scoped_release release;
    const BorrowedBlas blas;
    const std::jthread worker([&] {
      try {
        work();
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      finished_ = true;
      changed_.notify_all();
    });
    attend();
  }
  if (raised_) std::rethrow_exception(raised_);
  if (failure) std::rethrow_exception(failure);
}

void LongCall::attend() {
  constexpr std::chrono::milliseconds glance{50};
  std::unique_lock lock(mutex_);
  for (bool over = false; !over;) {
    changed_.wait_for(lock, glance, [&] { return finished_ || action_ != nullptr; });
    over = finished_;
    const std::function<void()>* const action = action_;
    const auto news = std::exchange(news_, std::nullopt);
    lock.unlock();
    serve(action, news);
    lock.lock();
    if (action == nullptr) continue;
    action_ = nullptr;
    changed_.notify_all();
  }
}

void LongCall::serve(const std::function<void()>* action,
                     const std::optional<std::pair<double, std::string>>& news) {
  if (raised_) return;  // on its way out
  const py::gil_scoped_acquire acquire;
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (news && !progress_.is_none()) progress_(news->first, news->second);
    if (action != nullptr) (*action)();
  } catch (...) {
    raised_ = std::current_exception();
    stopped_ = true;
  }
}

}  // namespace assay::python
