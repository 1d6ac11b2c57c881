#!/usr/bin/env bash
# Runs every fuzz target, or those named, for some seconds each, or until so many executions, one after another at low priority:
#   tests/fuzz/run.sh BUILD_FOLDER SECONDS EXECUTIONS [TARGET...]
# EXECUTIONS 0: no end but the seconds. New inputs go to BUILD_FOLDER/corpus/TARGET, findings to BUILD_FOLDER/findings. Prints one
# line per target and fails when one has a finding. Crashes of libhdf5 itself, which the command contains in a process of its own
# and OSS-Fuzz looks for elsewhere, are counted in a column of their own and are no findings.
set -euo pipefail
build=$(realpath "$1"); seconds=$2 executions=$3; shift 3
here=$(cd "$(dirname "$0")" && pwd)
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(ls "$here/corpus")

# Bookkeeping of AddressSanitizer that costs more than half of the time here: copies of stack frames, which every exception walks
# over, and call stacks of allocations beyond four frames.
export ASAN_OPTIONS=detect_stack_use_after_return=0:malloc_context_size=4:quarantine_size_mb=16${ASAN_OPTIONS:+:$ASAN_OPTIONS}

# A target may need some memory (images, archives), but never much more than the limit that it sets itself.
fuzz() {  # fuzz TARGET OPTION...
  local target=$1
  shift
  nice -n 10 "$build/tests/fuzz/fuzz_$target" "$build/corpus/$target" "$here/corpus/$target" -max_total_time="$seconds" \
    -rss_limit_mb=1536 -timeout=60 -max_len=8192 -print_final_stats=1 -artifact_prefix="$build/findings/$target-" "$@" \
    >"$build/findings/$target.log" 2>&1
}

# libhdf5 crashes, leaks and loops on damaged files, so its target runs in processes that are started again.
fuzz_hdf5() {
  ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 fuzz hdf5 -fork=1 -ignore_crashes=1 -ignore_ooms=1 -ignore_timeouts=1 "$@"
}

# Crashes among the reports of a log: those whose call stack does not begin in libhdf5 (or in what it called), and those it does.
crashes_in() {  # crashes_in LOG
  awk '/ERROR: / {n++; frames = 0; next}
       n > counted && /^ *#[0-9]+ / {
         if (++frames > 6) {ours++; counted = n} else if (/libhdf5/) {theirs++; counted = n}
       }
       END {print ours + 0, theirs + 0}' "$1"
}

failed=0
printf '%-12s %12s %10s %9s %8s %11s\n' target executions 'per second' features crashes 'of libhdf5'
for target in "${targets[@]}"; do
  mkdir -p "$build/corpus/$target" "$build/findings"
  log=$build/findings/$target.log
  status=0 limit=() crashes=0 theirs='' begun=$SECONDS
  [ "$executions" -eq 0 ] || limit=(-runs="$executions")
  if [ "$target" = hdf5 ]; then
    fuzz_hdf5 "${limit[@]}" || status=$?
    read -r crashes theirs < <(crashes_in "$log")
    [ "$crashes" -eq 0 ] && status=0
    count=$(grep -oE '^#[0-9]+: cov' "$log" | tail -1 | tr -dc 0-9 || true)
  else
    fuzz "$target" "${limit[@]}" || { status=$?; crashes=1; }
    count=$(awk '/stat::number_of_executed_units/ {print $2}' "$log")
  fi
  speed=$((${count:-0} / (SECONDS - begun + 1)))
  features=$(grep -oE ' ft: [0-9]+' "$log" | tail -1 | tr -dc 0-9 || true)
  printf '%-12s %12s %10s %9s %8s %11s\n' "$target" "${count:-?}" "$speed" "${features:-?}" "$crashes" "$theirs"
  if [ $status -ne 0 ]; then failed=1; tail -n 30 "$log" >&2; fi
done
exit $failed
