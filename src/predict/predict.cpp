#include "assay/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <numeric>

#include "assay/error.h"
#include "assay/features.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/check_finite.h"
#include "data/check_targets.h"
#include "data/row_blocks.h"
#include "linalg/gram.h"
#include "metrics/logme_regression.h"
#include "predict/prediction_quality.h"

namespace assay {
namespace {

// What stays in memory: the results, the fit, and one task's rows on every thread.
void require_prediction_memory(const RowSource& rows, const RowSource& fit_rows, Index columns,
                               Index threads, Index limit) {
  const Index smaller = std::min(fit_rows.rows(), fit_rows.cols());
  const Index basis = fit_rows.rows() > fit_rows.cols() ? 0 : fit_rows.rows() * fit_rows.cols();
  const Index doubles = 2 * rows.rows() * columns + 3 * smaller * smaller + basis +
                        rows.cols() * columns +
                        threads * kRowsPerTask * (3 * rows.cols() + columns);
  const Index needed = doubles * Index{sizeof(double)};
  require_memory(rows.where(),
                 fmt::format("predicting {} columns of {} rows", columns, rows.rows()), needed,
                 limit, "split the file");
}

Rows open_anchors(const PredictRequest& request, const RowSource& fit_rows) {
  if (request.anchors.empty()) return nullptr;
  Rows vocabulary = open_features(request.anchors);
  if (vocabulary->cols() != fit_rows.cols()) {
    fail_input(fmt::format(
        "{}: {} columns, but {} has {}; anchors are embeddings in the space of the features",
        vocabulary->where(), vocabulary->cols(), fit_rows.where(), fit_rows.cols()));
  }
  return vocabulary;
}

// The `wanted` rows whose cosine with m is largest, for every column; vectors of length 0 have
// none.
std::vector<std::vector<Anchor>> nearest_anchors(const Matrix& m, const RowSource& vocabulary,
                                                 Index wanted) {
  std::vector<std::vector<Anchor>> out(static_cast<std::size_t>(m.cols()));
  const Vector lengths = m.colwise().norm().transpose();
  const auto nearer = [](const Anchor& a, const Anchor& b) { return a.cosine > b.cosine; };
  for (Index first = 0; first < vocabulary.rows(); first += kRowsPerTask) {
    std::vector<Index> part(
        static_cast<std::size_t>(std::min(kRowsPerTask, vocabulary.rows() - first)));
    std::iota(part.begin(), part.end(), first);
    Matrix words(vocabulary.cols(), static_cast<Index>(part.size()));
    vocabulary.read(part, words.data());
    for (Index k = 0; k < words.cols(); ++k)
      checked_magnitude(vocabulary, first + k, words.col(k).data());
    const Matrix products = product(m, true, words, false);
    for (Index c = 0; c < m.cols(); ++c) {
      std::vector<Anchor>& best = out[static_cast<std::size_t>(c)];
      for (Index k = 0; k < words.cols(); ++k) {
        const double length = lengths(c) * words.col(k).norm();
        if (length > 0.0) best.push_back({first + k, products(c, k) / length});
      }
      std::stable_sort(best.begin(), best.end(), nearer);
      best.resize(std::min(best.size(), static_cast<std::size_t>(wanted)));
    }
  }
  return out;
}

std::vector<std::string> flags_of(const LogmeFit& fit) {
  std::vector<std::string> out;
  for (const EvidenceColumn& column : fit.columns) {
    switch (column.kind) {
      case EvidenceCase::uninformative:
        out.emplace_back("uninformative");
        break;
      case EvidenceCase::interpolates:
        out.emplace_back("interpolates");
        break;
      case EvidenceCase::exact_fit:
        out.emplace_back("exact_fit");
        break;
      case EvidenceCase::skipped:
        out.emplace_back("constant");
        break;
      case EvidenceCase::interior:
        out.emplace_back();
        break;
    }
  }
  return out;
}

std::vector<std::string> read_words(const std::filesystem::path& file, Index wanted) {
  std::ifstream stream(file);
  if (!stream) fail_input(fmt::format("{}: cannot be read", file.string()));
  std::vector<std::string> out;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    out.push_back(line);
  }
  if (std::ssize(out) != wanted) {
    fail_input(fmt::format("{}: {} words, but `anchors` has {} rows; one word a line is expected",
                           file.string(), out.size(), wanted));
  }
  return out;
}

}  // namespace

PredictResult predict_rows(ThreadPool& pool, const FittedFeatures& fitted, const RowSource& rows) {
  require_same_dim(fitted, rows);
  const Index columns = fitted.fit->weights.cols();
  PredictResult result{fitted.kind,
                       fitted.columns,
                       {Matrix(rows.rows(), columns), Matrix(rows.rows(), columns)},
                       {},
                       {},
                       {},
                       flags_of(*fitted.fit),
                       fitted.fit->share > 0.0,
                       {}};
  for_row_blocks(pool, rows, [&](Index first, const Matrix& samples) {
    const Prediction block = predict(*fitted.fit, samples);
    result.prediction.mean.middleRows(first, samples.cols()) = block.mean;
    result.prediction.variance.middleRows(first, samples.cols()) = block.variance;
  });
  if (fitted.kind != TargetKind::classes) return result;
  for (Index row = 0; row < result.prediction.mean.rows(); ++row) {
    Index best = 0;
    result.prediction.mean.row(row).maxCoeff(&best);
    result.best.push_back(best);
  }
  return result;
}

PredictResult predict_features(ThreadPool& pool, const PredictRequest& request) {
  const Targets targets = load_targets(request.labels);
  const Rows fit_rows = open_features(request.fit_features);
  const Rows rows = open_features(request.features);
  if (rows->cols() != fit_rows->cols()) {
    fail_input(fmt::format("{}: {} columns, but {} has {}; both must come from the same model",
                           rows->where(), rows->cols(), fit_rows->where(), fit_rows->cols()));
  }
  const Rows vocabulary = open_anchors(request, *fit_rows);
  require_prediction_memory(*rows, *fit_rows, targets.columns(), pool.threads(),
                            request.memory_limit);
  if (!request.words.empty() && !vocabulary)
    fail_input("`words` are the names of `anchors`; name both");
  const std::vector<std::string> words = request.words.empty()
                                             ? std::vector<std::string>{}
                                             : read_words(request.words, vocabulary->rows());
  std::optional<Targets> truth;
  if (!request.test_labels.empty()) {
    truth = load_targets(request.test_labels);
    require_matching(*rows, *truth);
    truth = recoded(std::move(*truth), targets);
  }
  const FittedFeatures fitted =
      fit_features(pool, *fit_rows, targets, request.memory_limit,
                   request.center.value_or(centered_by_default(targets.kind)));
  PredictResult result = predict_rows(pool, fitted, *rows);
  result.words = words;
  if (truth) result.quality = prediction_quality(result, *truth);
  if (vocabulary)
    result.anchors = nearest_anchors(fitted.fit->weights, *vocabulary, request.nearest);
  return result;
}

}  // namespace assay
