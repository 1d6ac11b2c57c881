#include <algorithm>

#include "assay/linalg/gram.h"
#include "assay/tune/penalty.h"

namespace assay {
namespace {

class DistillationPenalty : public Penalty {
 public:
  explicit DistillationPenalty(std::vector<TeacherTable> teachers)
      : teachers_(std::move(teachers)) {
    for (const TeacherTable& teacher : teachers_) {
      const double squares = teacher.values.cast<double>().squaredNorm();
      scales_.push_back(squares > 0.0 ? static_cast<double>(teacher.values.cols()) / squares : 1.0);
    }
  }

  // N(0, 0.01^2) as the head, one W_k (D_k x D, column-major) after another.
  std::vector<float> initial(Index dim, Random& random) const override {
    constexpr double sd = 0.01;
    std::vector<float> out;
    for (const TeacherTable& teacher : teachers_) {
      for (Index i = 0; i < teacher.values.rows() * dim; ++i)
        out.push_back(static_cast<float>(sd * random.normal()));
    }
    return out;
  }

  PenaltyGradient at(const Matrix& features, std::span<const BatchRow> batch,
                     std::span<const float> own) const override {
    const Index dim = features.rows();
    const auto shares =
        static_cast<double>(features.cols()) * static_cast<double>(teachers_.size());
    PenaltyGradient out{0.0, Matrix::Zero(dim, features.cols()), std::vector<float>(own.size())};
    Index first = 0;
    for (std::size_t k = 0; k < teachers_.size(); ++k) {
      const Index rows = teachers_[k].values.rows();
      const Matrix map =
          Eigen::Map<const Eigen::MatrixXf>(own.data() + first, rows, dim).cast<double>();
      Matrix residual = product(map, false, features, false);
      for (Index i = 0; i < residual.cols(); ++i) {
        const Index column = teachers_[k].column(batch[static_cast<std::size_t>(i)]);
        residual.col(i) -= teachers_[k].values.col(column).cast<double>();
      }
      out.loss += residual.squaredNorm() * scales_[k] / shares;
      residual *= 2.0 * scales_[k] / shares;
      out.features += product(map, true, residual, false);
      Eigen::Map<Eigen::MatrixXf>(out.own.data() + first, rows, dim) =
          product(residual, false, features, true).cast<float>();
      first += rows * dim;
    }
    return out;
  }

 private:
  std::vector<TeacherTable> teachers_;
  std::vector<double> scales_;
};

}  // namespace

std::unique_ptr<Penalty> distillation_penalty(std::vector<TeacherTable> teachers) {
  return std::make_unique<DistillationPenalty>(std::move(teachers));
}

}  // namespace assay
