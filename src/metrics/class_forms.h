#pragma once

#include "assay/types.h"
#include "metrics/problem.h"

namespace assay {

// What the centred features say about each class: with Fc the centred features and 1_c the
// indicator of class c,
//
//     form_c(t) = 1_c' Fc (Fc'Fc + t I)^-1 Fc' 1_c
//
// The centring is a change of rank one, so it comes from the reduction that LogME uses as well.
// t is in the units of `reduced` (divided by unit^2) and positive.
Vector class_forms(const Problem& problem, double t);

// How much float products may have changed sum_c form_c / n_c: the standard deviation of the
// first-order effect, from a few classes. 0 when the products were taken in double.
double class_forms_error(const Problem& problem, double t);

}  // namespace assay
