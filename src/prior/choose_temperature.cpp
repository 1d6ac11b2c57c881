#include "prior/choose_temperature.h"

#include <cmath>

#include "prior/diversity.h"
#include "prior/sample_tasks.h"

namespace assay {
namespace {

constexpr Index kFew = 24;      // tasks that say where the temperature lies roughly
constexpr Index kMany = 128;    // and exactly
constexpr double kNear = 0.01;  // of the target
constexpr double kStep = 4.0;   // from one rough temperature to the next
constexpr int kMostSteps = 12;

template <typename T>
class Likeness {
 public:
  Likeness(ThreadPool& pool, const TaskPrior<T>& prior, SampleOptions options)
      : pool_(pool), prior_(prior), options_(options) {}

  double operator()(double temperature, Index tasks) {
    options_.temperature = temperature;
    options_.tasks = tasks;
    const SampledLabels drawn = sample_tasks(pool_, prior_, options_);
    return *diversity_of(drawn.labels, prior_.count(), options_.classes).mean_ari;
  }

 private:
  ThreadPool& pool_;
  const TaskPrior<T>& prior_;
  SampleOptions options_;
};

}  // namespace

template <typename T>
std::optional<double> choose_temperature(ThreadPool& pool, const TaskPrior<T>& prior,
                                         SampleOptions options, double target) {
  const double entry = median_temperature(prior, options.seed);
  if (!(entry > 0.0)) return {};
  Likeness<T> likeness(pool, prior, options);
  // A sample feels the sum of n entries of either sign, about sqrt(n) times one.
  double cold = entry * std::sqrt(static_cast<double>(prior.count()));
  double hot = cold;
  if (likeness(cold, kFew) > target) {
    for (int step = 0; step < kMostSteps && likeness(hot *= kStep, kFew) > target; ++step)
      cold = hot;
  } else {
    int step = 0;
    while (likeness(cold /= kStep, kFew) <= target) {
      hot = cold;
      if (++step == kMostSteps) return cold;
    }
  }
  for (int step = 0; step < kMostSteps; ++step) {
    const double middle = std::sqrt(cold * hot);
    const double found = likeness(middle, step < 4 ? kFew : kMany);
    if (step >= 4 && std::abs(found - target) < kNear) return middle;
    (found > target ? cold : hot) = middle;
  }
  return std::sqrt(cold * hot);
}

template std::optional<double> choose_temperature(ThreadPool&, const TaskPrior<float>&,
                                                  SampleOptions, double);
template std::optional<double> choose_temperature(ThreadPool&, const TaskPrior<double>&,
                                                  SampleOptions, double);

}  // namespace assay
