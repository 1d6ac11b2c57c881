#!/usr/bin/env bash
# B-Tuning against its baselines on real networks (docs/guide/tune.md has the tables).
#   studies/tuning.sh HUB DATA [TARGET]      HUB: TorchScript networks; DATA/NAME: data sets with a test part
# Images are at most 64 pixels wide and epochs few: minutes on two cores. JSON results go to $OUT (default: build/tuning).
set -euo pipefail
hub=$(realpath "${1:?usage: studies/tuning.sh HUB DATA [TARGET]}")
data=${2:?usage: studies/tuning.sh HUB DATA [TARGET]}
target=${3:-mnv1_025_128}
assay=${ASSAY:-build/assay}
out=${OUT:-build/tuning}
mkdir -p "$out/hub"

# The same networks, described for small images.
python3 - "$hub" "$out/hub" <<'EOF'
import json, pathlib, sys
hub, small = map(pathlib.Path, sys.argv[1:])
entries = json.loads((hub / "hub.json").read_text())
for entry in entries:
    entry["input_size"] = min(entry["input_size"], 64)
    link = small / entry["file"]
    link.unlink(missing_ok=True)
    link.symlink_to(hub / entry["file"])
(small / "hub.json").write_text(json.dumps(entries))
EOF

for dataset in ${DATASETS:-fashion_mnist caltech101}; do
  echo "== $target on $dataset"
  start=$SECONDS
  "$assay" tune "$out/hub" --target "$target" --data "$data/$dataset" --teachers 'top:3;all' \
    --method finetune,distill,b-tuning --runs "${RUNS:-3}" --epochs "${EPOCHS:-6}" --lr "${LR:-0.003}" \
    --views 2 --json "$out/$dataset.json"
  echo "running time: $((SECONDS - start)) s"
done
