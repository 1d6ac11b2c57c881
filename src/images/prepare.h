#pragma once

#include <cstdint>
#include <span>

#include "assay/images.h"
#include "assay/network.h"

namespace assay {

// Which part of an image a view shows, and whether it is mirrored.
struct ViewBox {
  Index top = 0, left = 0, height = 0, width = 0;
  bool flipped = false;
};

inline constexpr double kLeastCropArea = 0.2;

// What a network expects, with a request's input size where it names one (0: the network's own).
inline Preprocessing with_input_size(Preprocessing preprocessing, Index input_size) {
  if (input_size > 0) preprocessing.input_size = input_size;
  return preprocessing;
}

// View `view` of image number `image`. View 0 is the whole image. The others are random resized
// crops: an area between `least_area` and all of the image's with a log-uniform aspect ratio
// between 3/4 and 4/3, at a uniform place, mirrored every other time; an image too narrow for the
// ratio gives its largest centred crop. The draw depends on (seed, image, view), `least_area` and
// the image's size alone.
ViewBox view_box(Index image_height, Index image_width, std::uint64_t seed, Index image, Index view,
                 double least_area = kLeastCropArea);

// The part of an image, resized to input_size x input_size and normalised: float32, three planes in
// the network's order of channels. `out` has room for them. Proportions are not kept, except for
// a whole image where the network says what to cut out of its centre (`crop_pct`).
void prepare_image(const Image& image, const ViewBox& box, const Preprocessing& preprocessing,
                   std::span<float> out);

}  // namespace assay
