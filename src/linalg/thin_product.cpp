#include "linalg/thin_product.h"

#include <algorithm>

#include "core/dispatch.h"

namespace assay {
namespace {

constexpr Index kBytes = 32;  // of a vector register
constexpr Index kLine = 64;   // of the cache
constexpr Index kGroup = 5;   // columns at a time: two vectors each leave room for the operands

#define ASSAY_INLINE inline __attribute__((always_inline))

// Eight floats or four doubles wherever they lie; the compiler splits them for machines with
// shorter registers.
template <typename T>
struct Vectors {
  using Lanes [[gnu::vector_size(kBytes), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
  static constexpr Index lanes = kBytes / sizeof(T);
  static constexpr Index line = kLine / sizeof(T);
};

template <typename T>
ASSAY_INLINE const typename Vectors<T>::Lanes& at(const T* p) {
  return *reinterpret_cast<const typename Vectors<T>::Lanes*>(p);
}

template <typename T>
struct Sides {
  const T* thin = nullptr;  // v (r x K), or u (K x m)
  const T* z = nullptr;     // r x m
  Index z_stride = 0;
  T* out = nullptr;
  Index rows = 0, columns = 0, samples = 0;

  Index whole_lines() const { return rows / Vectors<T>::line * Vectors<T>::line; }
};

// `count` columns from `k` on with two samples; when there is only one left it is taken twice.
template <int count, typename T>
ASSAY_INLINE void project_group(const Sides<T>& s, Index k, Index i) {
  using Lanes = typename Vectors<T>::Lanes;
  const Index second = std::min(i + 1, s.samples - 1);
  const T* a = s.z + i * s.z_stride;
  const T* b = s.z + second * s.z_stride;
  const T* v = s.thin + k * s.rows;
  Lanes sum_a[count] = {};
  Lanes sum_b[count] = {};
  const Index whole = s.whole_lines();
  for (Index d = 0; d < whole; d += Vectors<T>::line) {
    // Samples come from far: ask for the next two ahead of time.
    __builtin_prefetch(a + 2 * s.z_stride + d);
    __builtin_prefetch(b + 2 * s.z_stride + d);
    for (Index half = d; half < d + Vectors<T>::line; half += Vectors<T>::lanes) {
      const Lanes za = at(a + half);
      const Lanes zb = at(b + half);
      for (int j = 0; j < count; ++j) {
        const Lanes w = at(v + j * s.rows + half);
        sum_a[j] += za * w;
        sum_b[j] += zb * w;
      }
    }
  }
  for (int j = 0; j < count; ++j) {
    T total_a = 0;
    T total_b = 0;
    for (Index d = whole; d < s.rows; ++d) {
      total_a += a[d] * v[j * s.rows + d];
      total_b += b[d] * v[j * s.rows + d];
    }
    for (Index lane = 0; lane < Vectors<T>::lanes; ++lane) {
      total_a += sum_a[j][lane];
      total_b += sum_b[j][lane];
    }
    s.out[i * s.columns + k + j] = total_a;
    s.out[second * s.columns + k + j] = total_b;
  }
}

// A group of columns stays in the nearest cache while the samples pass by.
template <int count, typename T>
ASSAY_INLINE void project_columns(const Sides<T>& s, Index k) {
  for (Index i = 0; i < s.samples; i += 2) project_group<count>(s, k, i);
}

// One cache line of each sample with `count` columns.
template <int count, typename T>
ASSAY_INLINE void accumulate_line(const Sides<T>& s, Index k, Index d) {
  using Lanes = typename Vectors<T>::Lanes;
  constexpr Index half = Vectors<T>::lanes;
  Lanes low[count];
  Lanes high[count];
  for (int j = 0; j < count; ++j) {
    low[j] = at(s.out + (k + j) * s.rows + d);
    high[j] = at(s.out + (k + j) * s.rows + d + half);
  }
  for (Index i = 0; i < s.samples; ++i) {
    const Lanes z_low = at(s.z + i * s.z_stride + d);
    const Lanes z_high = at(s.z + i * s.z_stride + d + half);
    const T* u = s.thin + i * s.columns + k;
    for (int j = 0; j < count; ++j) {
      low[j] += z_low * u[j];
      high[j] += z_high * u[j];
    }
  }
  for (int j = 0; j < count; ++j) {
    *reinterpret_cast<Lanes*>(s.out + (k + j) * s.rows + d) = low[j];
    *reinterpret_cast<Lanes*>(s.out + (k + j) * s.rows + d + half) = high[j];
  }
}

template <int count, typename T>
ASSAY_INLINE void accumulate_columns(const Sides<T>& s, Index k) {
  const Index whole = s.whole_lines();
  for (Index d = 0; d < whole; d += Vectors<T>::line) accumulate_line<count>(s, k, d);
  for (int j = 0; j < count; ++j) {
    for (Index d = whole; d < s.rows; ++d) {
      T sum = s.out[(k + j) * s.rows + d];
      for (Index i = 0; i < s.samples; ++i)
        sum += s.z[i * s.z_stride + d] * s.thin[i * s.columns + k + j];
      s.out[(k + j) * s.rows + d] = sum;
    }
  }
}

// All columns, in groups; what is left over has code of its own.
template <typename T>
ASSAY_INLINE void project_all(const Sides<T>& s) {
  Index k = 0;
  for (; k + kGroup <= s.columns; k += kGroup) project_columns<kGroup>(s, k);
  switch (s.columns - k) {
    case 4:
      project_columns<4>(s, k);
      break;
    case 3:
      project_columns<3>(s, k);
      break;
    case 2:
      project_columns<2>(s, k);
      break;
    case 1:
      project_columns<1>(s, k);
      break;
    default:
      break;
  }
}

template <typename T>
ASSAY_INLINE void accumulate_all(const Sides<T>& s) {
  Index k = 0;
  for (; k + kGroup <= s.columns; k += kGroup) accumulate_columns<kGroup>(s, k);
  switch (s.columns - k) {
    case 4:
      accumulate_columns<4>(s, k);
      break;
    case 3:
      accumulate_columns<3>(s, k);
      break;
    case 2:
      accumulate_columns<2>(s, k);
      break;
    case 1:
      accumulate_columns<1>(s, k);
      break;
    default:
      break;
  }
}

template <typename T, typename Thin, typename Block>
void project_onto(const Thin& v, const Block& z, Thin& out) {
  out.resize(v.cols(), z.cols());
  for_this_processor<project_all<T>>(
      Sides<T>{v.data(), z.data(), z.outerStride(), out.data(), v.rows(), v.cols(), z.cols()});
}

template <typename T, typename Thin, typename Block>
void accumulate_onto(const Block& z, const Thin& u, Thin& out) {
  for_this_processor<accumulate_all<T>>(
      Sides<T>{u.data(), z.data(), z.outerStride(), out.data(), z.rows(), u.rows(), z.cols()});
}

}  // namespace

void thin_project(const FloatMatrix& v, const ConstFloatBlock& z, FloatMatrix& out) {
  project_onto<float>(v, z, out);
}

void thin_project(const Matrix& v, const ConstBlock& z, Matrix& out) {
  project_onto<double>(v, z, out);
}

void thin_accumulate(const ConstFloatBlock& z, const FloatMatrix& u, FloatMatrix& out) {
  accumulate_onto<float>(z, u, out);
}

void thin_accumulate(const ConstBlock& z, const Matrix& u, Matrix& out) {
  accumulate_onto<double>(z, u, out);
}

}  // namespace assay
