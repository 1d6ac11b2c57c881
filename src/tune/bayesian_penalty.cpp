#include "linalg/gram.h"
#include "tune/penalty.h"

namespace assay {
namespace {

class BayesianPenalty : public Penalty {
 public:
  BayesianPenalty(Matrix m, TeacherTable predictions, Vector intercept)
      : m_(std::move(m)), predictions_(std::move(predictions)), intercept_(std::move(intercept)) {}

  PenaltyGradient at(const Matrix& features, std::span<const BatchRow> batch,
                     std::span<const float> /*own*/) const override {
    Matrix residual = product(m_, true, features, false) - predictions_.read(batch);
    if (intercept_.size() > 0) residual.colwise() += intercept_;
    const auto numbers = static_cast<double>(residual.size());
    const double loss = residual.squaredNorm() / numbers;
    residual *= 2.0 / numbers;
    return {loss, product(m_, false, residual, false), {}};
  }

 private:
  Matrix m_;  // D x C
  TeacherTable predictions_;
  Vector intercept_;
};

}  // namespace

std::unique_ptr<Penalty> bayesian_penalty(Matrix m, TeacherTable predictions, Vector intercept) {
  return std::make_unique<BayesianPenalty>(std::move(m), std::move(predictions),
                                           std::move(intercept));
}

}  // namespace assay
