// Images per second through a network: each thread runs batches of its own.
//   assay_forward NETWORK [--size 128] [--batch 8] [--threads 1] [--seconds 3]
#include <fmt/format.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

#include "assay/error.h"
#include "core/clock.h"
#include "core/random.h"
#include "net/open_network.h"

namespace {

using assay::Index;

double option(int argc, char** argv, const std::string& name, double usual) {
  for (int i = 2; i + 1 < argc; i += 2) {
    if (argv[i] == "--" + name) return std::atof(argv[i + 1]);
  }
  return usual;
}

std::vector<float> random_images(Index count, Index size) {
  assay::Random random(1);
  std::vector<float> pixels(static_cast<std::size_t>(count * 3 * size * size));
  for (float& pixel : pixels) pixel = static_cast<float>(random.normal());
  return pixels;
}

double images_per_second(assay::Network& network, const assay::ImageBatch& batch, int threads,
                         double seconds) {
  const std::vector<std::string> wanted = {"features"};
  constexpr int warm_up = 4;
  for (int i = 0; i < warm_up; ++i) network.forward(batch, wanted);
  std::atomic<Index> images = 0;
  const double started = assay::monotonic_seconds();
  {
    std::vector<std::jthread> team;
    for (int i = 0; i < threads; ++i) {
      team.emplace_back([&] {
        while (assay::monotonic_seconds() - started < seconds) {
          network.forward(batch, wanted);
          images += batch.count;
        }
      });
    }
  }
  return static_cast<double>(images) / (assay::monotonic_seconds() - started);
}

}  // namespace

int main(int argc, char** argv) {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);  // as the command does: pages are kept, not faulted in again
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  try {
    if (argc < 2) assay::fail_input("usage: assay_forward NETWORK [--size S] [--batch B] ...");
    const auto size = static_cast<Index>(option(argc, argv, "size", 128));
    const auto count = static_cast<Index>(option(argc, argv, "batch", 8));
    const auto network = assay::open_network(assay::default_description(argv[1]));
    const std::vector<float> pixels = random_images(count, size);
    const int threads = static_cast<int>(option(argc, argv, "threads", 1));
    fmt::print("{:.1f}\n", images_per_second(*network, {pixels.data(), count, 3, size, size},
                                             threads, option(argc, argv, "seconds", 3)));
  } catch (const std::exception& error) {
    fmt::print(stderr, "assay_forward: {}\n", error.what());
    return 2;
  }
}
