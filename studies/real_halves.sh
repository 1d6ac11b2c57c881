#!/usr/bin/env bash
# Ranges and separations on random halves of real hubs (docs/study-coverage.md), resumable.
#   studies/real_halves.sh OUT.md HALVES DIRECTORY...     DIRECTORY holds DATASET/ and DATASET_labels.npy
set -euo pipefail
out=$1 halves=$2
shift 2
build=${BUILD:-build}
for folder in "$@"; do
  for labels in "$folder"/*_labels.npy; do
    name=$(basename "$labels" _labels.npy)
    [ -d "$folder/$name" ] || continue
    grep -qs "^| $name | consensus" "$out" && continue
    "$build/studies/real_halves_study" "$name" "$folder/$name" "$labels" "$halves" >>"$out" ||
      echo "real_halves: $name left out" >&2
  done
done
