#!/usr/bin/env python3
"""The example of section 3.1 of the loss-data paper: noisy labels against raw bits.

The label of a row of d random bits is their parity on a fixed half of them. One representation is the
label itself, flipped with probability alpha: whatever learns from it is good at once and never better.
The other is the bits: nothing is known until d independent rows were seen, and everything from then on.
No probe of ours solves parity, so this study brings its own learner (elimination over GF(2)) through
`assay curve --export-subsets` and `assay curve measure`.

usage: parity_study.py ASSAY DIRECTORY
"""
import json
import pathlib
import subprocess
import sys

import numpy as np

BITS, ROWS, ALPHA, EPSILON = 60, 5000, 0.1, 0.2


def make_hub(folder, rng):
    """Writes both representations and the labels."""
    x = rng.integers(0, 2, (ROWS, BITS))
    secret = rng.permutation(np.arange(BITS) % 2)
    y = x @ secret % 2
    noisy = (y + (rng.random(ROWS) < ALPHA)) % 2
    hub = folder / "hub"
    hub.mkdir(parents=True, exist_ok=True)
    np.save(hub / "raw_bits.npy", x.astype(np.float32))
    np.save(hub / "noisy_label.npy", noisy[:, None].astype(np.float32))
    np.save(folder / "labels.npy", y)
    return x, noisy, y


class Parity:
    """Rows seen so far, reduced over GF(2); each keeps its label as one bit more."""

    def __init__(self):
        self.by_pivot = {}

    def reduce(self, row):
        row = row.copy()
        for pivot in range(BITS):
            if row[pivot] and pivot in self.by_pivot:
                row ^= self.by_pivot[pivot]
        return row

    def learn(self, bits, label):
        row = self.reduce(np.append(bits, label))
        pivots = np.flatnonzero(row[:BITS])
        if pivots.size:
            self.by_pivot[pivots[0]] = row

    def losses(self, bits):
        """ln 2 where the rows seen do not determine the label, nothing where they do."""
        known = [not self.reduce(np.append(row, 0))[:BITS].any() for row in bits]
        return np.where(known, 0.0, np.log(2.0))


def table_losses(z, y, z_test, y_test):
    """p(y | z) by counting, add one half."""
    counts = np.full((2, 2), 0.5)
    np.add.at(counts, (z, y), 1)
    p = counts / counts.sum(1, keepdims=True)
    return -np.log(p[z_test, y_test]), (p[z_test].argmax(1) == y_test).mean()


def main():
    assay, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    x, noisy, y = make_hub(folder, np.random.default_rng(0))
    subsets = folder / "subsets"
    subprocess.run([assay, "curve", folder / "hub", "--labels", folder / "labels.npy", "--sizes", "20", "--seeds", "8",
                    "--no-journal", "--export-subsets", subsets, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    about = json.loads((subsets / "subsets.json").read_text())
    lines = ["name,seed,samples,val_loss,val_accuracy"]
    for seed in about["seeds"]:
        order = np.load(subsets / f"order_seed_{seed}.npy")
        test = np.load(subsets / f"validation_rows_seed_{seed}.npy")
        parity, seen = Parity(), 0
        for n in about["sizes"]:
            for row in order[seen:n]:
                parity.learn(x[row].astype(np.int64), y[row])
            seen = n
            loss = parity.losses(x[test].astype(np.int64))
            accuracy = np.where(loss == 0, 1.0, 0.5).mean()
            lines.append(f"raw_bits,{seed},{n},{loss.mean()},{accuracy}")
            rows = order[:n]
            loss, accuracy = table_losses(noisy[rows], y[rows], noisy[test], y[test])
            lines.append(f"noisy_label,{seed},{n},{loss.mean()},{accuracy}")
    (folder / "curves.csv").write_text("\n".join(lines) + "\n")
    subprocess.run([assay, "curve", "measure", folder / "curves.csv", "--classes", "2", "--epsilon", str(EPSILON),
                    "--at", "20,100,200,4000", "--json", folder / "measures.json"], check=True)


if __name__ == "__main__":
    main()
