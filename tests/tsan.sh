#!/usr/bin/env bash
# The suites whose code runs on several threads, under ThreadSanitizer. Suppressions, each with its reason: tests/tsan.supp.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
suites=(core_tests data_tests curve_tests extract_tests prior_tests)
cmake --preset tsan -DASSAY_BUILD_CLI=OFF -DASSAY_BUILD_EXAMPLES=OFF -DASSAY_WITH_TORCH=OFF -DASSAY_WITH_ONNX=OFF \
  -DASSAY_WITH_WEB=OFF >/dev/null
cmake --build --preset tsan -j "${JOBS:-$(nproc)}" --target "${suites[@]}"
for suite in "${suites[@]}"; do
  echo "tsan: $suite"
  TSAN_OPTIONS="halt_on_error=1 suppressions=$PWD/tests/tsan.supp" "build/tsan/tests/$suite" --gtest_brief=1
done
