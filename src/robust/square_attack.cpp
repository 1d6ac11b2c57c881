#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "core/random.h"
#include "robust/strong_attack.h"

namespace assay {
namespace {

// A pattern of side h with a peak: rings around the middle of its upper half, each a little weaker
// than the one inside, and the same with the other sign below. Of length 1.
std::vector<double> peaked(Index side, Random& random) {
  std::vector<double> out(static_cast<std::size_t>(side * side));
  const Index half = std::max<Index>(1, side / 2);
  const bool across = random.uniform() < 0.5;
  for (Index y = 0; y < side; ++y)
    for (Index x = 0; x < side; ++x) {
      const Index along = across ? x : y;
      const Index other = across ? y : x;
      const bool first = along < half;
      const double middle = 0.5 * static_cast<double>(first ? half - 1 : side + half - 1);
      const double ring =
          std::max(std::abs(static_cast<double>(along) - middle),
                   std::abs(static_cast<double>(other) - 0.5 * static_cast<double>(side - 1)));
      out[static_cast<std::size_t>(y * side + x)] =
          (first ? 1.0 : -1.0) / std::pow(1.0 + ring, 2.0);
    }
  double square = 0.0;
  for (const double value : out) square += value * value;
  for (double& value : out) value /= std::sqrt(square);
  return out;
}

struct Window {
  Index top = 0, left = 0, side = 1;
  bool holds(Index y, Index x) const {
    return y >= top && y < top + side && x >= left && x < left + side;
  }
};

Window random_window(Index side, Index size, Random& random) {
  return {random.below(size - side + 1), random.below(size - side + 1), side};
}

// How large windows are: a share of the picture's area that is halved as queries are used up.
Index side_of_window(Index query, Index queries, Index size) {
  constexpr double first = 0.1;
  constexpr std::array<double, 6> halvings = {0.01, 0.05, 0.2, 0.4, 0.6, 0.8};
  const double done = static_cast<double>(query) / static_cast<double>(queries);
  double share = first;
  for (const double at : halvings) share *= done >= at ? 0.5 : 1.0;
  const auto side = static_cast<Index>(std::lround(std::sqrt(share) * static_cast<double>(size)));
  return std::clamp<Index>(side, std::min<Index>(2, size), size);
}

// One proposal: the shift in `from` becomes 0, and what that and the unspent radius free goes into
// `to`, in the direction of the shift there plus a pattern.
void propose(std::vector<float>& shift, const Window& to, const Window& from, Index size,
             double radius, Random& random) {
  double spent = 0.0;
  for (const float value : shift) spent += static_cast<double>(value) * static_cast<double>(value);
  const double unspent = std::max(0.0, radius * radius - spent);
  const std::vector<double> pattern = peaked(to.side, random);
  for (Index c = 0; c < 3; ++c) {
    const double sign = random.uniform() < 0.5 ? -1.0 : 1.0;
    double inside = 0.0;
    double freed = 0.0;
    const auto at = [&](Index y, Index x) -> float& {
      return shift[static_cast<std::size_t>((c * size + y) * size + x)];
    };
    for (Index y = 0; y < size; ++y)
      for (Index x = 0; x < size; ++x) {
        const double square = static_cast<double>(at(y, x)) * static_cast<double>(at(y, x));
        if (to.holds(y, x)) inside += square;
        if (!to.holds(y, x) && from.holds(y, x)) {
          freed += square;
          at(y, x) = 0.0F;
        }
      }
    const double now = std::sqrt(inside);
    std::vector<double> wanted(pattern.size());
    double length = 0.0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const Index y = to.top + static_cast<Index>(i) / to.side;
      const Index x = to.left + static_cast<Index>(i) % to.side;
      wanted[i] = sign * pattern[i] + (now > 0.0 ? static_cast<double>(at(y, x)) / now : 0.0);
      length += wanted[i] * wanted[i];
    }
    if (!(length > 0.0)) continue;
    const double reach = std::sqrt(inside + freed + unspent / 3.0) / std::sqrt(length);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      at(to.top + static_cast<Index>(i) / to.side, to.left + static_cast<Index>(i) % to.side) =
          static_cast<float>(reach * wanted[i]);
  }
}

struct Searcher {
  Index picture = 0;
  std::vector<float> x, trial;
  double margin = 0.0;
  Random random;
};

// Patterns over the whole picture, tile by tile, at the full radius.
std::vector<float> first_shift(Index size, double radius, Random& random) {
  std::vector<float> out(static_cast<std::size_t>(3 * size * size));
  const Index side = std::clamp<Index>(size / 5, 1, size);
  for (Index top = 0; top + side <= size; top += side)
    for (Index left = 0; left + side <= size; left += side) {
      const std::vector<double> pattern = peaked(side, random);
      for (Index c = 0; c < 3; ++c) {
        const double sign = random.uniform() < 0.5 ? -1.0 : 1.0;
        for (std::size_t i = 0; i < pattern.size(); ++i) {
          const Index y = top + static_cast<Index>(i) / side;
          const Index x = left + static_cast<Index>(i) % side;
          out[static_cast<std::size_t>((c * size + y) * size + x)] =
              static_cast<float>(sign * pattern[i]);
        }
      }
    }
  const auto factor = static_cast<float>(radius / length_of(out));
  for (float& value : out) value *= factor;
  return out;
}

}  // namespace

