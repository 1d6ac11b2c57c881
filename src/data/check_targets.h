#pragma once

#include <span>
#include <string>

#include "assay/rows.h"
#include "assay/targets.h"

namespace assay {

// Are these targets usable? All throw Error naming the file at fault. `who` is what needs them, as
// in "a linear probe": the sentence goes on with it.

// Two or more classes.
void require_classes(const Targets& targets, const std::string& who);

// One class or one row of numbers per sample, no list of labels; of classes two or more.
void require_single_target(const Targets& targets, const std::string& who);

// One label per row.
void require_matching(const RowSource& rows, const Targets& targets);

// The targets of other samples under the codes of the training targets. Throws Error when they are
// of another kind, have other numbers of columns, or a class that the training targets lack.
Targets recoded(Targets targets, const Targets& train);

}  // namespace assay
