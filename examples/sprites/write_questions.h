#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "world.h"

namespace sprites {

struct Question {
  const char* name = "";
  bool classes = true;  // else numbers
};

// The data sets of write_questions.
inline constexpr std::array kQuestions = {Question{"shapes", true}, Question{"textures", true},
                                          Question{"scale", false}, Question{"orientation", false},
                                          Question{"position", false}};

// Writes `part` ("train" or "test") of five data sets as `assay --data` reads them: the same
// images, and another question about them in each folder of `directory`.
//
//   shapes, textures   classes, the number of the shape and of the texture
//   scale              as a share of the image's side
//   orientation        cosine and sine, since just below a full turn is close to none
//   position           x and y of the centroid from the upper left, as shares of the image's side
void write_questions(const std::filesystem::path& directory, const std::string& part,
                     const Scene& scene);

}  // namespace sprites
