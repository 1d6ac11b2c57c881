#include "rank/fitted_here.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>
#include <vector>

#include "linalg/gram.h"

namespace assay {
namespace {

constexpr std::string_view kFlag = "fitted_here";
constexpr std::array<std::string_view, 3> kLeavingOut = {"ridge_loo", "ncc_loo", "knn"};
constexpr Index kMostValues = Index{1} << 28;

constexpr Index kColumns = 64;

// Up to 64 columns, about evenly spaced, as k x rows: block after block.
template <class Use>
void for_blocks(const RowSource& rows, const Use& use) {
  constexpr Index together = 1024;
  const Index kept = std::min(kColumns, rows.cols());
  Matrix block;
  for (Index first = 0; first < rows.rows(); first += together) {
    std::vector<Index> part(static_cast<std::size_t>(std::min(together, rows.rows() - first)));
    std::iota(part.begin(), part.end(), first);
    block.resize(rows.cols(), std::ssize(part));
    rows.read(part, block.data());
    Matrix chosen(kept, block.cols());
    for (Index k = 0; k < kept; ++k) chosen.row(k) = block.row(k * rows.cols() / kept);
    use(chosen);
  }
}

// Of every pair of columns x, z about one origin: x'z, and the sum of (x_i z_i)^2.
struct PairSums {
  Matrix products;
  Matrix squares;
  Vector largest;  // of each column

  explicit PairSums(Index columns)
      : products(Matrix::Zero(columns, columns)),
        squares(Matrix::Zero(columns, columns)),
        largest(Vector::Zero(columns)) {}

  void add(const Matrix& x) {
    products += product(x, false, x, true);
    const Matrix square = x.cwiseAbs2();
    squares += product(square, false, square, true);
    largest = largest.cwiseMax(x.cwiseAbs().rowwise().maxCoeff());
  }
};

// log of the bound on the chance that independent columns are as orthogonal as these.
double log_chance(const PairSums& sums) {
  constexpr double rounding = 1e-12;  // what a mean leaves of a constant
  double sum = 0.0;
  double pairs = 0.0;
  for (Index a = 0; a < sums.products.cols(); ++a) {
    for (Index b = 0; b < a; ++b) {
      const double squares = sums.squares(a, b);
      if (!(squares > 0.0) || std::min(sums.largest[a], sums.largest[b]) < rounding) continue;
      sum += std::pow(sums.products(a, b), 2) / squares;
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
  for (const std::string_view name : kLeavingOut) {
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
  const Index columns = std::min(kColumns, rows.cols());
  Vector mean = Vector::Zero(columns);
  double largest = 0.0;
  for_blocks(rows, [&](const Matrix& x) {
    mean += x.rowwise().sum() / static_cast<double>(rows.rows());
    largest = std::max(largest, x.cwiseAbs().maxCoeff());
  });
  if (!(largest > 0.0) || !std::isfinite(largest) || !mean.allFinite()) return false;
  PairSums about_origin(columns);
  PairSums about_means(columns);
  for_blocks(rows, [&](const Matrix& x) {
    about_origin.add(x / largest);
    about_means.add((x.colwise() - mean) / largest);
  });
  return std::min(log_chance(about_origin), log_chance(about_means)) < std::log(rare);
}

void mark_fitted_here(const RowSource& rows, std::vector<MetricScore>& scores) {
  const auto evidence = std::ranges::find(scores, &find_metric("logme"), &MetricScore::metric);
  const bool compared = std::ranges::any_of(scores, [](const MetricScore& score) {
    return std::ranges::find(kLeavingOut, score.metric->name) != kLeavingOut.end();
  });
  if (evidence == scores.end() || !compared || !fitted_here(rows)) return;
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
