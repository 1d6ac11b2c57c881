#include "curve/export_subsets.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "assay/error.h"
#include "io/atomic_file.h"
#include "io/npy.h"

namespace assay {

void export_subsets(const std::filesystem::path& directory, const Targets& targets,
                    const Split& split, std::span<const Index> sizes,
                    std::span<const std::vector<Index>> orders) {
  std::error_code failure;
  std::filesystem::create_directories(directory, failure);
  if (failure) {
    throw Error(ErrorCode::io,
                fmt::format("{}: cannot create: {}", directory.string(), failure.message()));
  }
  nlohmann::ordered_json json = {
      {"labels", targets.where},
      {"train_rows", split.train.size()},
      {"validation_rows", split.held_out.size()},
      {"sizes", std::vector<Index>(sizes.begin(), sizes.end())},
      {"seeds", nlohmann::ordered_json::array()},
      {"how_to",
       "for every seed S and size n: train on the first n rows of order_seed_S.npy, take the loss "
       "on the rows of validation_rows.npy (your own validation data if there are none), write "
       "name,seed,samples,val_loss to a CSV and run `assay curve measure` on it"}};
  for (std::size_t seed = 0; seed < orders.size(); ++seed) {
    std::vector<Index> rows;
    for (const Index position : orders[seed])
      rows.push_back(split.train[static_cast<std::size_t>(position)]);
    write_npy(directory / fmt::format("order_seed_{}.npy", seed), std::span<const Index>(rows));
    json["seeds"].push_back(seed);
  }
  write_npy(directory / "validation_rows.npy", std::span<const Index>(split.held_out));
  write_file_atomically(directory / "subsets.json", {json.dump(2), "\n"});
}

}  // namespace assay
