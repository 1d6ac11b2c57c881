// Reading other synthetic worlds: what `mean` and `covariance` may be.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "assay/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "io/npy.h"
#include "io/npz.h"
#include "robust/synthetic_world.h"

namespace assay {
namespace {

[[noreturn]] void fail_shape(const Array& array, const std::string& expected) {
  fail_input(fmt::format("{}: expected {}; found {} of shape {}", array.where, expected,
                         element_name(array.type), shape_text(array.shape)));
}

// All numbers as they are stored.
Vector stored_numbers(const Array& array, const std::string& expected) {
  if (is_text(array.type) || array.size() == 0) fail_shape(array, expected);
  Vector out(array.size());
  for (Index i = 0; i < out.size(); ++i) {
    out[i] = number_at(array, i);
    if (!std::isfinite(out[i]))
      fail_input(
          fmt::format("{}: number {} is {}; expected finite numbers", array.where, i, out[i]));
  }
  return out;
}

// All numbers in C order, the last index fastest.
Vector numbers(const Array& array, const std::string& expected) {
  if (array.fortran_order && array.rank() > 1)
    fail_input(
        fmt::format("{}: stored column by column; save np.ascontiguousarray of it", array.where));
  return stored_numbers(array, expected);
}

Vector mean_of(const Array& array) {
  Vector out = numbers(array, "one number per input");
  if (out.cwiseAbs().maxCoeff() > 0.0) return out;
  fail_input(fmt::format("{}: all numbers are 0; the mean is a direction", array.where));
}

bool is_square(const Array& array) {
  return array.rank() == 2 && array.shape[0] == array.shape[1] && array.shape[0] > 1;
}

SyntheticWorld full_world(Vector mean, const Array& array, Index memory_limit) {
  const Index d = array.shape[0];
  constexpr Index copies = 5;  // as read, as a matrix, eigenvectors, their scratch, floats
  require_memory(array.where, fmt::format("a full covariance of {} inputs", with_thousands(d)),
                 copies * d * d * Index{sizeof(double)}, memory_limit,
                 "give diagonal and factor in an .npz");
  const Vector values = stored_numbers(array, "d x d numbers");
  const Matrix covariance = values.reshaped(d, d);
  const double largest = covariance.cwiseAbs().maxCoeff();
  constexpr double rounding = 1e-5;  // of float32
  if (!((covariance - covariance.transpose()).cwiseAbs().maxCoeff() <= rounding * largest))
    fail_input(fmt::format("{}: not symmetric; expected a covariance matrix", array.where));
  return SyntheticWorld::full(std::move(mean), covariance, array.where);
}

Matrix factor_of(const Array& array, Index dim) {
  if (array.rank() != 2 || array.shape[0] != dim)
    fail_shape(array,
               fmt::format("a factor of shape ({}, rank), as many rows as the diagonal", dim));
  const Vector values = stored_numbers(array, "numbers");
  if (array.fortran_order) return values.reshaped(dim, array.shape[1]);  // of a transposed array
  return values.reshaped(array.shape[1], dim).transpose();
}

// The arrays that are there.
WorldArrays arrays_of(const SynbenchRequest& request) {
  WorldArrays out = request.world;
  if (!request.mean.empty()) out.mean = open_npy(request.mean);
  if (request.covariance.empty()) return out;
  if (request.covariance.extension() == ".npz") {
    out.covariance = open_npz_member(request.covariance, "diagonal");
    out.factor = open_npz_member(request.covariance, "factor");
  } else {
    out.covariance = open_npy(request.covariance);
  }
  return out;
}

}  // namespace

std::optional<SyntheticWorld> open_world(const SynbenchRequest& request) {
  const WorldArrays arrays = arrays_of(request);
  if (!arrays.mean && !arrays.covariance) return std::nullopt;
  if (request.norm != Norm::two) {
    fail_input(
        "`norm`: other worlds (`mean`, `covariance`) are for norm 2, where the raw data's own "
        "classifier is known");
  }
  Vector mean = arrays.mean ? mean_of(*arrays.mean) : Vector();
  if (!arrays.covariance) {
    Vector ones = Vector::Ones(mean.size());
    return SyntheticWorld::low_rank(std::move(mean), std::move(ones), {}, "");
  }
  if (!arrays.factor && is_square(*arrays.covariance))
    return full_world(std::move(mean), *arrays.covariance, request.memory_limit);
  Vector diagonal = numbers(*arrays.covariance, "variances, one per input, or d x d numbers");
  Matrix factor =
      arrays.factor ? factor_of(*arrays.factor, diagonal.size()) : Matrix(diagonal.size(), 0);
  return SyntheticWorld::low_rank(std::move(mean), std::move(diagonal), std::move(factor),
                                  arrays.covariance->where);
}

}  // namespace assay