std::vector<bool> after_square(Trainer& trainer, const AttackTask& task, std::vector<bool> right,
                               const StrongAttack& attack) {
  std::vector<Searcher> active;
  const std::uint64_t own = mixed_seed(attack.seed, 3);
  for (Index i = 0; i < task.images.count; ++i) {
    if (!right[static_cast<std::size_t>(i)]) continue;
    const std::span<const float> picture = task.images.image(i);
    active.push_back({i,
                      {picture.begin(), picture.end()},
                      {},
                      HUGE_VAL,
                      Random(mixed_seed(own, static_cast<std::uint64_t>(task.first + i)))});
  }
  const Index size = task.images.size;
  for (Index query = 0; query < attack.queries && !active.empty(); ++query) {
    const Index side = side_of_window(query, attack.queries, size);
    UnitImages trials{{}, static_cast<Index>(active.size()), size};
    for (Searcher& one : active) {
      const std::span<const float> centre = task.images.image(one.picture);
      std::vector<float> shift;
      if (query == 0) {
        shift = first_shift(size, attack.epsilon, one.random);
      } else {
        shift = one.x;
        for (std::size_t j = 0; j < shift.size(); ++j) shift[j] -= centre[j];
        const Window to = random_window(side, size, one.random);
        const Window from = random_window(side, size, one.random);
        propose(shift, to, from, size, attack.epsilon, one.random);
      }
      one.trial.assign(centre.begin(), centre.end());
      for (std::size_t j = 0; j < shift.size(); ++j) one.trial[j] += shift[j];
      project(one.trial, centre, attack.epsilon);
      trials.pixels.insert(trials.pixels.end(), one.trial.begin(), one.trial.end());
    }
    const Matrix outputs = outputs_of(task.head, features_of(trainer, trials, task.map));
    std::vector<Searcher> left;
    for (std::size_t k = 0; k < active.size(); ++k) {
      Searcher& one = active[k];
      const double margin = margin_of(outputs.col(static_cast<Index>(k)),
                                      task.labels[static_cast<std::size_t>(one.picture)]);
      if (margin <= 0.0) {
        right[static_cast<std::size_t>(one.picture)] = false;
        continue;
      }
      if (margin < one.margin) {
        one.margin = margin;
        one.x = std::move(one.trial);
      }
      left.push_back(std::move(one));
    }
    active = std::move(left);
  }
  return right;
}

}  // namespace assay
