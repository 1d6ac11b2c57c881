#include "assay/linalg/tridiagonal.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "lapack.h"

namespace assay {
namespace {

// Reflections applied together. LAPACK's dormtr takes 32, too few for full speed of the products.
constexpr Index kTogether = 64;

// Reflections first ... first + count - 1 as I - V S^-1 V', V with its ones and zeros written out
// so that both products with it are plain ones, S = diag(1/tau) + the strict upper triangle of V'V
// (a product and a triangular solve where LAPACK's dlarft goes column by column).
struct Bundle {
  Index top = 0;  // first row they touch
  Matrix v;       // (p - top) x count
  Matrix s;       // count x count, upper triangle
};

Bundle bundle(const Tridiagonal& t, Index first, Index count) {
  Bundle out{first + 1, t.reflectors.block(first + 1, first, t.size() - first - 1, count),
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

// b := (I - V op(S)^-1 V') b
void reflect(const Bundle& h, const char* transpose, Matrix& b) {
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

// Q = H_1 H_2 ... H_(p-1): from the first on for Q', from the last back for Q.
Matrix Tridiagonal::rotate(Matrix b) const {
  const Index count = b.cols() > 0 ? size() - 1 : 0;
  for (Index first = 0; first < count; first += kTogether)
    reflect(bundle(*this, first, std::min(kTogether, count - first)), "T", b);
  return b;
}

Matrix Tridiagonal::rotate_back(Matrix x) const {
  const Index count = x.cols() > 0 ? size() - 1 : 0;
  for (Index first = (count - 1) / kTogether * kTogether; first >= 0 && count > 0;
       first -= kTogether)
    reflect(bundle(*this, first, std::min(kTogether, count - first)), "N", x);
  return x;
}

}  // namespace assay
