#include "prior/label_free.h"

#include "assay/error.h"
#include "prior/alpha_req.h"
#include "prior/effective_rank.h"
#include "prior/lidar.h"

namespace assay {

LabelFree label_free(ThreadPool& pool, const RowSource& rows, Index views) {
  LabelFree out;
  try {
    out.rankme = rankme(pool, rows);
    out.alpha_req = alpha_req(pool, rows);
    if (views > 1) out.lidar = lidar(pool, rows, views);
  } catch (const Error&) {
    // Values beyond 1e60: their squares leave the range. The cosine kernel takes them.
  }
  return out;
}

}  // namespace assay
