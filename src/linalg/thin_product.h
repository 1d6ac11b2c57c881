#pragma once

#include "assay/types.h"
#include "linalg/gram.h"

namespace assay {

// Products of many samples with few columns. BLAS packs its operands anew for every call, which
// costs as much as the product itself when one side has ten columns; here samples are read as they
// lie, and small blocks of them serve both products while they are in cache.

// Above this many columns BLAS is as fast.
constexpr Index kThinColumns = 40;

// out = v' z: v is r x K, z is r x m.
void thin_project(const FloatMatrix& v, const ConstFloatBlock& z, FloatMatrix& out);
void thin_project(const Matrix& v, const ConstBlock& z, Matrix& out);

// out += z u': z is r x m, u is K x m, out r x K.
void thin_accumulate(const ConstFloatBlock& z, const FloatMatrix& u, FloatMatrix& out);
void thin_accumulate(const ConstBlock& z, const Matrix& u, Matrix& out);

}  // namespace assay
