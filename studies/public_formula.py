#!/usr/bin/env python3
"""What the widely copied LogME script would have said: the reason this project exists.

    public_formula.py FEATURES_DIR LABELS.npy TRUTH.csv

Its evidence counts D log(alpha) but only min(n, D) terms of log|A| (the sum runs over singular values), adds
1e-5 to m'm and to the residual, and stops after 11 steps. This is that formula, written anew, next to SciPy's
weighted tau against the truth.
"""
import csv
import pathlib
import sys

import numpy as np
from scipy.stats import weightedtau


def public_logme(features, labels):
    features = features.astype(np.float64)
    n, dim = features.shape
    u, s, _ = np.linalg.svd(features, full_matrices=False)
    sigma = s**2
    values = []
    for c in range(labels.max() + 1):
        y = (labels == c).astype(np.float64)
        z2 = (u.T @ y) ** 2
        rest = y @ y - z2.sum()
        alpha = beta = 1.0
        for _ in range(11):
            t = alpha / beta
            gamma = (sigma / (sigma + t)).sum()
            m2 = (sigma * z2 / (t + sigma) ** 2).sum()
            residual = (z2 / (1 + sigma / t) ** 2).sum() + rest
            alpha = gamma / (m2 + 1e-5)
            beta = (n - gamma) / (residual + 1e-5)
            if abs(alpha / beta - t) / t <= 1e-3:
                break
        evidence = (dim / 2 * np.log(alpha) + n / 2 * np.log(beta) - np.log(alpha + beta * sigma).sum() / 2
                    - beta / 2 * residual - alpha / 2 * m2 - n / 2 * np.log(2 * np.pi))
        values.append(evidence / n)
    return float(np.mean(values))


def main():
    folder, label_file, truth_file = map(pathlib.Path, sys.argv[1:4])
    labels = np.load(label_file)
    with open(truth_file, newline="") as file:
        truth = {row["name"]: float(row["accuracy"]) for row in csv.DictReader(file)}
    scores = {path.stem: public_logme(np.load(path), labels) for path in sorted(folder.glob("*.npy"))}
    names = sorted(set(scores) & set(truth))
    for name in sorted(names, key=lambda n: -scores[n]):
        print(f"{name:28s} {scores[name]:10.4f} {truth[name]:8.4f}")
    print(f"weighted tau {weightedtau([scores[n] for n in names], [truth[n] for n in names])[0]:.3f}")


if __name__ == "__main__":
    main()
