#pragma once

#include <filesystem>
#include <vector>

#include "assay/tune.h"
#include "images/training_images.h"
#include "tune/run_jobs.h"

namespace assay {

// What another trainer needs for B-Tuning, an .npz: `targets` (n, views, C) float16, the teachers'
// mixed predictions; `rows` (n), which training images they are of; `m` (C, D) float32, the
// target's posterior means; `intercept` (C) float32, zeros unless targets are centred; `labels` (n)
// or `values` (n, C), as they were learnt; `weights` (K), pi.
void write_targets(const std::filesystem::path& file, const TeacherTable& predictions, Index views,
                   const TrainingImages& data, const WeightedSet& set, const Matrix& m,
                   const Vector& intercept);

// The network with its head. Numbers were learnt as (value - mean) / scale; the head that is saved
// gives values.
void save_tuned_network(Trainer& trainer, const TunedWeights& weights, const TrainingImages& data,
                        const std::filesystem::path& file);

// hub.json beside the tuned networks: their folder is a hub.
void write_tuned_hub(const std::filesystem::path& folder, const std::vector<TuneRun>& runs,
                     const NetworkSource& target, const TuneContext& context);

}  // namespace assay
