#include "track/checkpoint_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "assay/error.h"
#include "io/csv.h"

namespace assay {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

double step_in(const std::string& name) {
  std::size_t end = name.size();
  while (end > 0 && !is_digit(name[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  if (begin == end)
    fail_input(
        fmt::format("{}: no number in this name says at which step it was saved; name the "
                    "steps of all checkpoints with `steps`",
                    name));
  return number_in(std::string_view(name).substr(begin, end - begin)).value_or(0.0);
}

std::vector<SteppedModel> models_by_step(const std::vector<Model>& models,
                                         const std::vector<double>& steps) {
  if (!steps.empty() && steps.size() != models.size())
    fail_input(fmt::format("`steps`: {} for {} checkpoints", steps.size(), models.size()));
  std::vector<SteppedModel> out;
  for (std::size_t k = 0; k < models.size(); ++k)
    out.push_back({k, steps.empty() ? step_in(models[k].name) : steps[k]});
  std::ranges::stable_sort(out, {}, &SteppedModel::step);
  for (std::size_t k = 1; k < out.size(); ++k) {
    if (out[k].step > out[k - 1].step) continue;
    fail_input(fmt::format("{} and {} are both at step {:g}; name the steps with `steps`",
                           models[out[k - 1].model].name, models[out[k].model].name, out[k].step));
  }
  return out;
}

}  // namespace assay
