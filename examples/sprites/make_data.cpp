// Draws the data sets that the networks of the demo are ranked for: five questions about the same
// sprites, of shapes and textures that no network has seen.
//
//   sprites_data DIRECTORY
//
// writes DIRECTORY/{shapes,textures,scale,orientation,position}, each with train_images.npy,
// train_labels.npy, test_images.npy and test_labels.npy as `assay --data` reads them.

#include <fmt/format.h>

#include <exception>
#include <filesystem>

#include "world.h"
#include "write_questions.h"

namespace sprites {
namespace {

namespace fs = std::filesystem;
using assay::Index;

constexpr Index kImages = 1000;  // in the training part and in the test part
constexpr std::uint64_t kTrainingSeed = 2001;
constexpr std::uint64_t kTestSeed = 2002;

void make_data(const fs::path& directory) {
  assay::ThreadPool pool(0);
  write_questions(directory, "train", draw_scene(pool, target_part(), kImages, kTrainingSeed));
  write_questions(directory, "test", draw_scene(pool, target_part(), kImages, kTestSeed));
  fmt::print("five questions about {} sprites to learn from and {} to test on\n", kImages, kImages);
}

}  // namespace
}  // namespace sprites

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: sprites_data DIRECTORY\n");
    return 2;
  }
  try {
    sprites::make_data(argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "sprites_data: error: {}\n", error.what());
    return 2;
  }
  return 0;
}
