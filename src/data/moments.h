#pragma once

#include "assay/types.h"

namespace assay {

// What one pass over features F and targets Y leaves behind: enough for LogME,
// H-score and their kin, small however many samples there are. Sums are taken of
// x = scale * f - shift, with a shift near the mean, so that features far from
// zero lose no digits; the functions below give the uncentred and centred sums.
//
// Moments of disjoint samples add, those of a part subtract, provided they share
// shift and scale (all moments of one pass do).
struct Moments {
  Index count = 0;       // n
  double scale = 1.0;    // a power of two; other than 1 only for values near the limits of double
  Vector shift;          // D
  Matrix gram;           // D x D, sum of x x', lower triangle
  Vector sum;            // D, sum of x
  Matrix cross;          // D x C, sum of x y'
  Vector cubic;          // D, sum of |x|^2 x
  double fourth = 0.0;   // sum of |x|^4
  Vector target_sum;     // C, sum of y: class counts for classes
  Vector target_square;  // C, sum of y^2
  // Relative rounding of the products in `gram`: entry (i, j) is off by about this times
  // sqrt(gram_ii gram_jj). 0 when they were taken in double.
  double product_rounding = 0.0;

  Index dim() const { return gram.rows(); }
  Index columns() const { return cross.cols(); }

  Moments& operator+=(const Moments& other);
  Moments& operator-=(const Moments& other);
};

// Nothing summed yet.
Moments empty_moments(const Vector& shift, double scale, Index columns);

// Sum of |x - mean|^4, for Ledoit and Wolf's shrinkage.
double centered_fourth(const Moments& moments);

// The second moments of scale * F as a metric sees them: about the origin
// (`centered` = false) or about the means of features and targets.
struct SecondMoments {
  Matrix gram;           // lower triangle
  Matrix cross;          // D x C
  Vector target_square;  // C
};
SecondMoments second_moments(Moments moments, bool centered);

}  // namespace assay
