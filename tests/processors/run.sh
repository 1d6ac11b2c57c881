#!/usr/bin/env bash
# The numeric suites, and the demo's ranking, under the kernels of every processor that this one can imitate: OpenBLAS's by
# OPENBLAS_CORETYPE, our own loops by ASSAY_VECTOR_LEVEL. Cores and levels that this processor cannot run are skipped by name.
#   tests/processors/run.sh [build directory]
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${1:-build}")
suites=(linalg stats data learn metrics prior robust curve rank evaluate)
results=$build/processors
rm -rf "$results"
mkdir -p "$results"
python=$(tools/find_python.sh)

"$build/examples/digits_hub" examples/digits/digits.npy "$results/demo" >/dev/null
failed=0
passed=0
skipped=0

# one LABEL VARIABLE=VALUE: all suites and the demo in that environment.
one() {
  local label=$1 setting=$2 bad=0 suite
  for suite in "${suites[@]}"; do
    if ! env "$setting" "$build/tests/${suite}_tests" --gtest_brief=1 >"$results/$label-$suite.log" 2>&1; then
      bad=$((bad + 1))
      grep -aE '^\[  FAILED  \]' "$results/$label-$suite.log" | sort -u >&2 || tail -5 "$results/$label-$suite.log" >&2
    fi
  done
  env "$setting" "$build/assay" --quiet rank "$results/demo/hub" --labels "$results/demo/labels.npy" --controls \
    --json "$results/$label.json" >"$results/$label.txt" || bad=$((bad + 1))
  echo "processors: $label: $((${#suites[@]} - bad)) of ${#suites[@]} suites passed"
  if [ "$bad" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

for core in Prescott Nehalem Sandybridge Haswell Zen SkylakeX Cooperlake Sapphirerapids; do
  used=$(bash -c 'OPENBLAS_CORETYPE=$0 exec "$1"' "$core" "$build/tests/blas_core" 2>/dev/null) || used=
  used=${used%% *}
  if [ -z "$used" ]; then
    echo "processors: $core: skipped, this processor cannot run its kernels"
    skipped=$((skipped + 1))
    continue
  fi
  if [ "${used,,}" != "${core,,}" ]; then
    echo "processors: $core: skipped, OpenBLAS runs $used here"
    skipped=$((skipped + 1))
    continue
  fi
  one "$core" "OPENBLAS_CORETYPE=$core"
done
for level in baseline v3 v4; do
  if ! ASSAY_VECTOR_LEVEL=$level "$build/tests/blas_core" >/dev/null 2>&1; then
    echo "processors: level $level: skipped, this processor does not have it"
    skipped=$((skipped + 1))
    continue
  fi
  one "level-$level" "ASSAY_VECTOR_LEVEL=$level"
done
"$python" tests/processors/compare.py "$results"/*.json || failed=$((failed + 1))
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
