#include <cmath>

#include "linalg/gram.h"
#include "tune/penalty.h"

namespace assay {
namespace {

class DistillationPenalty : public Penalty {
 public:
  DistillationPenalty(std::vector<TeacherTable> teachers, double target_square)
      : teachers_(std::move(teachers)),
        unit_(target_square > 0.0 ? 1.0 / std::sqrt(target_square) : 1.0) {
    for (const TeacherTable& teacher : teachers_)
      units_.push_back(teacher.mean_square > 0.0 ? 1.0 / std::sqrt(teacher.mean_square) : 1.0);
  }

  // N(0, 0.01^2) as the head, one V_k (D_k x D, column-major) after another.
  std::vector<float> initial(Index dim, Random& random) const override {
    constexpr double sd = 0.01;
    std::vector<float> out;
    for (const TeacherTable& teacher : teachers_) {
      for (Index i = 0; i < teacher.dim * dim; ++i)
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
    const Matrix scaled = unit_ * features;
    Index first = 0;
    for (std::size_t k = 0; k < teachers_.size(); ++k) {
      const Index rows = teachers_[k].dim;
      const Matrix map =
          Eigen::Map<const Eigen::MatrixXf>(own.data() + first, rows, dim).cast<double>();
      Matrix residual = product(map, false, scaled, false) - units_[k] * teachers_[k].read(batch);
      out.loss += residual.squaredNorm() / shares;
      residual *= 2.0 / shares;
      out.features += unit_ * product(map, true, residual, false);
      Eigen::Map<Eigen::MatrixXf>(out.own.data() + first, rows, dim) =
          product(residual, false, scaled, true).cast<float>();
      first += rows * dim;
    }
    return out;
  }

 private:
  std::vector<TeacherTable> teachers_;
  double unit_;                // 1 / sqrt(s)
  std::vector<double> units_;  // 1 / sqrt(s_k)
};

}  // namespace

std::unique_ptr<Penalty> distillation_penalty(std::vector<TeacherTable> teachers,
                                              double target_square) {
  return std::make_unique<DistillationPenalty>(std::move(teachers), target_square);
}

}  // namespace assay
