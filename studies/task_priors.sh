#!/usr/bin/env bash
# What foretells the accuracy of linear probes without labels (docs/study-task-priors.md): closed forms and label-free numbers
# against probes on 200 sampled tasks and against the true task.
#   studies/task_priors.sh HUB [PRIOR...]
# HUB/DATASET/NAME.npy, HUB/DATASET_labels.npy, HUB/DATASET_truth.csv; priors: names of models, mnv2_100_224 if none.
set -uo pipefail  # a model that a kernel refuses is left out (exit code 1): the others count
hub=${1:?usage: studies/task_priors.sh HUB [PRIOR...]}
shift
priors=("${@:-mnv2_100_224}")
assay=${ASSAY:-build/assay}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for folder in "$hub"/*/; do
  dataset=$(basename "$folder")
  folder=${folder%/}
  "$assay" rank "$folder" --labels "$folder"_labels.npy --metric logme --ci 0 --quiet --json "$work/rank.json" >/dev/null
  for prior in "${priors[@]}"; do
    file=$folder/$prior.npy
    "$assay" prior score "$folder" --prior "$file" --probe-r2 0 --quiet --json "$work/score.json" >/dev/null
    "$assay" prior score "$folder" --prior "$file" --probe-r2 off --no-label-free --model-kernel ridge --quiet \
      --json "$work/ridge.json" >/dev/null
    for sampler in prefix gibbs:20; do
      "$assay" prior sample "$file" --tasks 200 --sampler $sampler --out "$work/tasks.npy" --quiet \
        --json "$work/sample.json" >/dev/null
      "$assay" prior probe "$folder" --tasks "$work/tasks.npy" --prior "$file" --quiet --json "$work/probe.json" >/dev/null
      python3 "$here/task_priors_table.py" "$assay" "$work" "$dataset" "$prior" "$sampler" "$folder"_truth.csv
    done
  done
done
