#include "image_hub.h"

#include <cstdlib>
#include <vector>

#include "../io/files.h"
#include "core/random.h"
#include "net/open_network.h"

namespace assay::test {

namespace fs = std::filesystem;

ImageHub::ImageHub() {
  ::setenv("ASSAY_CACHE", (folder_ / "cache").c_str(), 1);
  fs::create_directories(hub_);
  fs::create_directories(data_);
  write_images("train", kTrain, 1);
  write_images("test", kTest, 2);
}

ImageHub::~ImageHub() { ::unsetenv("ASSAY_CACHE"); }

void ImageHub::SetUp() {
  if (!find_plugin(Backend::torchscript))
    GTEST_SKIP() << missing_plugin_message(Backend::torchscript);
}

void ImageHub::add(const std::string& name, const std::string& file, Index classes) {
  const std::string own = name + fs::path(file).extension().string();
  fs::copy_file(golden("net/" + file), hub_ / own);
  entries_.push_back({{"name", name}, {"file", own}, {"input_size", 8}, {"classes", classes}});
  write_text(hub_ / "hub.json", entries_.dump());
}

void ImageHub::write_images(const std::string& part, Index count, std::uint64_t seed) {
  constexpr Index pixels_per_image = 8 * 8 * 3;
  Random random(seed);
  std::string pixels;
  std::vector<std::int64_t> labels;
  std::vector<double> levels;
  for (Index i = 0; i < count; ++i) {
    labels.push_back(i % 2);
    const double level = i % 2 == 0 ? 60.0 : 140.0;
    levels.push_back(level + static_cast<double>(i % 3));
    for (Index k = 0; k < pixels_per_image; ++k)
      pixels.push_back(static_cast<char>(level + 100.0 * random.uniform()));
  }
  const std::string n = std::to_string(count);
  write_text(data_ / (part + "_images.npy"), npy("'|u1'", "(" + n + ", 8, 8, 3)", pixels));
  write_text(data_ / (part + "_labels.npy"),
             npy("'<i8'", "(" + n + ",)", bytes_of<std::int64_t>(labels)));
  levels_[part] = npy("'<f8'", "(" + n + ",)", bytes_of<double>(levels));
}

}  // namespace assay::test
