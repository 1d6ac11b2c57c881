#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "assay/types.h"
#include "core/random.h"

namespace assay {

// A curve that a forecast follows, of one of two families:
//
//     power        L(n) = e + a (n / N)^-b        N the largest size measured
//     saturating   L(n) = e + (c - e) exp(-(n / m)^q)    c the loss of guessing
//
// Both fall to a floor e; the first has a long tail, the second a short one.
struct FittedCurve {
  bool power = true;
  double floor = 0.0;   // e
  double height = 0.0;  // a, or c - e
  double scale = 1.0;   // N, or m
  double shape = 1.0;   // b, or q

  double at(double n) const;
  std::optional<double> crossing(double target) const;  // nothing for targets at the floor or below
};

// Fits of a measured curve, weighed by their evidence: both families on a grid of their shapes and
// floors, the height integrated out in closed form, and with each an error of the family itself,
// relative to the loss and the larger the further from the end of the data.
class CurveFits {
 public:
  // covariance: of the losses at the sizes. chance: the loss of guessing.
  CurveFits(const std::vector<Index>& sizes, const Vector& mean, const Matrix& covariance,
            double chance);

  // One curve drawn from the posterior given losses at the sizes. With losses that are themselves
  // drawn anew, the draws are a bagged posterior, which has the error of the data even where
  // neither family is right (Huggins and Miller, Bayesian Analysis 2023).
  FittedCurve draw(const Vector& losses, Random& random) const;

 private:
  struct Shape {
    bool power;
    double scale, shape;
    Vector basis;  // K, the curve without floor and height
  };
  // Everything whitened by one family error's covariance.
  struct Error {
    Matrix factor;    // lower Cholesky factor
    double log_size;  // half the log of its determinant
    Vector ones;
    std::vector<Vector> bases;  // of the shapes
  };

  // One point of the grid: where the height lies, and how plausible the point is.
  struct Cell {
    std::size_t shape;
    double floor;
    double mean, sd;
    double evidence;  // in nats
  };
  struct Weighed {
    std::vector<Cell> cells = {};
    double most = -1e300;
  };
  void weigh(const Error& error, const Vector& losses, Weighed& out) const;

  double chance_;
  double largest_;
  double floor_step_;
  std::vector<Shape> shapes_;
  std::vector<Error> errors_;
};

}  // namespace assay
