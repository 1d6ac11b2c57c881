#include "rank/fitted_here.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

namespace assay {
namespace {

constexpr std::string_view kFlag = "fitted_here";
constexpr Index kMostValues = Index{1} << 28;

// n x k of columns that vary, about evenly spaced.
Matrix some_columns(const RowSource& rows) {
  constexpr Index most = 64;
  constexpr Index together = 1024;
  const Index kept = std::min(most, rows.cols());
  Matrix out(rows.rows(), kept);
  Matrix block;
  for (Index first = 0; first < rows.rows(); first += together) {
    std::vector<Index> part(static_cast<std::size_t>(std::min(together, rows.rows() - first)));
    std::iota(part.begin(), part.end(), first);
    block.resize(rows.cols(), std::ssize(part));
    rows.read(part, block.data());
    for (Index k = 0; k < kept; ++k)
      out.col(k).segment(first, block.cols()) = block.row(k * rows.cols() / kept).transpose();
  }
  return out;
}

// log of the bound on the chance that independent columns are as orthogonal as these.
double log_chance(const Matrix& columns) {
  double sum = 0.0;
  double pairs = 0.0;
  for (Index a = 0; a < columns.cols(); ++a) {
    for (Index b = 0; b < a; ++b) {
      const auto products = columns.col(a).cwiseProduct(columns.col(b));
      const double squares = products.squaredNorm();
      if (!(squares > 0.0)) continue;
      sum += std::pow(products.sum(), 2) / squares;
      pairs += 1.0;
    }
  }
  const double x = sum / std::max(pairs, 1.0);
  if (pairs == 0.0 || x >= 1.0) return 0.0;
  return 0.5 * pairs * (std::log(std::max(x, 1e-300)) + 1.0 - x);
}

// 1 = best by the metric; 0 where it was not asked for.
Index rank_by(const RankResult& result, std::string_view name, std::size_t model) {
  for (std::size_t m = 0; m < result.metrics.size(); ++m) {
    if (result.metrics[m]->name != name) continue;
    const double own = result.models[model].scores[m].score.value;
    return 1 + std::ranges::count_if(result.models, [&](const ScoredModel& other) {
             return other.scores[m].score.value > own;
           });
  }
  return 0;
}

struct OtherPlaces {
  Index best = 0;  // 0: none was asked for
  std::string text;
};

OtherPlaces places_by_leave_one_out(const RankResult& result, std::size_t model) {
  OtherPlaces out;
  for (const std::string_view name : {"ridge_loo", "ncc_loo", "knn"}) {
    const Index rank = rank_by(result, name, model);
    if (rank == 0) continue;
    out.best = out.best == 0 ? rank : std::min(out.best, rank);
    out.text += fmt::format("{}{} {}", out.text.empty() ? "" : ", ", name, rank);
  }
  return out;
}

}  // namespace

bool fitted_here(const RowSource& rows) {
  constexpr double rare = 1e-6;
  if (rows.rows() < 3 || rows.cols() < 2 || rows.rows() > kMostValues / rows.cols()) return false;
  Matrix columns = some_columns(rows);
  if (!columns.allFinite()) return false;
  const double largest = columns.cwiseAbs().maxCoeff();
  if (largest > 0.0) columns /= largest;
  if (log_chance(columns) < std::log(rare)) return true;
  columns.rowwise() -= columns.colwise().mean().eval();
  for (Index k = 0; k < columns.cols(); ++k) {  // what a mean leaves of a constant is rounding
    if (columns.col(k).cwiseAbs().maxCoeff() < 1e-12) columns.col(k).setZero();
  }
  return log_chance(columns) < std::log(rare);
}

void mark_fitted_here(const RowSource& rows, std::vector<MetricScore>& scores) {
  const auto evidence = std::ranges::find(scores, &find_metric("logme"), &MetricScore::metric);
  if (evidence == scores.end() || !fitted_here(rows)) return;
  evidence->score.flags.emplace_back(kFlag);
}

void judge_fitted_here(RankResult& result) {
  for (std::size_t i = 0; i < result.models.size(); ++i) {
    for (MetricScore& score : result.models[i].scores) {
      if (std::ranges::find(score.score.flags, kFlag) == score.score.flags.end()) continue;
      const Index evidence = rank_by(result, "logme", i);
      const OtherPlaces others = places_by_leave_one_out(result, i);
      if (others.best <= evidence) {
        std::erase(score.score.flags, kFlag);
        continue;
      }
      result.notes.push_back(fmt::format(
          "{}: its features are uncorrelated on these rows, as those of an SVD or PCA that was "
          "fitted to them are, and new rows will not be; logme puts it at place {}, what leaves "
          "rows out at {}. Trust the latter, or features fitted on other rows",
          result.models[i].name, evidence, others.text));
    }
  }
}

}  // namespace assay
