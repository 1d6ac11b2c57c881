#pragma once

#include <array>
#include <span>

#include "assay/types.h"
#include "linalg/tridiagonal.h"

namespace assay {

// Quadratic forms of the shifted inverse of a tridiagonal T, positive definite
// once shifted:
//
//     phi_c(t) = b_c' (T + t I)^-1 b_c
//
// By one forward sweep of the LDL' factorisation: phi = sum w_i^2 / d_i with
// L w = b. No back substitution, no eigenvectors.

// phi of every column of b at every shift: (number of shifts) x (columns).
// All columns share the factorisation of a shift. Cost: 4 p flops per entry.
Matrix resolvent_forms(const Tridiagonal& t, const Matrix& b, std::span<const double> shifts);

// The refinement works on this many columns at a time, each with its own shift:
// enough independent divisions to keep the processor's divider busy.
inline constexpr int kLanes = 8;
using Lanes = std::array<double, kLanes>;

struct ResolventLanes {
  Lanes value{};   // phi
  Lanes first{};   // d phi / d t, never positive
  Lanes second{};  // d^2 phi / d t^2
};

// phi and its derivatives for eight (column, shift) pairs; `b` holds the columns
// interleaved, p x kLanes with the lane running fastest.
ResolventLanes resolvent_derivatives(const Tridiagonal& t, std::span<const double> b,
                                     const Lanes& shifts);

// x = (T + t I)^-1 b for each column with its own shift.
Matrix resolvent_solve(const Tridiagonal& t, Matrix b, std::span<const double> shifts);

}  // namespace assay
