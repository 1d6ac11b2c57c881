#!/usr/bin/env python3
"""Races `assay robust score` against NumPy and SciPy's general solver (peers/synbench_scipy.py).

    compare_robust.py --assay build/assay --data build/bench-data [--repeat 3] [--peer-scales 4] [--json FILE]

The representations are those of one random layer of ReLUs: 49 scales, 2 x 2048 samples, 768 dimensions, float32.
The peer is given a few of the scales and its time, but for reading, multiplied up: all would take it minutes to hours.
"""
import argparse
import json
import os
import pathlib
import sys

import numpy as np

from measure import PEERS, median, print_table, python_with, run, summary, warm

DIM, SAMPLES = 768, 2048
SCALES = np.arange(1, 50) / 10
TOLERANCE = 1e-3  # of an accuracy or a bound: the peer's solver stops early


def make(path):
    rng = np.random.default_rng(7)
    layer = rng.standard_normal((DIM, DIM), dtype=np.float32) / np.float32(np.sqrt(DIM))
    labels = (np.arange(SAMPLES) % 2).astype(np.int8)
    sign = (2 * labels - 1).astype(np.float32)[:, None]

    def represent():
        noise = rng.standard_normal((SAMPLES, DIM), dtype=np.float32) + np.float32(0.5)
        return np.stack([np.maximum((noise + sign * np.float32(s / np.sqrt(DIM))) @ layer, 0) for s in SCALES])

    part = path.with_suffix(".part.npz")
    np.savez(part, scales=SCALES, train=represent(), test=represent(), train_labels=np.tile(labels, (len(SCALES), 1)),
             test_labels=np.tile(labels, (len(SCALES), 1)))
    part.rename(path)


def ours(assay, path, threads):
    result = run([assay, "robust", "score", "--representations", path, "--threads", str(threads), "--quiet", "--json",
                  "-"])
    return {"result": json.loads(result.pop("output")), **result}


def theirs(python, path, scales, method, threads):
    limit = {f"{library}_NUM_THREADS": str(threads) for library in ("OPENBLAS", "OMP", "MKL")}
    result = run([python, PEERS / "synbench_scipy.py", path, str(scales), method], **limit)
    return {"result": json.loads(result.pop("output")), **result}


def largest_difference(peer, model):
    """Of accuracies and bounds, at the scales that both have."""
    worst = 0.0
    for e, curve in enumerate(model["curves"]):
        points = {round(point["scale"], 6): point for point in curve["points"]}
        for s, scale in enumerate(peer["chosen"]):
            point = points[round(scale, 6)]
            worst = max(worst, abs(point["accuracy"] - peer["accuracy"][s][e]), abs(point["bound"] - peer["bound"][s][e]))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--assay", default="build/assay")
    parser.add_argument("--data", type=pathlib.Path, default="build/bench-data")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--peer-scales", type=int, default=4)
    parser.add_argument("--method", default="trust-constr", choices=("trust-constr", "SLSQP"))
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    path = args.data / "synbench.npz"
    if not path.exists():
        args.data.mkdir(parents=True, exist_ok=True)
        make(path)
    warm(path)
    python = python_with("numpy", "scipy")
    if python is None:
        sys.exit("compare_robust: no Python with NumPy and SciPy found")
    rows = {name: [] for name in ("2 threads", "1 thread")}
    peers = []
    for _ in range(args.repeat):
        rows["2 threads"].append(ours(args.assay, path, 2))
        rows["1 thread"].append(ours(args.assay, path, 1))
    for _ in range(1 if args.method == "SLSQP" else args.repeat):
        one = theirs(python, path, args.peer_scales, args.method, 1)
        result = one["result"]
        scored = one["cpu"] - result["read_seconds"]
        one["whole_cpu"] = result["read_seconds"] + scored * len(SCALES) / result["scales"]
        peers.append(one)
    difference = largest_difference(peers[0]["result"], rows["1 thread"][0]["result"]["models"][0])
    whole = median(peers, "whole_cpu")
    print(f"49 scales, 5 epsilons, 2 x {SAMPLES} samples, D = {DIM}; load average {os.getloadavg()[0]:.1f}")
    print_table(["assay robust score", "CPU s", "wall s", "MB", "CPU ratio"],
                [[name, f"{median(runs, 'cpu'):.2f}", f"{median(runs, 'wall'):.2f}", f"{median(runs, 'mb'):.0f}",
                  f"{whole / median(runs, 'cpu'):.1f}"] for name, runs in rows.items()])
    print(f"SciPy {args.method}: {whole:.1f} s CPU for all scales, from {peers[0]['result']['scales']} of them; "
          f"largest difference of an accuracy or bound {difference:.1e}")
    if args.json:
        out = {"assay": {name: summary(runs) for name, runs in rows.items()}, "peer_cpu": whole, "method": args.method,
               "difference": difference}
        pathlib.Path(args.json).write_text(json.dumps(out, indent=2) + "\n")
    if difference > TOLERANCE:
        sys.exit(f"compare_robust: the two differ by {difference:.1e}, {TOLERANCE:.0e} is allowed")


if __name__ == "__main__":
    main()
