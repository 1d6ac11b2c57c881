#!/usr/bin/env bash
# Do the intervals of `assay curve` hold the truth, inside the data and beyond? On pools of six real data sets; docs/study-labels.md.
#
#     studies/labels_needed.sh BUILD HUB TEXT_HUB OUT [POOLS] [ridge|linear]
#
# HUB and TEXT_HUB as in docs/real-hub.md. OUT keeps a journal of probes, so a study that was stopped goes on, and
# OUT/PROBE.csv, a line per pool and target. POOLS a data set (default 40).
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 hub=$2 text=$3 out=$4 pools=${5:-40} probe=${6:-ridge}
mkdir -p "$out"
export OPENBLAS_NUM_THREADS=1
"${PYTHON:-python3}" studies/labels_needed_table.py prepare "$hub" "$out"
run() { # name, features, labels, rows of a pool, groups
  "$build/studies/labels_needed_study" "$1" "$2" "$3" "$4" "$pools" "$out/journal" "${5:--}" "$probe"
}
{
  run trec "$out/trec.npy" "$out/trec_coarse.npy" 400
  run trec_fine "$out/trec_fine_rows.npy" "$out/trec_fine.npy" 500
  run digits "$out/digits.npy" "$out/digits_labels.npy" 180
  run cifar10 "$out/cifar10.npy" "$out/cifar10_labels.npy" 150
  run caltech101 "$hub/features/caltech101/shufflenetv2_05_backbone.npy" "$hub/features/caltech101_labels.npy" 300
  run ewt_pos "$text/features/ewt_pos/glove100.npy" "$text/features/ewt_pos_labels.npy" 450 \
    "$text/features/ewt_pos_groups.npy"
} >"$out/$probe.csv"
"${PYTHON:-python3}" studies/labels_needed_table.py table "$out/$probe.csv"
