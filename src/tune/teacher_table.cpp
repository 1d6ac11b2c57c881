#include <memory>

#include "tune/penalty.h"

namespace assay {

TeacherTable::TeacherTable(Eigen::MatrixXf values, Index views)
    : dim(values.rows()),
      mean_square(values.cast<double>().squaredNorm() / static_cast<double>(values.cols())) {
  const auto kept = std::make_shared<const Eigen::MatrixXf>(std::move(values));
  read = [kept, views](std::span<const BatchRow> batch) {
    Matrix out(kept->rows(), static_cast<Index>(batch.size()));
    for (std::size_t i = 0; i < batch.size(); ++i)
      out.col(static_cast<Index>(i)) =
          kept->col(batch[i].row * views + batch[i].view).cast<double>();
    return out;
  };
}

}  // namespace assay
