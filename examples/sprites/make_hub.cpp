// Pre-trains the networks of the demo on one part of the world of sprites.
//
//   sprites_hub DIRECTORY
//
// writes DIRECTORY/NAME.pt (TorchScript) for each of them, then DIRECTORY/hub.json.

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>

#include "io/atomic_file.h"
#include "plan.h"
#include "train.h"

namespace sprites {
namespace {

namespace fs = std::filesystem;
using assay::Index;

constexpr Index kTraining = 6000;
constexpr Index kTest = 1000;
constexpr std::uint64_t kTrainingSeed = 1001;
constexpr std::uint64_t kTestSeed = 1002;
constexpr std::uint64_t kFirstNetworkSeed = 1;

nlohmann::ordered_json entry_of(const Plan& plan, const TrainedNetwork& network) {
  nlohmann::ordered_json entry = {{"name", plan.name},
                                  {"file", plan.name + ".pt"},
                                  {"backend", "torchscript"},
                                  {"input_size", kSide},
                                  {"input_scale", 255},
                                  {"channel_order", "RGB"},
                                  {"mean", std::vector(kChannels, kPixelMean)},
                                  {"std", std::vector(kChannels, kPixelDeviation)},
                                  {"feature_dim", plan.feature_dim()},
                                  {"classes", source_classes(plan.pretext)},
                                  {"params", network.params},
                                  {"licence", "Apache-2.0"},
                                  {"notes", described(plan)}};
  if (network.accuracy) entry["source_accuracy"] = *network.accuracy;
  return entry;
}

std::string report_of(const Plan& plan, const TrainedNetwork& network) {
  const std::string accuracy =
      network.accuracy ? fmt::format("; {:.1f} % right on new images", 100.0 * *network.accuracy)
                       : "";
  return fmt::format("  {:<16} {}{} ({:.1f} s)\n", plan.name, described(plan), accuracy,
                     network.seconds);
}

// The catalogue comes last: a hub without one was interrupted.
void make_hub(const fs::path& directory) {
  fs::create_directories(directory);
  fs::remove(directory / "hub.json");
  assay::ThreadPool pool(0);
  const Source source = {draw_scene(pool, source_part(), kTraining, kTrainingSeed),
                         draw_scene(pool, source_part(), kTest, kTestSeed)};
  const std::vector<Plan> plans = all_plans();
  fmt::print("training {} networks on {} sprites\n", plans.size(), kTraining);
  std::vector<nlohmann::ordered_json> entries(plans.size());
  std::mutex printing;
  pool.run(static_cast<Index>(plans.size()), [&](Index i) {
    const Plan& plan = plans[static_cast<std::size_t>(i)];
    const TrainedNetwork network =
        train_network(plan, source, kFirstNetworkSeed + static_cast<std::uint64_t>(i));
    assay::write_file_atomically(directory / (plan.name + ".pt"), {network.torchscript});
    entries[static_cast<std::size_t>(i)] = entry_of(plan, network);
    const std::lock_guard lock(printing);
    fmt::print("{}", report_of(plan, network));
    std::fflush(stdout);
  });
  assay::write_file_atomically(directory / "hub.json",
                               {nlohmann::ordered_json(entries).dump(1), "\n"});
}

}  // namespace
}  // namespace sprites

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: sprites_hub DIRECTORY\n");
    return 2;
  }
  try {
    sprites::make_hub(argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "sprites_hub: error: {}\n", error.what());
    return 2;
  }
  return 0;
}
