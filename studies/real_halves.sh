#!/usr/bin/env bash
# Ranges and separations on random halves of real hubs (docs/study-coverage.md), resumable.
#   studies/real_halves.sh OUT.md SPLITS BOOTSTRAPS DIRECTORY...
# DIRECTORY holds DATASET/, DATASET_labels.npy and, where rows belong together, DATASET_groups.npy.
set -euo pipefail
out=$1 splits=$2 bootstraps=$3
shift 3
build=${BUILD:-build}
for folder in "$@"; do
  for labels in "$folder"/*_labels.npy; do
    name=$(basename "$labels" _labels.npy)
    [ -d "$folder/$name" ] || continue
    grep -qs "^| $name | consensus" "$out" && continue
    groups=$folder/${name}_groups.npy
    [ -f "$groups" ] || groups=
    "$build/studies/real_halves_study" "$name" "$folder/$name" "$labels" "$splits" "$bootstraps" ${groups:+"$groups"} \
      >>"$out" || echo "real_halves: $name left out" >&2
  done
done
