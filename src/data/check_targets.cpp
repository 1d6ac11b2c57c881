#include "data/check_targets.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "data/recode_labels.h"

namespace assay {

void require_classes(const Targets& targets, const std::string& who) {
  if (targets.kind == TargetKind::classes && targets.columns() > 1) return;
  if (targets.kind == TargetKind::classes && targets.columns() == 1)
    fail_input(fmt::format("{}: only one class, '{}'; {} needs two or more", targets.where,
                           targets.names.front(), who));
  fail_input(fmt::format("{}: {} needs classes, one per row", targets.where, who));
}

void require_single_target(const Targets& targets, const std::string& who) {
  if (targets.kind == TargetKind::multi_label) {
    fail_input(fmt::format(
        "{}: {} takes one class or numbers per row, not several labels; name one column",
        targets.where, who));
  }
  if (targets.kind == TargetKind::classes) require_classes(targets, who);
}

void require_matching(const RowSource& rows, const Targets& targets) {
  if (rows.rows() == targets.rows()) return;
  fail_input(fmt::format("{}: {} rows, but {} has {} labels; one label per row is expected",
                         rows.where(), rows.rows(), targets.where, targets.rows()));
}

Targets recoded(Targets targets, const Targets& train) {
  if (targets.kind != train.kind ||
      (targets.kind != TargetKind::classes && targets.columns() != train.columns())) {
    fail_input(
        fmt::format("{}: expected the same kind of targets as in {}", targets.where, train.where));
  }
  if (targets.kind != TargetKind::classes) return targets;
  targets.labels = recode_labels(targets, train);
  targets.names = train.names;
  return targets;
}

}  // namespace assay
