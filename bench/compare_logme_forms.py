#!/usr/bin/env python3
"""Tables 2 and 7 of the LogME paper: CPU seconds of three ways to maximise the evidence, and of Assay.

    compare_logme_forms.py ASSAY [ROWS DIMENSIONS CLASSES]        2000 256 20 unless given; needs NumPy

One thread each, seeded features with a decaying spectrum; the four values must agree within 1e-3 nats. Times of the peers are those of the computation, Assay's of the
whole process.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import numpy as np

FORMS = ("naive", "icml2021", "fixed_point")


def make(folder, rows, dim, classes):
    rng = np.random.default_rng(7)
    labels = np.arange(rows) % classes
    means = rng.normal(size=(classes, dim))
    features = np.maximum(0, means[labels] + 1.5 * rng.normal(size=(rows, dim))) * np.linspace(1, 0.1, dim)
    np.save(folder / "features.npy", features.astype(np.float32))
    np.save(folder / "labels.npy", labels)
    return folder / "features.npy", folder / "labels.npy"


def main():
    if len(sys.argv) not in (2, 5):
        sys.exit(__doc__)
    rows, dim, classes = map(int, sys.argv[2:]) if len(sys.argv) == 5 else (2000, 256, 20)
    peers = pathlib.Path(__file__).parent / "peers" / "logme_forms.py"
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as scratch:
        features, labels = make(pathlib.Path(scratch), rows, dim, classes)
        found = {}
        for form in FORMS:
            done = subprocess.run([sys.executable, peers, form, features, labels], capture_output=True, text=True, check=True, env=environment)
            found[form] = json.loads(done.stdout)
        before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        done = subprocess.run([sys.argv[1], "rank", features, "--labels", labels, "--metric", "logme", "--center", "no", "--ci", "0", "--threads", "1", "--json", "-",
                               "--quiet"], capture_output=True, text=True, check=True, env=environment)
        spent = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before
        found["assay"] = {"logme": json.loads(done.stdout)["models"][0]["scores"]["logme"]["value"], "cpu_seconds": spent, "loops": None}
    values = [one["logme"] for one in found.values()]
    if max(values) - min(values) > 1e-3:
        sys.exit(f"the values differ: {found}")
    print(f"{rows} rows, {dim} dimensions, {classes} classes\n\n| | CPU s | times the naive | loops | LogME |\n|---|---|---|---|---|")
    for name, one in found.items():
        print(f"| {name} | {one['cpu_seconds']:.3f} | {found['naive']['cpu_seconds'] / one['cpu_seconds']:.1f} | {one['loops'] or '-'} | {one['logme']:.6f} |")


if __name__ == "__main__":
    main()
