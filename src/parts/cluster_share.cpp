#include "parts/cluster_share.h"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "assay/error.h"
#include "parts/archive.h"

namespace assay {
namespace {

// What a rank sends to rank 0.
struct Delivery {
  std::string failure;  // empty: none
  std::string list;     // digest of its list of work
  std::vector<Index> units;
  std::vector<std::string> bytes;
  std::vector<std::string> errors;
};

template <class Archive>
void fields(Archive& archive, Delivery& delivery) {
  auto& [failure, list, units, bytes, errors] = delivery;
  archive(failure, list, units, bytes, errors);
}

std::string list_digest(WorkList list) {
  Packer packer;
  packer(list.name, list.units, list.data);
  std::string bytes = packer.take();
  return digest_of(bytes);
}

struct Received {
  std::vector<Delivery> deliveries;
  std::string problem;
};

void take(void* context, std::int32_t rank, const char* bytes, std::size_t size) {
  auto& received = *static_cast<Received*>(context);
  try {
    received.deliveries.push_back(unpacked<Delivery>(std::string_view(bytes, size)));
  } catch (const std::exception& error) {
    received.problem = fmt::format("rank {}: {}", rank, error.what());
  }
}

}  // namespace

bool ClusterShare::computes(Index unit) const {
  return gathered_ ? leads() : unit % cluster_.place.size == cluster_.place.rank;
}

void ClusterShare::keep(Index unit, UnitOutcome outcome) {
  const std::lock_guard lock(mutex_);
  outcomes_[unit] = std::move(outcome);
}

void ClusterShare::gather(const std::string& mine) {
  gathered_ = true;
  Received received;
  std::array<char, 512> error{};
  if (cluster_.calls->gather(mine.data(), mine.size(), take, &received, error.data(),
                             error.size()) != 0)
    fail_input(fmt::format("gathering the ranks' results: {}", error.data()));
  if (!leads()) throw ShareDone{};
  if (!received.problem.empty()) fail_input(received.problem);
  for (std::size_t i = 0; i < received.deliveries.size(); ++i) {
    Delivery& one = received.deliveries[i];
    if (!one.failure.empty()) fail_input(fmt::format("on rank {}: {}", i + 1, one.failure));
    if (one.list != list_digest(list_))
      fail_input(fmt::format("rank {} sees other models, labels or data than rank 0", i + 1));
    for (std::size_t u = 0; u < one.units.size(); ++u)
      outcomes_[one.units[u]] = {std::move(one.bytes[u]), std::move(one.errors[u])};
  }
}

void ClusterShare::complete() {
  if (gathered_) return;
  Delivery mine;
  if (!leads()) {
    mine.list = list_digest(list_);
    for (auto& [unit, outcome] : outcomes_) {
      mine.units.push_back(unit);
      mine.bytes.push_back(std::move(outcome.bytes));
      mine.errors.push_back(std::move(outcome.error));
    }
  }
  gather(packed(mine));
}

void ClusterShare::alone() {
  gathered_ = true;
  if (!leads()) throw ShareDone{};
}

std::optional<UnitOutcome> ClusterShare::outcome(Index unit) const {
  const auto at = outcomes_.find(unit);
  if (at == outcomes_.end()) return {};
  return at->second;
}

void ClusterShare::failed(const std::string& message) {
  if (gathered_ || leads()) return;
  Delivery mine;
  mine.failure = message;
  try {
    gather(packed(mine));
  } catch (const ShareDone&) {  // as it should be
  }
}

}  // namespace assay
