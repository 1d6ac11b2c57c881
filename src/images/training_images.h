#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/images.h"
#include "assay/thread_pool.h"
#include "images/batches.h"
#include "images/prepare.h"

namespace assay {

// Images to learn from, to choose by and to test on. Rows are numbers of images of `train`.
struct TrainingImages {
  std::string name;
  LabelledImages train;
  std::optional<LabelledImages> test;
  std::vector<Index> rows;        // to learn from
  std::vector<Index> validation;  // held back from them
  TaskTargets targets;            // of all images of `train`
  std::optional<TaskTargets> test_targets;
  // Numbers are learnt as (value - mean) / scale; 0 and 1 for classes.
  Vector mean;
  double scale = 1.0;

  // The targets of `rows` as LogME reads them, in the same units.
  Targets fit_targets() const;
};

// The same with a share of the rows to learn from held back, by class where there are classes: what
// was held back before takes no part. Throws Error when too few are left.
TrainingImages with_held_back(const TrainingImages& data, double share, std::uint64_t seed);

// Without a test part, `validation_share` of the images are held back to judge by; with one, all
// are learnt from. Throws Error for data that cannot be learnt from: one class, too few images.
TrainingImages open_training_images(const ImageRequest& request, double validation_share,
                                    std::uint64_t seed);

// Of the images and what is to be learnt about them.
std::string training_digest(ThreadPool& pool, const TrainingImages& data);

// Batches of the images, resized and normalised for the network; views as extraction makes them.
struct ViewOptions {
  std::uint64_t seed = 0;
  double least_area = kLeastCropArea;
};
PrepareBatch batches_of(Images images, const Preprocessing& preprocessing,
                        const ViewOptions& views);

}  // namespace assay
