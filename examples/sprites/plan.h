#pragma once

#include <string>
#include <vector>

#include "assay/types.h"
#include "world.h"

namespace sprites {

// What a network is trained to do before anybody knows what it will be used for.
enum class Pretext {
  none,       // random weights
  shapes,     // name the shape
  textures,   // name the texture
  both,       // name the pair
  rotation,   // by how many quarter turns was the image turned?
  denoising,  // give back the image at half its size, without the noise
  contrast,   // find the other view of the same image among all views of a batch
  pose,       // give scale, orientation and position
};

// Networks take (pixel / 255 - mean) / deviation, in every channel.
inline constexpr double kPixelMean = 0.5;
inline constexpr double kPixelDeviation = 0.25;

struct Plan {
  std::string name;
  Pretext pretext = Pretext::none;
  assay::Index width = 16;  // channels of the first layer; doubled twice
  assay::Index blocks = 1;  // convolutions at each of the two coarser resolutions
  assay::Index pooled = 1;  // features are averages over this many cells per side
  assay::Index images = 0;  // of the source part that it sees; 0: all
  assay::Index epochs = 0;

  assay::Index depth() const { return 1 + 2 * blocks; }
  assay::Index feature_dim() const { return 4 * width * pooled * pooled; }
};

// Source classes that networks of this pretext tell apart; 0: none.
assay::Index source_classes(Pretext pretext);

// In words, for hub.json.
std::string described(const Plan& plan);

// The networks of the demo.
std::vector<Plan> all_plans();

}  // namespace sprites
