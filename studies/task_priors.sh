#!/usr/bin/env bash
# Closed-form mean and variance against probes on sampled tasks (docs/study-task-priors.md).
#   studies/task_priors.sh FEATURES [PRIOR]     FEATURES/DATASET/NAME.npy; prior: mnv2_100_224
set -euo pipefail
features=${1:?usage: studies/task_priors.sh FEATURES [PRIOR]}
prior=${2:-mnv2_100_224}
assay=${ASSAY:-build/assay}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for folder in "$features"/*/; do
  dataset=$(basename "$folder")
  for sampler in prefix gibbs:5; do
    "$assay" prior sample "$folder/$prior.npy" --classes 2 --tasks 200 --sampler $sampler \
      --out "$work/tasks.npy" --quiet >/dev/null
    echo "== $dataset, $sampler"
    "$assay" prior probe "$folder" --tasks "$work/tasks.npy" --prior "$folder/$prior.npy" --quiet
  done
done
