#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "assay/error.h"
#include "assay/similar.h"
#include "core/memory.h"
#include "core/random.h"
#include "data/check_finite.h"
#include "hub/hub_or_files.h"
#include "hub/open_rows.h"
#include "linalg/gram.h"
#include "similar/arrange_models.h"
#include "similar/centred_kernel.h"

namespace assay {
namespace {

// One model's kernel and neighbours.
struct View {
  Eigen::VectorXf kernel;
  std::vector<Index> neighbours;
};

std::vector<Index> drawn_rows(Index all, Index wanted, std::uint64_t seed) {
  std::vector<Index> rows = Random(mixed_seed(seed, 0x73696dULL)).permutation(all);
  rows.resize(static_cast<std::size_t>(std::min(all, wanted)));
  std::ranges::sort(rows);
  return rows;
}

// Scaled so that squares of products stay within double.
Matrix read_rows(const RowSource& source, const std::vector<Index>& rows) {
  Matrix out(source.cols(), static_cast<Index>(rows.size()));
  source.read(rows, out.data());
  double largest = 0.0;
  for (std::size_t k = 0; k < rows.size(); ++k)
    largest = std::max(largest,
                       checked_magnitude(source, rows[k], out.col(static_cast<Index>(k)).data()));
  if (largest > 0.0) out /= largest;
  return out;
}

class Comparison {
 public:
  Comparison(ThreadPool& pool, const SimilarRequest& request) : pool_(pool), request_(request) {
    models_ = models_from(request.hub, request.inputs, request.labels).models;
  }

  SimilarResult run(const ProgressCallback& progress) {
    result_.failed = request_.hub.failed;
    result_.notes = request_.hub.notes;
    result_.inputs = request_.hub.inputs;
    result_.duplicate = request_.duplicate;
    for (const Model& model : models_) {
      if (progress)
        progress(static_cast<double>(result_.models.size()) / static_cast<double>(models_.size()),
                 model.name);
      try {
        add(model);
      } catch (const Error& error) {
        result_.failed.push_back({model.name, error.what()});
      }
    }
    if (result_.models.size() < 2)
      fail_input(fmt::format("two models or more can be alike; {} left{}", result_.models.size(),
                             result_.failed.empty() ? "" : ": " + result_.failed.front().error));
    compare();
    return std::move(result_);
  }

 private:
  void add(const Model& model) {
    const Rows rows = open_rows(model);
    if (rows_.empty()) begin(*rows);
    if (rows->rows() != result_.samples)
      fail_input(fmt::format("{}: {} rows, but {} has {}; models are compared on the same samples",
                             rows->where(), rows->rows(), first_, result_.samples));
    const Matrix features = read_rows(*rows, rows_);
    View view{centred_kernel(features), nearest_neighbours(features, result_.neighbours)};
    if (view.kernel.squaredNorm() == 0.0F)
      fail_input(fmt::format("{}: all rows are the same; nothing is more alike", rows->where()));
    views_.push_back(std::move(view));
    result_.models.push_back({model.name, rows->cols()});
    if (!model.rows && request_.hub.costs.empty())
      for (FileDigest& digest : rows->digests()) result_.inputs.push_back(std::move(digest));
  }

  void begin(const RowSource& rows) {
    constexpr Index fewest = 4;
    if (rows.rows() < fewest)
      fail_input(
          fmt::format("{}: {} rows; at least {} are needed", rows.where(), rows.rows(), fewest));
    first_ = rows.where();
    result_.samples = rows.rows();
    rows_ = drawn_rows(rows.rows(), request_.rows, request_.seed);
    result_.compared = static_cast<Index>(rows_.size());
    result_.neighbours = std::min(request_.neighbours, result_.compared - 1);
    const Index pairs = result_.compared * (result_.compared - 1) / 2;
    require_memory(first_, "comparing all models at once",
                   static_cast<Index>(models_.size()) *
                       (4 * pairs + 8 * result_.compared * result_.neighbours),
                   request_.memory_limit, "compare fewer samples with `rows`");
  }

  void compare() {
    const auto count = static_cast<Index>(views_.size());
    result_.cka = Matrix::Identity(count, count);
    result_.shared_neighbours = Matrix::Identity(count, count);
    pool_.run(count, [&](Index j) {
      for (Index i = 0; i < j; ++i) {
        const View& a = views_[static_cast<std::size_t>(i)];
        const View& b = views_[static_cast<std::size_t>(j)];
        result_.cka(i, j) = static_cast<double>(a.kernel.dot(b.kernel));
        result_.shared_neighbours(i, j) =
            shared_neighbours(a.neighbours, b.neighbours, result_.neighbours);
      }
    });
    for (Matrix* matrix : {&result_.cka, &result_.shared_neighbours})
      *matrix = Matrix(matrix->selfadjointView<Eigen::Upper>());
    result_.duplicates =
        near_duplicates(result_.cka, result_.shared_neighbours, request_.duplicate);
    const std::vector<Index> groups = groups_of(result_.duplicates, result_.models.size());
    const Matrix map = map_of(result_.cka);
    for (std::size_t k = 0; k < result_.models.size(); ++k) {
      result_.models[k].group = groups[k];
      result_.models[k].x = map(static_cast<Index>(k), 0);
      result_.models[k].y = map(static_cast<Index>(k), 1);
    }
    result_.diverse = diverse_order(result_.cka);
  }

  ThreadPool& pool_;
  const SimilarRequest& request_;
  std::vector<Model> models_;
  std::vector<Index> rows_;
  std::string first_;
  std::vector<View> views_;
  SimilarResult result_;
};

}  // namespace

SimilarResult similar_models(ThreadPool& pool, const SimilarRequest& request,
                             const ProgressCallback& progress) {
  return Comparison(pool, request).run(progress);
}

}  // namespace assay
