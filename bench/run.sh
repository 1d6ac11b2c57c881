#!/usr/bin/env bash
# Speed of build/assay against plain Python peers, then the micro-benchmarks. Options go to compare.py.
#   bench/run.sh [--repeat R] [--only logme|metrics|rank|prior] [--json FILE]        BUILD=dir for another build directory
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build}
data=$build/bench-data

for tool in "$build/assay" "$build/bench/assay_bench"; do
  [ -x "$tool" ] || { echo "bench: $tool is missing; run: make bench" >&2; exit 1; }
done

python=
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'import numpy' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || { echo "bench: no Python with NumPy found; install python3-numpy" >&2; exit 1; }

for file in {a,b,c}_{features,labels}.npy d_labels.npy e_{prior,model}.npy; do
  [ -f "$data/$file" ] || { "$python" bench/make_data.py "$data"; break; }
done

"$python" bench/compare.py --assay "$build/assay" --data "$data" "$@"
echo
"$build/bench/assay_bench" --benchmark_min_time=0.2
