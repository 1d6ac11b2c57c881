#!/usr/bin/env python3
"""Figure 12 of the LogME paper: does a head with a searched penalty rank models as well as LogME?

    head_search.py ASSAY OUT HUB...        HUB/DATASET/MODEL.npy, HUB/DATASET_labels.npy, HUB/DATASET_truth.csv; needs NumPy

Of every model a ridge head (one-hot classes, or numbers) is fitted to 80 % of the rows under 16 penalties, 10^-6 to 10^4 of the mean square of the
features, and judged on the others; a model's score after k trials is the best of k penalties tried in random order. The weighted tau of these scores with
the measured accuracy, mean over 20 orders and 3 splits, stands beside that of LogME on all rows, which tries nothing. The paper's heads are softmax
regressions; these are solved from one decomposition. Results of each data set are kept in OUT.
"""
import csv
import json
import pathlib
import resource
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from pactran_why import weighted_tau  # noqa: E402

PENALTIES = np.logspace(-6, 4, 16)
SPLITS, ORDERS = 3, 20


def seconds():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def head_scores(features, labels, rng_seed):
    """Held-out score under each penalty: accuracy, or R2 of numbers."""
    rng = np.random.default_rng(rng_seed)
    numbers = labels.dtype.kind == "f"
    targets = labels.reshape(len(labels), -1).astype(float) if numbers else (labels[:, None] == np.unique(labels)).astype(float)
    order = rng.permutation(len(labels))
    held, kept = order[: len(order) // 5], order[len(order) // 5:]
    x = features.astype(float)
    mean = x[kept].mean(axis=0)
    train, test = x[kept] - mean, x[held] - mean
    level = targets[kept].mean(axis=0)
    if len(kept) <= x.shape[1]:
        values, u = np.linalg.eigh(train @ train.T)
        basis, rotated = test @ train.T @ u, u.T @ (targets[kept] - level)
    else:
        values, u = np.linalg.eigh(train.T @ train)
        basis, rotated = test @ u, u.T @ (train.T @ (targets[kept] - level))
    out = []
    for penalty in PENALTIES * (train**2).mean() * len(kept):
        predicted = basis @ (rotated / (np.maximum(values, 0)[:, None] + penalty)) + level
        if numbers:
            out.append(1 - ((predicted - targets[held]) ** 2).sum() / ((targets[held] - level) ** 2).sum())
        else:
            out.append(float((predicted.argmax(axis=1) == targets[held].argmax(axis=1)).mean()))
    return out


def one_set(assay, folder, labels_file, truth_file):
    begun = seconds()
    truth = {row["name"]: float(row["accuracy"]) for row in csv.DictReader(open(truth_file))}
    labels = np.load(labels_file)
    done = subprocess.run([assay, "rank", folder, "--labels", labels_file, "--metric", "logme,ridge_loo", "--ci", "0", "--threads", "1", "--json", "-", "--quiet"],
                          capture_output=True, text=True, check=True)
    assay_seconds = seconds() - begun
    models = [m for m in json.loads(done.stdout)["models"] if m["name"] in truth]
    measured = [truth[m["name"]] for m in models]
    taus = {name: weighted_tau([m["scores"][name]["value"] for m in models], measured) for name in ("logme", "ridge_loo")}
    heads = np.array([[head_scores(np.load(folder / f"{m['name']}.npy"), labels, split) for m in models] for split in range(SPLITS)])
    rng = np.random.default_rng(12)
    curve = np.zeros(len(PENALTIES))
    for split in range(SPLITS):
        for _ in range(ORDERS):
            order = rng.permutation(len(PENALTIES))
            for k in range(len(PENALTIES)):
                best = heads[split][:, order[: k + 1]].max(axis=1)
                tau = weighted_tau(list(best), measured)
                curve[k] += (tau if tau == tau else 0.0) / SPLITS / ORDERS  # heads that all say the same tell nothing
    return {"logme": taus["logme"], "ridge_loo": taus["ridge_loo"], "heads": curve.tolist(), "assay_seconds": assay_seconds, "seconds": seconds() - begun}


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    found = {}
    for hub in map(pathlib.Path, sys.argv[3:]):
        for folder in sorted(path for path in hub.iterdir() if path.is_dir()):
            truth = hub / f"{folder.name}_truth.csv"
            kept = out / f"{folder.name}.json"
            if not truth.exists():
                continue
            if not kept.exists():
                kept.write_text(json.dumps(one_set(sys.argv[1], folder, hub / f"{folder.name}_labels.npy", truth)))
            found[folder.name] = json.loads(kept.read_text())
    shown = (1, 2, 4, 8, 16)
    print("| data set | LogME | `ridge_loo` | " + " | ".join(f"head, {k} tried" for k in shown) + " | CPU s of both by Assay | CPU s of heads |\n" + "|---" * (5 + len(shown)) + "|")
    for name, one in found.items():
        print(f"| {name} | {one['logme']:.3f} | {one['ridge_loo']:.3f} | " + " | ".join(f"{one['heads'][k - 1]:.3f}" for k in shown)
              + f" | {one['assay_seconds']:.1f} | {one['seconds'] - one['assay_seconds']:.1f} |")
    mean = lambda values: sum(values) / len(values)
    print(f"| mean | {mean([o['logme'] for o in found.values()]):.3f} | {mean([o['ridge_loo'] for o in found.values()]):.3f} | "
          + " | ".join(f"{mean([o['heads'][k - 1] for o in found.values()]):.3f}" for k in shown) + " | | |")


if __name__ == "__main__":
    main()
