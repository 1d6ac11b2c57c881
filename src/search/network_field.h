#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "assay/extract.h"
#include "assay/network.h"
#include "search/look_scorer.h"
#include "search/race.h"

namespace assay {

// A race of networks on images: what it saves is running them. The images that a look adds are an
// entry of the cache of their own, so that a race that was interrupted, or is run again with more
// to spend, pays for nothing twice.
class NetworkField : public RaceField {
 public:
  // All must outlive the field.
  NetworkField(ThreadPool& pool, const std::vector<NetworkSource>& networks, Images images,
               std::string dataset, const ExtractOptions& options, LookScorer& scorer);

  std::vector<std::string> names() const override;
  LookResult look(std::size_t model, const std::vector<Index>& looks) override;
  bool side_by_side() const override { return false; }  // images are the tasks of the pool

  // Weights of those that were run.
  const std::vector<FileDigest>& weights() const { return weights_; }

 private:
  const ImageInput& block(Index begin, const std::vector<Index>& rows);

  ThreadPool& pool_;
  const std::vector<NetworkSource>& networks_;
  Images images_;
  std::string dataset_;
  const ExtractOptions& options_;
  LookScorer& scorer_;
  std::map<std::pair<Index, Index>, ImageInput> blocks_;  // by first and last sample
  std::vector<FileDigest> weights_;
};

}  // namespace assay
