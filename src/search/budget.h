#pragma once

#include <optional>

#include "assay/search.h"
#include "assay/types.h"

namespace assay {

// Samples that a budget serves each of so many models, if all see as many; of a time nobody knows
// it: the usual quarter is taken.
double samples_each(const SearchBudget& budget, Index models, Index samples);

// What is left of a budget while a race goes on.
class Purse {
 public:
  Purse(const SearchBudget& budget, Index models, Index samples);

  // What seeing `samples` more costs, for a model that took `seconds_per_sample` so far.
  double price(Index samples, double seconds_per_sample) const;

  // In the same unit; seconds are read off the clock.
  double left() const;
  void pay(Index passes) { passes_ += static_cast<double>(passes); }

 private:
  bool by_time_;
  double amount_;
  double passes_ = 0.0;
  double started_;
};

}  // namespace assay
