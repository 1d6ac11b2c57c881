#pragma once

#include "assay/hub.h"
#include "assay/rank.h"
#include "assay/targets.h"

namespace assay {

// Adds what the user should know about the request, the labels and the files, one sentence each.
void add_notes(const RankRequest& request, const Targets& targets, const Catalogue& catalogue,
               RankResult& result);

// The same where draws are not what `subsample` says.
void add_draw_notes(const RankRequest& request, const Targets& targets, RankResult& result);

}  // namespace assay
