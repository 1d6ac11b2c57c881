#!/usr/bin/env bash
# Runs the recipes of this folder on a small hub and compares with one run.   examples/cluster/run.sh [build folder]
# The array is played: what Slurm gives a task is in its environment. What is not installed is skipped, and said.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${1:-build}")
export ASSAY=$build/assay
python=$(tools/find_python.sh)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "cluster: FAILED: $*" >&2; exit 1; }
timeless() { sed -e '/"provenance"/,$d' -e '/"seconds"/d' "$1"; }

"$python" - "$work" <<'END'
import pathlib, sys
import numpy as np
work = pathlib.Path(sys.argv[1])
(work / "hub").mkdir()
rng = np.random.default_rng(0)
y = rng.integers(0, 4, 600)
for k, name in enumerate(["a", "b", "c"]):
    np.save(work / "hub" / f"{name}.npy", np.eye(16)[y] + (1.0 + k) * rng.normal(size=(600, 16)))
np.save(work / "y.npy", y)
END
"$ASSAY" rank "$work/hub" --labels "$work/y.npy" --json "$work/one.json" >/dev/null

export HUB=$work/hub LABELS=$work/y.npy PARTS=$work/parts
for task in 1 2; do
  SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=2 SLURM_NTASKS=1 sh examples/cluster/rank.sbatch 2>/dev/null
done
"$ASSAY" merge "$PARTS"/*.json --json "$work/array.json" >/dev/null
diff <(timeless "$work/one.json") <(timeless "$work/array.json") || fail "the array gives another result"
echo "cluster: Slurm array: the result of one run"

if command -v parallel >/dev/null; then
  sh examples/cluster/parallel_rank.sh "$HUB" "$LABELS" 3 "$work/parallel.json" >/dev/null
  diff <(timeless "$work/one.json") <(timeless "$work/parallel.json") || fail "GNU parallel gives another result"
  echo "cluster: GNU parallel: the result of one run"
else
  echo "cluster: GNU parallel: skipped, not installed"
fi

if PYTHONPATH=$build/python "$python" -c 'import distributed, assay' 2>/dev/null; then
  PYTHONPATH=$build/python "$python" examples/cluster/dask_rank.py "$HUB" "$LABELS" --rows 250 --json "$work/dask.json" >/dev/null
  PYTHONPATH=$build/python "$python" - "$work" <<'END'
import sys
import numpy as np
import assay
work = sys.argv[1]
features = {name: np.load(f"{work}/hub/{name}.npy") for name in "abc"}
found, whole = assay.load(f"{work}/dask.json"), assay.rank(features, np.load(f"{work}/y.npy"), metrics="logme")
for name, value in whole.scores("logme").items():
    assert abs(found.scores("logme")[name] - value) < 1e-9, (name, value)
END
  echo "cluster: Dask: the values of one run"
else
  echo "cluster: Dask: skipped, no python3-distributed or no Python module (make python)"
fi
