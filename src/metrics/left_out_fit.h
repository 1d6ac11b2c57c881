#pragma once

#include <vector>

#include "assay/types.h"
#include "metrics/logme.h"

namespace assay {

// What the regression behind LogME would predict had it not seen the target of one row.
//
// With alpha and beta held, t = alpha / beta, the fit without row i predicts for any sample f
//
//     f'm_-i = f'm - k(f, f_i) r_i / (1 - k(f_i, f_i)),   k(f, g) = f'(F'F + t I)^-1 g,
//
// r_i = y_i - f_i'm; k(f_i, f_i) is the leverage of the row. An intercept takes f, g and y about
// their means and adds 1/n to k. For f = f_i this is the textbook's leave-one-out residual; for a
// crop or a mirror image of the row it is what a model says that has not seen the label of the
// original.
class LeftOutFit {
 public:
  // Cost: up to 9 p^3, p = min(n, D).
  explicit LeftOutFit(const LogmeFit& fit);

  // `samples`: `views` columns for each of some rows, the first of them the row itself; `targets`:
  // C x rows. C numbers for every column of `samples`. Columns that did not vary are as the fit has
  // them. Cost: 2 p (D + C) flops a sample.
  Matrix predictions(const Matrix& samples, Index views, const Matrix& targets) const;

 private:
  Matrix weights_;              // D x C
  Vector intercept_;            // C
  Vector center_;               // D, or empty
  double share_;                // 1/n with an intercept, else 0
  Matrix directions_;           // D x r: principal directions of the rows
  Matrix shrinkage_;            // r x C: 1 / (s + t); 0 where the column has no weights
  std::vector<bool> left_out_;  // per column: does it depend on its targets at all
};

}  // namespace assay
