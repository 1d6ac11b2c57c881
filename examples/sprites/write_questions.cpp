#include "write_questions.h"

#include <cmath>
#include <functional>
#include <vector>

#include "io/npy.h"

namespace sprites {
namespace {

namespace fs = std::filesystem;
using assay::Index;

void write_images(const fs::path& path, const Scene& scene) {
  const std::array shape = {static_cast<Index>(scene.sprites.size()), kSide, kSide, kChannels};
  assay::write_npy(path, assay::ElementType::u8, shape, std::as_bytes(std::span(scene.images)));
}

void write_classes(const fs::path& path, const Scene& scene,
                   const std::function<Index(const Sprite&)>& class_of) {
  std::vector<Index> classes;
  for (const Sprite& sprite : scene.sprites) classes.push_back(class_of(sprite));
  assay::write_npy(path, classes);
}

void write_values(const fs::path& path, const Scene& scene,
                  const std::function<std::vector<double>(const Sprite&)>& values_of) {
  std::vector<float> values;
  std::size_t columns = 0;
  for (const Sprite& sprite : scene.sprites) {
    const std::vector<double> row = values_of(sprite);
    columns = row.size();
    for (const double value : row) values.push_back(static_cast<float>(value));
  }
  assay::write_npy(path, values, static_cast<Index>(columns));
}

}  // namespace

void write_questions(const fs::path& directory, const std::string& part, const Scene& scene) {
  const auto labels = [&](const char* question) {
    fs::create_directories(directory / question);
    write_images(directory / question / (part + "_images.npy"), scene);
    return directory / question / (part + "_labels.npy");
  };
  write_classes(labels("shapes"), scene,
                [](const Sprite& sprite) { return static_cast<Index>(sprite.shape); });
  write_classes(labels("textures"), scene,
                [](const Sprite& sprite) { return static_cast<Index>(sprite.texture); });
  write_values(labels("scale"), scene,
               [](const Sprite& sprite) { return std::vector{sprite.scale / kSide}; });
  write_values(labels("orientation"), scene, [](const Sprite& sprite) {
    return std::vector{std::cos(sprite.orientation), std::sin(sprite.orientation)};
  });
  write_values(labels("position"), scene, [](const Sprite& sprite) {
    return std::vector{sprite.x / kSide, sprite.y / kSide};
  });
}

}  // namespace sprites
