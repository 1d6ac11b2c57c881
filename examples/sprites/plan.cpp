#include "plan.h"

#include <fmt/format.h>

namespace sprites {

using assay::Index;

Index source_classes(Pretext pretext) {
  const Part part = source_part();
  const auto shapes = static_cast<Index>(part.shapes.size());
  const auto textures = static_cast<Index>(part.textures.size());
  switch (pretext) {
    case Pretext::shapes:
      return shapes;
    case Pretext::textures:
      return textures;
    case Pretext::both:
      return shapes * textures;
    case Pretext::rotation:
      return 4;
    case Pretext::none:
    case Pretext::denoising:
    case Pretext::contrast:
    case Pretext::pose:
      return 0;
  }
  return 0;
}

std::string described(const Plan& plan) {
  const auto task = [&]() -> std::string {
    switch (plan.pretext) {
      case Pretext::none:
        return "random weights";
      case Pretext::shapes:
        return "names six shapes";
      case Pretext::textures:
        return "names four textures";
      case Pretext::both:
        return "names pairs of a shape and a texture";
      case Pretext::rotation:
        return "tells by how many quarter turns an image is turned";
      case Pretext::denoising:
        return "removes noise";
      case Pretext::contrast:
        return "matches two views of an image";
      case Pretext::pose:
        return "gives scale, orientation and position";
    }
    return {};
  };
  const std::string seen = plan.images > 0 ? fmt::format(", saw {} images", plan.images) : "";
  return fmt::format("{}; {} convolutions from {} channels{}", task(), plan.depth(), plan.width,
                     seen);
}

std::vector<Plan> all_plans() {
  return {
      {"shapes_wide", Pretext::shapes, 24, 2, 1, 0, 8},
      {"shapes_narrow", Pretext::shapes, 8, 1, 1, 0, 8},
      {"shapes_few", Pretext::shapes, 16, 2, 1, 300, 30},
      {"textures", Pretext::textures, 16, 2, 1, 0, 5},
      {"shapes_textures", Pretext::both, 16, 2, 1, 0, 8},
      {"rotation", Pretext::rotation, 16, 2, 1, 0, 3},
      {"denoiser", Pretext::denoising, 16, 1, 2, 0, 8},
      {"contrast", Pretext::contrast, 16, 2, 1, 0, 6},
      {"pose", Pretext::pose, 16, 1, 2, 0, 8},
      {"random_wide", Pretext::none, 24, 2, 2, 0, 1},
      {"random_narrow", Pretext::none, 8, 1, 1, 0, 1},
  };
}

}  // namespace sprites
