#!/usr/bin/env bash
# B-Tuning against its baselines on real networks (docs/guide/tune.md has the tables).
#   studies/tuning.sh HUB DATA [TARGET]      HUB: TorchScript networks; DATA/NAME: data sets with a test part
# Images are at most $SIZE pixels wide. What is done already is kept in $OUT (default: build/tuning), and a run that was killed goes on
# from its last epoch, so the study can be stopped and repeated at will. DATASETS, METHODS, TEACHERS, RUNS, EPOCHS and VIEWS change it.
set -euo pipefail
hub=$(realpath "${1:?usage: studies/tuning.sh HUB DATA [TARGET]}")
data=$(realpath "${2:?usage: studies/tuning.sh HUB DATA [TARGET]}")
target=${3:-mnv1_025_128}
assay=${ASSAY:-build/assay}
out=${OUT:-build/tuning}
size=${SIZE:-64}
mkdir -p "$out/hub-$size"

# The same networks, described for small images.
python3 - "$hub" "$out/hub-$size" "$size" <<'PY'
import json, pathlib, sys
hub, small = map(pathlib.Path, sys.argv[1:3])
entries = json.loads((hub / "hub.json").read_text())
for entry in entries:
    entry["input_size"] = min(entry["input_size"], int(sys.argv[3]))
    link = small / entry["file"]
    link.unlink(missing_ok=True)
    link.symlink_to(hub / entry["file"])
(small / "hub.json").write_text(json.dumps(entries))
PY

for dataset in ${DATASETS:-fashion_mnist cifar10 caltech101}; do
  for fit in ${FITS:-leave-one-out in-sample}; do
    json="$out/$target-$dataset-$size-$fit.json"
    [ -s "$json" ] && continue
    # In-sample teachers differ for B-Tuning alone; fine-tuning is there for the pairs.
    methods=${METHODS:-finetune,distill,b-tuning}
    [ "$fit" = in-sample ] && methods=finetune,b-tuning
    echo "== $target on $dataset, $size px, $fit"
    { time "$assay" tune "$out/hub-$size" --target "$target" --data "$data/$dataset" --teachers "${TEACHERS:-top:3;all}" \
      --method "$methods" --teacher-fit "$fit" --runs "${RUNS:-5}" --epochs "${EPOCHS:-12}" --schedule cosine \
      --views "${VIEWS:-2}" --threads "${THREADS:-2}" --quiet --json "$json.part"; } 2>&1 | tee "$json.log"
    mv "$json.part" "$json"
  done
done
