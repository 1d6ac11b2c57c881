#pragma once

#include <span>
#include <vector>

#include "assay/rows.h"
#include "assay/targets.h"
#include "assay/types.h"
#include "linalg/row_rotation.h"
#include "metrics/evidence.h"
#include "metrics/leave_out_evidence.h"
#include "metrics/problem.h"
#include "metrics/row_interactions.h"
#include "metrics/shift_grid.h"

namespace assay {

// The formulas of leave_out_evidence.h for chosen rows: T, float or double, is the type in which
// rows are rotated and multiplied. The rows, targets and reduction must outlive it; safe to call
// from several threads.
template <typename T>
class EvidenceLeaver {
 public:
  using Block = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  EvidenceLeaver(const RowSource& rows, const Targets& targets, const Reduced& reduced,
                 const std::vector<EvidenceColumn>& columns);

  // L - L_-i, mean over columns, for some rows.
  Vector without_each(std::span<const Index> chosen) const;

  // L - L_-g, likewise, for the rows of one group; NaN where a block has no factor.
  double without_group(std::span<const Index> group) const;

  // The same of pairs and triples beyond what their parts add; pairs are positions in `chosen`.
  RowInteractions interactions(std::span<const Index> chosen, std::span<const RowPair> pairs,
                               std::span<const RowTriple> triples) const;

 private:
  // One kind of columns: those with finite t, or those without features.
  struct Columns {
    std::vector<Index> of_target;
    Vector precision;  // beta, or on the dual side alpha in the units of the reduced kernel
  };

  // Some rows in the coordinates of the reduction, and what the fit to all leaves of them.
  struct Seen {
    Block rotated;      // rows x p
    Matrix forms;       // grid x rows: q'(T + t)^-1 q
    Matrix residuals;   // rows x C: y - f'm, on the dual side (K + t I)^-1 y
    Matrix log_shares;  // rows x C: log(1 - h), on the dual side of the diagonal of (K + t I)^-1

    Vector evidence(const Vector& precision) const;
  };

  double counted() const {
    return static_cast<double>(fitted_.of_target.size() + bare_.of_target.size());
  }
  void choose_columns(const std::vector<EvidenceColumn>& columns);
  double shift_for_zero() const;
  void find_target_means();
  double target(Index row, Index c) const;

  // q = Q'f / unit, or on the dual side Q'e_i: one row each.
  Block rotated(std::span<const Index> chosen) const;
  Seen look_at(std::span<const Index> chosen, bool shares = true) const;

  // Of q'(T + t)^-1 q: the diagonal entry of a block, and an entry beside it.
  double log_share(double form) const;
  double off_diagonal(double inner) const { return reduced_.dual ? inner : -intercept_ - inner; }

  // The entry of R of every pair, at every shift of the grid: pairs x grid.
  Matrix correlations_at_grid(const Seen& seen, std::span<const RowPair> pairs) const;

  // Columns without features: r = y, H = 0 beside the intercept's 1/n.
  double without_features(std::span<const Index> group) const;

  // What rows add together there; nothing but by the intercept.
  void add_without_features(std::span<const Index> chosen, std::span<const RowPair> pairs,
                            std::span<const RowTriple> triples, RowInteractions& out) const;

  // I - H_gg at every shift of the grid.
  std::vector<Matrix> blocks_at_grid(const Block& rows) const;

  const RowSource& rows_;
  const Targets& targets_;
  const Reduced& reduced_;
  double intercept_;  // 1/n where one was integrated out
  Vector target_mean_;
  RowRotation<T> rotation_;
  Columns fitted_;
  Columns bare_;
  ShiftGrid grid_;
  Block solution_;  // p x C: (T + t)^-1 of the projected targets
};

extern template class EvidenceLeaver<float>;
extern template class EvidenceLeaver<double>;

}  // namespace assay
