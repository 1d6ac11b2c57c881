#!/usr/bin/env python3
"""Does a change of the code change a number? Runs the same commands with two builds of `assay` on
data made here and compares their JSON, but for provenance and seconds.

    tools/same_numbers.py OLD/assay NEW/assay        exit 1 and the first differences when they differ
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

SECONDS = ("seconds", "provenance")


def make_data(folder):
    rng = np.random.default_rng(0)
    hub, held = folder / "hub", folder / "held"
    hub.mkdir()
    held.mkdir()
    labels = rng.integers(0, 4, 400)
    test_labels = rng.integers(0, 4, 120)
    centres = rng.normal(size=(4, 12))
    for k, noise in enumerate((0.5, 1.0, 2.0, 4.0)):
        for out, y in ((hub, labels), (held, test_labels)):
            x = centres[y] + noise * rng.normal(size=(len(y), 12))
            np.save(out / f"model{k}.npy", x.astype(np.float32 if k % 2 else np.float64))
    wide = centres[labels] @ rng.normal(size=(12, 600)) + 3.0 * rng.normal(size=(400, 600))
    np.save(folder / "wide.npy", wide.astype(np.float32))
    np.save(folder / "labels.npy", labels)
    np.save(folder / "test_labels.npy", test_labels)
    np.save(folder / "groups.npy", np.arange(400) // 4)
    np.save(folder / "values.npy", 50.0 + centres[labels][:, :1] + 0.3 * rng.normal(size=(400, 1)))
    np.save(folder / "several.npy", (rng.random((400, 3)) < 0.4).astype(np.uint8))
    scales = np.array([0.5, 1.0, 2.0])
    z = rng.normal(size=(3, 2, 200, 6))
    side = rng.integers(0, 2, (3, 2, 200))
    z[..., 0] += (2.0 * side - 1.0) * scales[:, None, None]
    np.savez(folder / "synthetic.npz", scales=scales, train=z[:, 0].astype(np.float32),
             test=z[:, 1].astype(np.float32), train_labels=side[:, 0], test_labels=side[:, 1])
    (folder / "truth.csv").write_text("name,accuracy\nmodel0,0.95\nmodel1,0.8\nmodel2,0.7\nmodel3,0.4\n")


COMMANDS = {
    "rank": "rank hub --labels labels.npy --controls --truth truth.csv",
    "rank-all": "rank hub --labels labels.npy --metric all",
    "rank-refit": "rank hub --labels labels.npy --jackknife refit --metric logme,hscore,transrate",
    "rank-groups": "rank hub --labels labels.npy --groups groups.npy",
    "rank-draws": "rank hub --labels labels.npy --subsample 10/class:5 --truth truth.csv",
    "rank-values": "rank hub --labels values.npy --metric all",
    "rank-several": "rank hub --labels several.npy --metric all",
    "rank-wide": "rank wide.npy hub/model0.npy --labels labels.npy --metric all --fixed-points",
    "rank-accuracy": "rank hub --labels labels.npy --accuracy",
    "truth": "truth hub --labels labels.npy --runs 3 --out truth_out.csv",
    "truth-test": "truth hub --labels labels.npy --test held --test-labels test_labels.npy --runs 2",
    "predict": "predict held/model0.npy --fit hub/model0.npy --labels labels.npy --anchors hub/model2.npy",
    "predict-values": "predict held/model0.npy --fit hub/model0.npy --labels values.npy",
    "curve": "curve hub --labels labels.npy --seeds 2 --no-journal --target-accuracy 0.8 --curves curves.csv",
    "curve-mlp": "curve hub/model0.npy --labels labels.npy --probe mlp --hidden 16 --updates 200 --seeds 2 "
                 "--sizes 4 --no-journal",
    "curve-refine": "curve hub --labels labels.npy --seeds 2 --no-journal --refine --certify 0.1 --epsilon 0.5",
    "curve-values": "curve hub --labels values.npy --seeds 2 --no-journal",
    "curve-own": "curve hub --labels labels.npy --validation held --validation-labels test_labels.npy --seeds 2 "
                 "--no-journal",
    "curve-measure": "curve measure curves.csv --classes 4 --epsilon 0.5,0.8",
    "prior-score": "prior score hub --prior hub/model0.npy --labels labels.npy",
    "prior-labels": "prior score hub --prior labels:labels.npy --temperature 0.5",
    "prior-sample": "prior sample hub/model0.npy --tasks 20 --classes 3 --out tasks.npy",
    "prior-probe": "prior probe hub --tasks tasks.npy --prior hub/model1.npy",
    "robust": "robust score --representations synthetic.npz",
    "evaluate": "evaluate --scores truth.csv --truth truth.csv",
}


def stripped(value):
    if isinstance(value, dict):
        return {k: stripped(v) for k, v in value.items() if k not in SECONDS and "seconds" not in k}
    if isinstance(value, list):
        return [stripped(v) for v in value]
    return value


def run(binary, words, folder):
    done = subprocess.run([binary, *words.split(), "--json", "out.json", "--threads", "2"], cwd=folder,
                          capture_output=True, text=True)
    out = folder / "out.json"
    result = stripped(json.loads(out.read_text())) if out.exists() else None
    out.unlink(missing_ok=True)
    return done.returncode, result, done.stderr


def first_difference(a, b, where="$"):
    if type(a) is not type(b):
        return f"{where}: {a!r} | {b!r}"
    if isinstance(a, dict):
        for key in list(a) + [k for k in b if k not in a]:
            if key not in a or key not in b:
                return f"{where}.{key}: only in one"
            if found := first_difference(a[key], b[key], f"{where}.{key}"):
                return found
        return None
    if isinstance(a, list):
        if len(a) != len(b):
            return f"{where}: {len(a)} | {len(b)} entries"
        return next((f for i, (x, y) in enumerate(zip(a, b)) if (f := first_difference(x, y, f"{where}[{i}]"))), None)
    return None if a == b else f"{where}: {a!r} | {b!r}"


def main(old, new):
    differ = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_data(folder)
        for title, words in COMMANDS.items():
            before = run(old, words, folder)
            after = run(new, words, folder)
            problem = None
            if before[0] != after[0]:
                problem = f"exit {before[0]} | {after[0]}: {after[2].strip()[:300]}"
            elif before[1] is None:
                problem = f"no JSON: {before[2].strip()[:300]}"
            else:
                problem = first_difference(before[1], after[1])
            differ += problem is not None
            print(f"{title:16} {problem or 'same'}", flush=True)
    print(f"{len(COMMANDS) - differ} of {len(COMMANDS)} the same")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(*(str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])))
