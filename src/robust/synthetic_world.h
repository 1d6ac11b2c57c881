#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "assay/robust.h"
#include "assay/types.h"
#include "linalg/gram.h"

namespace assay {

// Another synthetic world than N(+-s 1/sqrt(d), I): two classes N(+-s m, S) with
//
//     S = diag(diagonal) + factor factor',   m' S^-1 m = 1,
//
// so that s is still half the distance between the classes in standard deviations of the noise, and
// the best classifier of the raw data is right Phi(s) of the time. Of the mean that a user names
// only the direction counts.
class SyntheticWorld {
 public:
  // `mean` empty: every coordinate alike. The diagonal and the mean have d numbers, the factor d
  // rows. Throws Error, with `where` the covariance comes from, where S is not positive definite.
  static SyntheticWorld low_rank(Vector mean, Vector diagonal, Matrix factor,
                                 const std::string& where);
  static SyntheticWorld full(Vector mean, const Matrix& covariance, const std::string& where);

  Index dim() const { return mean_.size(); }
  Index noise_dim() const { return diagonal_.size() + factor_.cols(); }
  const Eigen::VectorXf& mean() const { return mean_; }  // m

  // Independent standard normal numbers, noise_dim() x count, into noise of covariance S.
  FloatMatrix coloured(const FloatMatrix& noise) const;

  // Accuracy and bound of the eps-robust Bayes classifier of the raw data at a scale, for an
  // epsilon that is a share of |s m|, below 1 (Results 2.1 and 2.2, Euclidean norm).
  OperatingPoint reference(double scale, double relative_epsilon, double class_prior) const;

 private:
  // Of w = (S + tau I)^-1 m: m'w, w'S w and tau |w| / |m|.
  struct Classifier {
    double gap = 0.0;
    double variance = 0.0;
    double shift = 0.0;
  };
  // Those of the shares asked for so far: all scales and models share them.
  struct Found {
    std::mutex mutex;
    std::map<double, Classifier> by_share;
  };
  Classifier classifier(double tau) const;
  Classifier robust_classifier(double relative_epsilon) const;
  double ridge_of(double relative_epsilon) const;

  void normalise();

  // To draw from. Of a full S: no diagonal, and its eigenvectors times the roots of eigenvalues.
  Eigen::VectorXf mean_;
  Eigen::VectorXf diagonal_;  // its roots
  FloatMatrix factor_;
  // To compute with, in double; of a full S in the coordinates of its eigenvectors, no factor.
  Vector axes_mean_, axes_variances_;
  Matrix axes_factor_;
  std::shared_ptr<Found> found_ = std::make_shared<Found>();
};

// What a request says of it; nothing is the paper's own world. Reads the files, throws Error.
std::optional<SyntheticWorld> open_world(const SynbenchRequest& request);

}  // namespace assay
