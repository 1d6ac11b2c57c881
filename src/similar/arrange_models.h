#pragma once

#include <vector>

#include "assay/similar.h"
#include "assay/types.h"

namespace assay {

// Models in the plane by classical scaling of the distances sqrt(2 - 2 CKA): n x 2, signs such that
// the largest coordinate of an axis is positive.
Matrix map_of(const Matrix& cka);

// Pairs at or above `least`, the most alike first, and groups that they join (0: alone).
std::vector<SimilarPair> near_duplicates(const Matrix& cka, const Matrix& shared, double least);
std::vector<Index> groups_of(const std::vector<SimilarPair>& pairs, std::size_t models);

// Every model once: first the one most like all others together, then always the one whose nearest
// among those chosen is farthest.
std::vector<std::size_t> diverse_order(const Matrix& cka);

}  // namespace assay
