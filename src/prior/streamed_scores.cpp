#include "prior/streamed_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "assay/error.h"
#include "linalg/eigen.h"
#include "linalg/gram.h"
#include "prior/kernel_vectors.h"
#include "prior/pair_estimates.h"

namespace assay {
namespace {

constexpr Index kTogether = 4096;  // rows of a block
constexpr Index kRows = 256;       // that one task reads, or multiplies
constexpr Index kPairs = 512;      // of one task

Index parts(Index count, Index size) { return (count + size - 1) / size; }

// The unit vectors of neighbouring rows less `centre`.
template <typename T>
Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> read_block(ThreadPool& pool, const RowSource& rows,
                                                            Index first, Index count,
                                                            const Vector& centre) {
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> out(rows.cols(), count);
  pool.run(parts(count, kRows), [&](Index task) {
    const Index begin = task * kRows;
    std::vector<Index> which(static_cast<std::size_t>(std::min(kRows, count - begin)));
    std::iota(which.begin(), which.end(), first + begin);
    const Matrix vectors = unit_vectors(rows, which);
    out.middleCols(begin, vectors.cols()) = (vectors.colwise() - centre).template cast<T>();
  });
  return out;
}

// Sums of columns, stretch by stretch, so that they do not hang on threads.
Vector sum_of(const Matrix& block) { return block.rowwise().sum(); }

// cross += x p', in tiles of columns of p'.
void add_cross(ThreadPool& pool, const Matrix& x, const FloatMatrix& p, Matrix& cross) {
  const FloatMatrix left = x.cast<float>();
  pool.run(parts(p.rows(), kRows), [&](Index task) {
    const Index first = task * kRows;
    const Index rows = std::min(kRows, p.rows() - first);
    for (Index begin = 0; begin < x.cols(); begin += kPairs) {  // few terms are summed in float
      const Index count = std::min(kPairs, x.cols() - begin);
      const FloatMatrix tile = p.block(first, begin, rows, count);
      cross.middleCols(first, rows) +=
          product(left.middleCols(begin, count), false, tile, true).cast<double>();
    }
  });
}

// A model beside a prior, after the first pass.
struct Passed {
  Vector model_mean, prior_mean;
  Vector spectrum;  // of S, without what is rounding
  Matrix basis;     // its eigenvectors
  Matrix cross;     // basis' C
};

class Streamer {
 public:
  Streamer(ThreadPool& pool, const StreamRequest& request, const ProgressCallback& progress)
      : pool_(pool), request_(request), progress_(progress), n_(request.model->rows()) {}

  StreamedScores run() {
    first_pass();
    penalty_ = request_.penalty.known(passed_.spectrum.mean());
    Vector scale = (passed_.spectrum.array() + penalty_).rsqrt();
    whiten_ = (passed_.basis * scale.asDiagonal()).transpose().cast<float>();
    weights_ = (scale.asDiagonal() * passed_.cross).transpose().cast<float>();
    read_pairs();
    StreamedScores out;
    out.temperatures = request_.temperatures;
    if (out.temperatures.empty()) out.temperatures = {median_entry()};
    pairs_.diagonal.assign(out.temperatures.size(), {});
    out.probe_r2 = second_pass(out.temperatures);
    out.moments = moments_of_pairs(pairs_, n_, out.temperatures, request_.graph);
    return out;
  }

 private:
  void report(double done, const std::string& what) const {
    if (progress_) progress_(done, what);
  }

