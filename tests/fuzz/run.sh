#!/usr/bin/env bash
# Runs every fuzz target, or those named, for some seconds each, one after another at the lowest priority:
#   tests/fuzz/run.sh BUILD_FOLDER SECONDS [TARGET...]
# New inputs go to BUILD_FOLDER/corpus/TARGET, findings to BUILD_FOLDER/findings. Prints one line per target and fails when one
# has a finding.
set -euo pipefail
build=$(realpath "$1"); seconds=$2; shift 2
here=$(cd "$(dirname "$0")" && pwd)
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(ls "$here/corpus")
failed=0
printf '%-12s %12s %10s %9s %8s\n' target executions 'per second' features crashes
for target in "${targets[@]}"; do
  mkdir -p "$build/corpus/$target" "$build/findings"
  log=$build/findings/$target.log
  # A target may need some memory (images, archives), but never more than twice what its limit of 256 MiB lets it read.
  status=0
  nice -n 19 "$build/tests/fuzz/fuzz_$target" "$build/corpus/$target" "$here/corpus/$target" \
    -max_total_time="$seconds" -rss_limit_mb=1536 -timeout=20 -max_len=65536 -print_final_stats=1 \
    -artifact_prefix="$build/findings/$target-" >"$log" 2>&1 || status=$?
  executions=$(awk '/stat::number_of_executed_units/ {print $2}' "$log")
  speed=$(awk '/stat::average_exec_per_sec/ {print $2}' "$log")
  features=$(grep -o 'ft: [0-9]*' "$log" | tail -1 | cut -c5- || true)
  crashes=$([ $status -eq 0 ] && echo 0 || echo 1)
  printf '%-12s %12s %10s %9s %8s\n' "$target" "${executions:-?}" "${speed:-?}" "${features:-?}" "$crashes"
  if [ $status -ne 0 ]; then failed=1; tail -n 30 "$log" >&2; fi
done
exit $failed
