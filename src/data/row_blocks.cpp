#include "data/row_blocks.h"

#include <algorithm>
#include <numeric>

#include "data/check_finite.h"

namespace assay {

void for_row_ranges(ThreadPool& pool, const RowSource& rows,
                    const std::function<void(const std::vector<Index>& part)>& use) {
  pool.run((rows.rows() + kRowsPerTask - 1) / kRowsPerTask, [&](Index task) {
    const Index first = task * kRowsPerTask;
    std::vector<Index> part(static_cast<std::size_t>(std::min(kRowsPerTask, rows.rows() - first)));
    std::iota(part.begin(), part.end(), first);
    use(part);
  });
}

void for_row_blocks(ThreadPool& pool, const RowSource& rows,
                    const std::function<void(Index first, const Matrix& samples)>& use) {
  for_row_ranges(pool, rows, [&](const std::vector<Index>& part) {
    Matrix samples(rows.cols(), static_cast<Index>(part.size()));
    rows.read(part, samples.data());
    for (std::size_t k = 0; k < part.size(); ++k)
      checked_magnitude(rows, part[k], samples.col(static_cast<Index>(k)).data());
    use(part.front(), samples);
  });
}

}  // namespace assay