  // About the mean of the first block: what is left of a mean common to all rows is small, and its
  // outer product takes few digits when it is subtracted at last.
  void first_pass() {
    const RowSource& model = *request_.model;
    const RowSource& prior = *request_.prior;
    const auto origin_of = [&](const RowSource& rows) {
      const Index count = std::min(kTogether, n_);
      const Matrix block = read_block<double>(pool_, rows, 0, count, Vector::Zero(rows.cols()));
      return Vector(sum_of(block) / static_cast<double>(count));
    };
    const Vector model_origin = origin_of(model);
    const Vector prior_origin = origin_of(prior);
    Matrix gram = Matrix::Zero(model.cols(), model.cols());
    Matrix cross = Matrix::Zero(model.cols(), prior.cols());
    Vector model_sum = Vector::Zero(model.cols());
    Vector prior_sum = Vector::Zero(prior.cols());
    for (Index first = 0; first < n_; first += kTogether) {
      const Index count = std::min(kTogether, n_ - first);
      const Matrix x = read_block<double>(pool_, model, first, count, model_origin);
      const FloatMatrix p = read_block<float>(pool_, prior, first, count, prior_origin);
      const GramUpdate<double> update{x.data(), count, &gram};
      add_to_grams(pool_, std::span(&update, 1));
      add_cross(pool_, x, p, cross);
      model_sum += sum_of(x);
      prior_sum += sum_of(p.cast<double>());
      model.release(first, first + count);
      prior.release(first, first + count);
      report(0.45 * static_cast<double>(first + count) / static_cast<double>(n_), "first pass");
    }
    const auto n = static_cast<double>(n_);
    gram.selfadjointView<Eigen::Lower>().rankUpdate(model_sum, -1.0 / n);
    cross -= model_sum * prior_sum.transpose() / n;
    set_axes(symmetric_eigen(std::move(gram)));
    passed_.cross = product(passed_.basis, true, cross, false);
    passed_.model_mean = model_origin + model_sum / n;
    passed_.prior_mean = prior_origin + prior_sum / n;
  }

  // Without directions that are rounding beside the first, as fit_pca() leaves them out.
  void set_axes(const SymmetricEigen& eigen) {
    const double cut = eigen.values.tail(1)[0] *
                       static_cast<double>(std::max(n_, request_.model->cols())) *
                       std::numeric_limits<double>::epsilon();
    const Index r = std::ranges::count_if(eigen.values,
                                          [&](double value) { return value > cut && value > 0.0; });
    if (r == 0) fail_input(request_.model->where() + ": all rows are the same; they span nothing");
    passed_.spectrum = eigen.values.tail(r).reverse();
    passed_.basis = eigen.vectors.rightCols(r).rowwise().reverse();
  }

  // Entries at the sampled pairs, and the sums over all.
  void read_pairs() {
    const auto drawn = draw_pairs(n_, request_.pairs, request_.seed);
    const auto entries = [&](const RowSource& rows, const Vector& mean, bool whiten) {
      Vector out(request_.pairs);
      pool_.run(parts(request_.pairs, kPairs), [&](Index task) {
        const auto some = std::span(drawn).subspan(
            static_cast<std::size_t>(task * kPairs),
            static_cast<std::size_t>(std::min(kPairs, request_.pairs - task * kPairs)));
        std::vector<Index> which;
        for (const auto& [i, j] : some) which.insert(which.end(), {i, j});
        std::ranges::sort(which);
        which.erase(std::ranges::unique(which).begin(), which.end());
        FloatMatrix z = (unit_vectors(rows, which).colwise() - mean).cast<float>();
        if (whiten) z = product(whiten_, false, z, false);
        const auto place = [&](Index row) {
          return std::ranges::lower_bound(which, row) - which.begin();
        };
        for (std::size_t p = 0; p < some.size(); ++p)
          out[task * kPairs + static_cast<Index>(p)] =
              z.col(place(some[p].first))
                  .cast<double>()
                  .dot(z.col(place(some[p].second)).cast<double>());
      });
      return out;
    };
    pairs_.prior = entries(*request_.prior, passed_.prior_mean, false);
    pairs_.model = entries(*request_.model, passed_.model_mean, request_.ridge);
    report(0.55, "pairs");
    const Vector& s = passed_.spectrum;
    const Vector kept = request_.ridge ? Vector(s.array() / (s.array() + penalty_)) : s;
    // <M, K> = |C|^2 or, with the ridge, |(S + l)^-1/2 C|^2.
    const Vector scale =
        request_.ridge ? Vector((s.array() + penalty_).inverse()) : Vector::Ones(s.size());
    pairs_.off_diagonal =
        Controls(0.0, scale.dot(passed_.cross.rowwise().squaredNorm()), kept.squaredNorm());
  }

