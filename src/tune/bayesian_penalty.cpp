#include "linalg/gram.h"
#include "tune/penalty.h"

namespace assay {
namespace {

class BayesianPenalty : public Penalty {
 public:
  BayesianPenalty(Matrix m, TeacherTable predictions)
      : m_(std::move(m)), predictions_(std::move(predictions)) {}

  PenaltyGradient at(const Matrix& features, std::span<const BatchRow> batch,
                     std::span<const float> /*own*/) const override {
    Matrix residual = product(m_, true, features, false);
    for (Index i = 0; i < residual.cols(); ++i) {
      const Index column = predictions_.column(batch[static_cast<std::size_t>(i)]);
      residual.col(i) -= predictions_.values.col(column).cast<double>();
    }
    const auto numbers = static_cast<double>(residual.size());
    const double loss = residual.squaredNorm() / numbers;
    residual *= 2.0 / numbers;
    return {loss, product(m_, false, residual, false), {}};
  }

 private:
  Matrix m_;  // D x C
  TeacherTable predictions_;
};

}  // namespace

std::unique_ptr<Penalty> bayesian_penalty(Matrix m, TeacherTable predictions) {
  return std::make_unique<BayesianPenalty>(std::move(m), std::move(predictions));
}

}  // namespace assay
