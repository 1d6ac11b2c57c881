#include "search/network_field.h"

#include <utility>

#include "core/clock.h"
#include "extract/extract_untimed.h"
#include "hub/open_rows.h"
#include "images/images_digest.h"
#include "search/race_order.h"

namespace assay {

NetworkField::NetworkField(ThreadPool& pool, const std::vector<NetworkSource>& networks,
                           Images images, std::string dataset, const ExtractOptions& options,
                           LookScorer& scorer)
    : pool_(pool),
      networks_(networks),
      images_(std::move(images)),
      dataset_(std::move(dataset)),
      options_(options),
      scorer_(scorer) {}

std::vector<std::string> NetworkField::names() const {
  std::vector<std::string> names;
  for (const NetworkSource& source : networks_) names.push_back(source.name);
  return names;
}

const ImageInput& NetworkField::block(Index begin, const std::vector<Index>& rows) {
  const std::pair key(begin, begin + static_cast<Index>(rows.size()));
  const auto known = blocks_.find(key);
  if (known != blocks_.end()) return known->second;
  ImageInput input{images_of_subset(images_, rows), dataset_, {}};
  input.digest = images_digest(pool_, *input.images);
  return blocks_.emplace(key, std::move(input)).first->second;
}

LookResult NetworkField::look(std::size_t model, const std::vector<Index>& looks) {
  const double started = monotonic_seconds();
  const std::vector<Index> rows = rows_of_look(scorer_.order(), looks);
  LookResult out;
  std::vector<Rows> parts;
  Index begin = 0;
  for (const Index end : looks) {
    const ImageInput& input = block(begin, {rows.begin() + begin, rows.begin() + end});
    const ExtractedModel found = extract_untimed(pool_, networks_[model], input, options_, {});
    parts.push_back(open_rows(found.outputs.front().shards));
    out.passes += found.computed;
    if (begin == 0 && looks.size() == 1) weights_.push_back(found.weights);
    begin = end;
  }
  const Rows all = rows_of_shards(std::move(parts));
  out.dim = all->cols();
  out.sighting = scorer_.score(networks_[model].name, all, looks);
  out.seconds = monotonic_seconds() - started;
  return out;
}

}  // namespace assay
