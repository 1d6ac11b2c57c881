#include "tune/teacher_predictions.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "data/subset.h"
#include "io/half.h"

namespace assay {
namespace {

constexpr Index kBlock = 64;            // images that one task predicts
constexpr Index kStripe = 32 * kBlock;  // images after which pages may go back

std::vector<Index> views_of(std::span<const Index> rows, Index views) {
  std::vector<Index> out;
  for (const Index row : rows)
    for (Index view = 0; view < views; ++view) out.push_back(row * views + view);
  return out;
}

Matrix read_batch(const RowSource& features, std::span<const BatchRow> batch, Index views) {
  std::vector<Index> order(batch.size());
  std::iota(order.begin(), order.end(), 0);
  const auto row_of = [&](Index i) {
    const BatchRow& one = batch[static_cast<std::size_t>(i)];
    return one.row * views + one.view;
  };
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return row_of(a) < row_of(b); });
  std::vector<Index> ascending;
  for (const Index i : order) ascending.push_back(row_of(i));
  Matrix sorted(features.cols(), std::ssize(ascending));
  features.read(ascending, sorted.data());
  Matrix out(sorted.rows(), sorted.cols());
  for (Index i = 0; i < sorted.cols(); ++i)
    out.col(order[static_cast<std::size_t>(i)]) = sorted.col(i);
  return out;
}

}  // namespace

void TeacherPredictions::add_to(Matrix& sum, double weight, std::span<const BatchRow> batch) const {
  std::vector<float> values(static_cast<std::size_t>(outputs));
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Index place = (*places)[static_cast<std::size_t>(batch[i].row)];
    const Index first = (place * views + batch[i].view) * outputs;
    half_to_float({halves.data() + first, values.size()}, values.data());
    sum.col(static_cast<Index>(i)) +=
        weight * Eigen::Map<const Eigen::VectorXf>(values.data(), outputs).cast<double>();
  }
}

Index prediction_bytes(Index rows, Index views, Index outputs) {
  return rows * views * outputs * Index{sizeof(std::uint16_t)};
}

std::shared_ptr<const std::vector<Index>> places_of(const std::vector<Index>& rows, Index images) {
  auto out = std::make_shared<std::vector<Index>>(static_cast<std::size_t>(images), -1);
  for (std::size_t i = 0; i < rows.size(); ++i)
    (*out)[static_cast<std::size_t>(rows[i])] = static_cast<Index>(i);
  return out;
}

TeacherPredictions predict_views(ThreadPool& pool, const RowSource& features,
                                 const std::vector<Index>& rows, Index views, Index outputs,
                                 const PredictViews& predict) {
  const Index count = std::ssize(rows);
  TeacherPredictions out{outputs, views, places_of(rows, features.rows() / views), {}};
  out.halves.resize(static_cast<std::size_t>(count * views * outputs));
  for (Index begin = 0; begin < count; begin += kStripe) {
    const Index end = std::min(begin + kStripe, count);
    pool.run((end - begin + kBlock - 1) / kBlock, [&](Index task) {
      const Index first = begin + task * kBlock;
      const auto size = static_cast<std::size_t>(std::min(kBlock, end - first));
      const std::vector<Index> part = views_of({rows.data() + first, size}, views);
      Matrix samples(features.cols(), std::ssize(part));
      features.read(part, samples.data());
      const Matrix found = predict(samples, first);
      std::transform(found.data(), found.data() + found.size(),
                     out.halves.begin() + first * views * outputs,
                     [](double value) { return float_to_half(static_cast<float>(value)); });
    });
    features.release(rows[static_cast<std::size_t>(begin)] * views,
                     (rows[static_cast<std::size_t>(end - 1)] + 1) * views);
  }
  return out;
}

TeacherTable mixed_table(std::vector<WeightedPredictions> teachers) {
  const Index outputs = teachers.front().predictions->outputs;
  return {outputs, 0.0, [teachers = std::move(teachers), outputs](std::span<const BatchRow> batch) {
            Matrix sum = Matrix::Zero(outputs, static_cast<Index>(batch.size()));
            for (const WeightedPredictions& one : teachers)
              one.predictions->add_to(sum, one.weight, batch);
            return sum;
          }};
}

double mean_square_of(const RowSource& rows) {
  constexpr Index block = 1024;
  double sum = 0.0;
  for (Index first = 0; first < rows.rows(); first += block) {
    std::vector<Index> part(static_cast<std::size_t>(std::min(block, rows.rows() - first)));
    std::iota(part.begin(), part.end(), first);
    Matrix samples(rows.cols(), std::ssize(part));
    rows.read(part, samples.data());
    sum += samples.squaredNorm();
    rows.release(first, first + std::ssize(part));
  }
  return sum / static_cast<double>(rows.rows());
}

TeacherTable feature_table(Rows features, const std::vector<Index>& rows, Index views) {
  const double square = mean_square_of(*view_of_subset(features, views_of(rows, views)));
  const Index dim = features->cols();
  return {dim, square, [features = std::move(features), views](std::span<const BatchRow> batch) {
            return read_batch(*features, batch, views);
          }};
}

}  // namespace assay