  double median_entry() const {
    std::vector<double> sizes;
    for (const double entry : pairs_.prior)
      if (entry != 0.0) sizes.push_back(std::abs(entry));
    if (sizes.empty())
      fail_input("`temperature` auto: every sampled entry of the prior is zero; give a number");
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::ranges::nth_element(sizes, middle);
    return *middle;
  }

  // What each row of a block comes to.
  struct Row {
    double prior = 0.0, model = 0.0;  // K_ii and M_ii
    double residual = 0.0;            // squared, without the row
  };

  std::vector<Row> rows_of(const FloatMatrix& x, const FloatMatrix& p) const {
    std::vector<Row> out(static_cast<std::size_t>(x.cols()));
    const double all = 1.0 - 1.0 / static_cast<double>(n_);
    pool_.run(parts(x.cols(), kRows), [&](Index task) {
      const Index first = task * kRows;
      const Index count = std::min(kRows, x.cols() - first);
      const FloatMatrix w = product(whiten_, false, x.middleCols(first, count), false);
      FloatMatrix rest = p.middleCols(first, count);
      rest -= product(weights_, false, w, false);
      for (Index k = 0; k < count; ++k) {
        const double leverage = w.col(k).cast<double>().squaredNorm();
        const double kept = std::max(all - leverage, 1e-10);  // as LeaveOneOut
        out[static_cast<std::size_t>(first + k)] = {
            p.col(first + k).cast<double>().squaredNorm(),
            request_.ridge ? leverage : x.col(first + k).cast<double>().squaredNorm(),
            rest.col(k).cast<double>().squaredNorm() / (kept * kept)};
      }
    });
    return out;
  }

  ProbeR2 second_pass(std::span<const double> temperatures) {
    Controls diagonal = Controls::Zero();
    double errors = 0.0;
    double total = 0.0;
    for (Index first = 0; first < n_; first += kTogether) {
      const Index count = std::min(kTogether, n_ - first);
      const auto x = read_block<float>(pool_, *request_.model, first, count, passed_.model_mean);
      const auto p = read_block<float>(pool_, *request_.prior, first, count, passed_.prior_mean);
      for (const Row& row : rows_of(x, p)) {
        add_diagonal(row.model, row.prior, temperatures, pairs_.diagonal, diagonal);
        errors += row.residual;
        total += row.prior;
      }
      request_.model->release(first, first + count);
      request_.prior->release(first, first + count);
      report(0.55 + 0.45 * static_cast<double>(first + count) / static_cast<double>(n_),
             "second pass");
    }
    pairs_.off_diagonal -= diagonal;
    const auto n = static_cast<double>(n_);
    ProbeR2 out;
    out.penalty = penalty_;
    const double share =
        total > 0.0 ? 1.0 - errors / (total * (n / (n - 1.0)) * (n / (n - 1.0))) : -1.0;
    out.clipped = share < 0.0;
    out.value = std::max(share, 0.0);
    return out;
  }

  ThreadPool& pool_;
  const StreamRequest& request_;
  const ProgressCallback& progress_;
  Index n_;
  Passed passed_;
  double penalty_ = 0.0;
  FloatMatrix whiten_;   // (S + l)^-1/2 in the axes, r x D
  FloatMatrix weights_;  // C'(S + l)^-1/2, D_p x r
  SampledPairs pairs_;
};

}  // namespace

StreamedScores streamed_scores(ThreadPool& pool, const StreamRequest& request,
                               const ProgressCallback& progress) {
  return Streamer(pool, request, progress).run();
}

Index streamed_bytes(const RowSource& model, const RowSource& prior, Index pairs) {
  const Index d = model.cols();
  const Index width = d + prior.cols();
  constexpr Index squares = 5;  // the Gram matrix, its eigenvectors, their scratch, two in float
  constexpr Index per_pair = 10 * Index{sizeof(double)};  // pairs, entries, controls
  return Index{sizeof(double)} * (squares * d * d + 3 * d * prior.cols() + 2 * kTogether * width) +
         per_pair * pairs;
}

}  // namespace assay
