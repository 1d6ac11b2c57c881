#pragma once

#include <span>
#include <vector>

#include "assay/types.h"
#include "linalg/tridiagonal.h"

namespace assay {

// The rotation Q' of a tridiagonal reduction for many samples, in float or double: its reflections
// are bundled once, where Tridiagonal::rotate does so on every call.
//
// Samples are rows here. The sweeps below then run over neighbouring samples.
template <typename T>
class RowRotation {
 public:
  using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  explicit RowRotation(const Tridiagonal& t);

  // rows := rows Q. Cost: 2 p^2 flops per row.
  void apply(Rows& rows) const;

 private:
  Eigen::Matrix<T, Eigen::Dynamic, 1> before_;  // Tridiagonal::before

  struct Bundle {
    Index top = 0;
    Rows v;
    Rows s;
  };
  std::vector<Bundle> bundles_;
};

// q' (T + t I)^-1 q for every row q and shift t: (number of shifts) x (rows). The sweep is in
// double whatever the rows are.
template <typename T>
Matrix resolvent_forms_of_rows(const Tridiagonal& t,
                               const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>& rows,
                               std::span<const double> shifts);

}  // namespace assay
