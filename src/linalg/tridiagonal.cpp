#include "assay/linalg/tridiagonal.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "assay/linalg/gram.h"
#include "lapack.h"

namespace assay {
namespace {

Matrix apply(const Tridiagonal& t, const char* transpose, Matrix b) {
  const int p = static_cast<int>(t.size());
  const int columns = static_cast<int>(b.cols());
  if (p <= 1 || columns == 0) return b;
  int info = 0;
  int query = -1;
  double best = 0.0;
  dormtr_("L", "L", transpose, &p, &columns, t.reflectors.data(), &p, t.scalars.data(), b.data(),
          &p, &best, &query, &info);
  std::vector<double> work(static_cast<std::size_t>(best));
  const int size = static_cast<int>(work.size());
  dormtr_("L", "L", transpose, &p, &columns, t.reflectors.data(), &p, t.scalars.data(), b.data(),
          &p, work.data(), &size, &info);
  assert(info == 0);
  return b;
}

// Q itself, p x p.
Matrix explicit_rotation(const Tridiagonal& t) {
  Matrix q = t.reflectors;
  const int p = static_cast<int>(t.size());
  int info = 0;
  int query = -1;
  double best = 0.0;
  dorgtr_("L", &p, q.data(), &p, t.scalars.data(), &best, &query, &info);
  std::vector<double> work(static_cast<std::size_t>(best));
  const int size = static_cast<int>(work.size());
  dorgtr_("L", &p, q.data(), &p, t.scalars.data(), work.data(), &size, &info);
  assert(info == 0);
  return q;
}

// Reflections cost 4 p^2 flops a column, a product with Q half of that once Q is there (4/3 p^3).
bool worth_forming(const Tridiagonal& t, Index columns) {
  return t.size() > 1 && 3 * columns > 2 * t.size();
}

}  // namespace

Tridiagonal tridiagonalize(Matrix lower) {
  assert(lower.rows() == lower.cols() && lower.rows() > 0);
  const int p = static_cast<int>(lower.rows());
  Tridiagonal t;
  t.diagonal.resize(p);
  t.off_diagonal.resize(p - 1);
  t.scalars.resize(p - 1);
  double unused = 0.0;  // LAPACK wants addresses even where it reads nothing
  double* off = p > 1 ? t.off_diagonal.data() : &unused;
  double* scalars = p > 1 ? t.scalars.data() : &unused;
  int info = 0;
  int query = -1;
  double best = 0.0;
  dsytrd_("L", &p, lower.data(), &p, t.diagonal.data(), off, scalars, &best, &query, &info);
  std::vector<double> work(static_cast<std::size_t>(best));
  const int size = static_cast<int>(work.size());
  dsytrd_("L", &p, lower.data(), &p, t.diagonal.data(), off, scalars, work.data(), &size, &info);
  t.reflectors = std::move(lower);

  t.eigenvalues = t.diagonal;
  Vector scratch = t.off_diagonal;
  dsterf_(&p, t.eigenvalues.data(), p > 1 ? scratch.data() : &unused, &info);
  assert(info == 0);
  return t;
}

Matrix Tridiagonal::rotate(Matrix b) const {
  if (worth_forming(*this, b.cols())) return product(explicit_rotation(*this), true, b, false);
  return apply(*this, "T", std::move(b));
}

Matrix Tridiagonal::rotate_back(Matrix x) const {
  if (worth_forming(*this, x.cols())) return product(explicit_rotation(*this), false, x, false);
  return apply(*this, "N", std::move(x));
}

}  // namespace assay
