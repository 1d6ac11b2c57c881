#include "linalg/tridiagonal.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "linalg/lapack.h"
#include "linalg/reflection_bundle.h"

namespace assay {
namespace {

// b := (I - V op(S)^-1 V') b
void reflect(const ReflectionBundle& h, const char* transpose, Matrix& b) {
  const double one = 1.0;
  const double zero = 0.0;
  const double minus = -1.0;
  const int rows = static_cast<int>(h.v.rows());
  const int k = static_cast<int>(h.v.cols());
  const int columns = static_cast<int>(b.cols());
  const int ld = static_cast<int>(b.rows());
  Matrix w(k, columns);
  dgemm_("T", "N", &k, &columns, &rows, &one, h.v.data(), &rows, b.data() + h.top, &ld, &zero,
         w.data(), &k);
  dtrsm_("L", "U", transpose, "N", &k, &columns, &one, h.s.data(), &k, w.data(), &k);
  dgemm_("N", "N", &rows, &columns, &k, &minus, h.v.data(), &rows, w.data(), &k, &one,
         b.data() + h.top, &ld);
}

}  // namespace

ReflectionBundle reflection_bundle(const Tridiagonal& t, Index first, Index count) {
  ReflectionBundle out{first + 1, t.reflectors.block(first + 1, first, t.size() - first - 1, count),
                       Matrix::Zero(count, count)};
  out.v.topRows(count).triangularView<Eigen::StrictlyUpper>().setZero();
  out.v.diagonal().setOnes();
  for (Index k = 0; k < count; ++k) {
    if (t.scalars[first + k] == 0.0) out.v.col(k).setZero();  // no reflection at all
  }
  const double one = 1.0;
  const double zero = 0.0;
  const int rows = static_cast<int>(out.v.rows());
  const int k = static_cast<int>(count);
  dsyrk_("U", "T", &k, &rows, &one, out.v.data(), &rows, &zero, out.s.data(), &k);
  for (Index i = 0; i < count; ++i) {
    const double tau = t.scalars[first + i];
    out.s(i, i) = tau == 0.0 ? 1.0 : 1.0 / tau;
  }
  return out;
}

// LAPACK dsytrd; why eigenvectors are not formed: decision 0004.
Tridiagonal tridiagonalize(Matrix lower, bool eigenvalues) {
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

  if (eigenvalues) t.eigenvalues = tridiagonal_eigenvalues(t.diagonal, t.off_diagonal);
  return t;
}

Vector tridiagonal_eigenvalues(Vector diagonal, Vector off_diagonal) {
  const int p = static_cast<int>(diagonal.size());
  double unused = 0.0;
  int info = 0;
  dsterf_(&p, diagonal.data(), p > 1 ? off_diagonal.data() : &unused, &info);
  assert(info == 0);
  return diagonal;
}

// Q = H_1 H_2 ... H_(p-1): from the first on for Q', from the last back for Q.
Matrix Tridiagonal::rotate(Matrix b) const {
  if (before.size() > 0) b -= 2.0 * before * (before.transpose() * b);
  const Index count = b.cols() > 0 ? size() - 1 : 0;
  for (Index first = 0; first < count; first += kReflectionsTogether)
    reflect(reflection_bundle(*this, first, std::min(kReflectionsTogether, count - first)), "T", b);
  return b;
}

Matrix Tridiagonal::rotate_back(Matrix x) const {
  const Index count = x.cols() > 0 ? size() - 1 : 0;
  for (Index first = (count - 1) / kReflectionsTogether * kReflectionsTogether;
       first >= 0 && count > 0; first -= kReflectionsTogether)
    reflect(reflection_bundle(*this, first, std::min(kReflectionsTogether, count - first)), "N", x);
  if (before.size() > 0) x -= 2.0 * before * (before.transpose() * x);
  return x;
}

}  // namespace assay
