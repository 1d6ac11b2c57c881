#include <cstdio>

#include "assay/version.h"
#include "metrics/logme.h"
#include "metrics/make_problem.h"

int main() {
  assay::ThreadPool pool(1);
  assay::Matrix features(6, 2);
  features << 1, 0, 2, 1, 0, 1, 3, 1, 1, 1, 0, 2;
  const std::vector<std::int64_t> ids = {0, 0, 1, 0, 1, 1};
  const assay::Problem problem =
      assay::make_problem(pool, *assay::rows_of_matrix(features, "features"),
                          assay::targets_of_classes(ids, "labels"), false, assay::Index{1} << 30);
  std::printf("assay %s: logme %.6f\n", assay::kVersion, assay::logme(problem).value);
}
