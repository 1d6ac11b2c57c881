#include "curve/export_subsets.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "assay/error.h"
#include "io/atomic_file.h"
#include "io/npy.h"

namespace assay {

void export_subsets(const std::filesystem::path& directory, const Targets& targets,
                    std::span<const Index> sizes, std::span<const std::vector<Index>> orders,
                    std::span<const std::vector<Index>> held_out) {
  std::error_code failure;
  std::filesystem::create_directories(directory, failure);
  if (failure) {
    throw Error(ErrorCode::io,
                fmt::format("{}: cannot create: {}", directory.string(), failure.message()));
  }
  nlohmann::ordered_json json = {
      {"labels", targets.where},
      {"train_rows", orders.front().size()},
      {"validation_rows", held_out.front().size()},
      {"sizes", std::vector<Index>(sizes.begin(), sizes.end())},
      {"seeds", nlohmann::ordered_json::array()},
      {"how_to",
       "for every seed S and size n: train on the first n rows of order_seed_S.npy, take the loss "
       "on the rows of validation_rows_seed_S.npy (your own validation data if there are none), "
       "write name,seed,samples,val_loss to a CSV and run `assay curve measure` on it"}};
  for (std::size_t seed = 0; seed < orders.size(); ++seed) {
    write_npy(directory / fmt::format("order_seed_{}.npy", seed),
              std::span<const Index>(orders[seed]));
    write_npy(directory / fmt::format("validation_rows_seed_{}.npy", seed),
              std::span<const Index>(held_out[seed]));
    json["seeds"].push_back(seed);
  }
  write_file_atomically(directory / "subsets.json", {json.dump(2), "\n"});
}

}  // namespace assay
