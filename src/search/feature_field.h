#pragma once

#include <string>
#include <vector>

#include "assay/hub.h"
#include "search/look_scorer.h"
#include "search/race.h"

namespace assay {

// A race on features that are there: what it saves is reading and scoring.
class FeatureField : public RaceField {
 public:
  // All must outlive the field.
  FeatureField(const ModelList& models, const Targets& targets, LookScorer& scorer)
      : models_(models), targets_(targets), scorer_(scorer) {}

  std::vector<std::string> names() const override;
  LookResult look(std::size_t model, const std::vector<Index>& looks) override;
  bool side_by_side() const override { return true; }

 private:
  const ModelList& models_;
  const Targets& targets_;
  LookScorer& scorer_;
};

// Bytes of a model's files, or of its rows in memory: what reading it costs.
double model_bytes(const Model& model);

}  // namespace assay
