#!/usr/bin/env python3
"""Are the training rows of a regression set easier than its test rows, or is a predicted R2 wrong?

    regression_shift.py FEATURES LABELS.npy TRUTH.csv      FEATURES: a directory with NAME.npy for every name of TRUTH

Independent of the engine: ridge regression in NumPy with the truth's own penalties (column ridge_alpha), ten folds of the training rows,
against the measured R2 and Spearman's correlation, which neither the level nor the spread of the targets can move. Models share rows, so
the standard error of the mean difference comes from what every row adds to the mean over models.
"""
import csv
import pathlib
import sys

import numpy as np
from scipy.stats import spearmanr

FOLDS = 10


def held_out(x, y, penalty, fold):
    deviation = x.std(axis=0)
    x = (x - x.mean(axis=0)) / np.where(deviation > 0, deviation, 1)
    kernel, out = x @ x.T, np.zeros(len(y))
    for k in range(FOLDS):
        rest, mine = fold != k, fold == k
        mean = y[rest].mean()
        out[mine] = mean + kernel[np.ix_(mine, rest)] @ np.linalg.solve(
            kernel[np.ix_(rest, rest)] + penalty * np.eye(rest.sum()), y[rest] - mean)
    return out


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    features, y = pathlib.Path(sys.argv[1]), np.load(sys.argv[2]).astype(float).ravel()
    with open(sys.argv[3]) as file:
        truth = list(csv.DictReader(file))
    fold = np.random.default_rng(0).permutation(len(y)) % FOLDS
    spread = (y - y.mean()) ** 2
    influences, rows = [], []
    for line in truth:
        predicted = held_out(np.load(features / f"{line['name']}.npy").astype(float), y, float(line["ridge_alpha"]), fold)
        error = (y - predicted) ** 2
        influence = -(error / spread.mean() - error.mean() / spread.mean() ** 2 * spread)
        influences.append(influence - influence.mean())
        rows.append((line["name"], 1 - error.sum() / spread.sum(), float(line["accuracy"]), spearmanr(y, predicted)[0],
                     float(line["spearman"])))
    print("| model | R2, folds | R2, test rows | Spearman, folds | Spearman, test rows |\n|---|---|---|---|---|")
    for row in rows:
        print(f"| {row[0]} | " + " | ".join(f"{value:.3f}" for value in row[1:]) + " |")
    numbers = np.array([row[1:] for row in rows])
    error = np.sqrt((np.mean(influences, axis=0) ** 2).sum()) / len(y)
    print(f"\nmean difference: R2 {np.mean(numbers[:, 0] - numbers[:, 1]):+.3f}, Spearman {np.mean(numbers[:, 2] - numbers[:, 3]):+.3f}; "
          f"standard error of the mean R2 from these rows {error:.3f}, about as much again from the test rows")


if __name__ == "__main__":
    main()
