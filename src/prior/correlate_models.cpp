#include "prior/correlate_models.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "assay/correlation.h"
#include "core/random.h"

namespace assay {
namespace {

constexpr int kDraws = 1000;
constexpr double kTail = 0.025;  // on either side

template <typename Number>
std::vector<Number> first_numbers(Number count) {
  std::vector<Number> out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), Number{0});
  return out;
}

// By linear interpolation between the sorted values.
double quantile_of(std::vector<double>& values, double share) {
  std::sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

CorrelationInterval interval_of(std::vector<double>& values) {
  // Draws without a coefficient (all models alike in one of the numbers) say nothing.
  if (values.size() < kDraws / 2) return {};
  return {quantile_of(values, kTail), quantile_of(values, 1.0 - kTail)};
}

struct Columns {
  std::vector<double> a, b;
};

Columns columns_of(const std::vector<std::size_t>& models, const std::vector<Index>& tasks,
                   const ModelNumbers& a, const ModelNumbers& b) {
  Columns out;
  for (const std::size_t model : models) {
    out.a.push_back(a(model, tasks));
    out.b.push_back(b(model, tasks));
  }
  return out;
}

}  // namespace

ModelCorrelation correlate_models(std::size_t models, Index tasks, const ModelNumbers& a,
                                  const ModelNumbers& b, std::uint64_t seed) {
  const Columns all = columns_of(first_numbers(models), first_numbers(tasks), a, b);
  ModelCorrelation out;
  out.models = models;
  if (models < 3) return out;  // two models always lie on a line
  out.pearson = pearson(all.a, all.b);
  out.spearman = spearman(all.a, all.b);
  if (models < 4 || !out.pearson) return out;
  Random random(seed);
  std::vector<double> linear, ranks;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<std::size_t> drawn(models);
    for (std::size_t& model : drawn)
      model = static_cast<std::size_t>(random.below(static_cast<Index>(models)));
    std::vector<Index> drawn_tasks(static_cast<std::size_t>(tasks));
    for (Index& task : drawn_tasks) task = random.below(tasks);
    if (std::set(drawn.begin(), drawn.end()).size() < 3) continue;
    const Columns columns = columns_of(drawn, drawn_tasks, a, b);
    if (const auto r = pearson(columns.a, columns.b)) linear.push_back(*r);
    if (const auto r = spearman(columns.a, columns.b)) ranks.push_back(*r);
  }
  out.pearson_interval = interval_of(linear);
  out.spearman_interval = interval_of(ranks);
  return out;
}

}  // namespace assay
