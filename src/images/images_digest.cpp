#include "images/images_digest.h"

#include <algorithm>
#include <span>
#include <vector>

#include "assay/digest.h"

namespace assay {

std::string images_digest(ThreadPool& pool, const ImageSource& images) {
  constexpr Index block = 64;
  const Index count = images.count();
  std::vector<std::string> digests(static_cast<std::size_t>(count));
  pool.run((count + block - 1) / block, [&](Index k) {
    for (Index i = k * block; i < std::min(count, (k + 1) * block); ++i)
      digests[static_cast<std::size_t>(i)] = images.digest(i);
  });
  Digest all;
  for (const std::string& digest : digests) all.update(std::as_bytes(std::span(digest)));
  return all.hex();
}

}  // namespace assay
