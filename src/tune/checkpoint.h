#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tune/train.h"

namespace assay {

// A run between two epochs. Nothing random has a state: what an epoch draws follows from the seed
// and its number.
struct Checkpoint {
  TunerState state;
  TrainResult result;          // without its weights: they follow from the state
  std::vector<float> average;  // of what is learnt, over the epochs so far that count; or empty
};

// An .npz, renamed into place when it is complete: a run that is killed leaves the one before.
void write_checkpoint(const std::filesystem::path& path, const std::string& cache_key,
                      const Checkpoint& checkpoint);

// Nothing when there is none, when it is damaged or belongs to a run of another key.
std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& path,
                                          const std::string& cache_key);

}  // namespace assay
