#!/usr/bin/env python3
"""Does the interval of `accuracy` hold the accuracy that a probe then reaches? On drawn problems, whose test rows are endless.

    accuracy_simulated.py ASSAY OUT [DRAWS [TEST_ROWS]]

Every draw of a problem is a model of one hub (the labels are the same). The truth of a draw is the accuracy of a logistic probe in
SciPy, trained on all its rows, its penalty by three folds, on 20,000 fresh rows; and on TEST_ROWS of them, with `--test-rows`. Hubs
and truths are kept in OUT and not made again; OUT/NAME.json is what Assay said.
"""
import json
import math
import pathlib
import subprocess
import sys
import time

import numpy as np
from scipy.optimize import minimize

FRESH = 20000
# name: rows, dimensions, classes, separation, kind
PROBLEMS = {
    "gauss_240x40": (240, 40, 3, 0.35, "normal"),
    "heavy_600x60": (600, 60, 10, 0.5, "heavy"),
    "spectrum_300x400": (300, 400, 5, 1.0, "spectrum"),
    "mixture_150x12": (150, 12, 2, 0.8, "mixture"),
    "many_500x80": (500, 80, 25, 0.6, "normal"),
}


def draw(problem, rows, rng):
    _, dim, classes, separation, kind = problem
    population = np.random.default_rng(17)
    labels = np.arange(rows) % classes
    centres = separation * population.standard_normal((classes, dim))
    values = rng.standard_normal((rows, dim))
    if kind == "heavy":
        values /= np.sqrt(rng.chisquare(3, (rows, 1)) / 3)
    if kind == "mixture":  # each class in two places: no linear probe is right
        other = separation * population.standard_normal((classes, dim))
        centres = np.where(rng.random((rows, 1)) < 0.6, centres[labels], other[labels])
        return centres + values, labels
    values = values + centres[labels]
    if kind == "spectrum":
        values *= np.arange(1, dim + 1) ** -0.5
    return values, labels


def fit(x, y, classes, strength):
    """Weights and intercepts: summed loss + |W|^2 / (2 C), intercepts free."""
    n, dim = x.shape
    hot = np.eye(classes)[y]

    def loss(theta):
        w = theta.reshape(dim + 1, classes)
        logits = x @ w[:-1] + w[-1]
        logits -= logits.max(axis=1, keepdims=True)
        total = np.exp(logits)
        p = total / total.sum(axis=1, keepdims=True)
        value = -np.log(p[np.arange(n), y]).sum() + (w[:-1] ** 2).sum() / (2 * strength)
        g = np.empty_like(w)
        g[:-1] = x.T @ (p - hot) + w[:-1] / strength
        g[-1] = (p - hot).sum(axis=0)
        return value, g.ravel()

    return minimize(loss, np.zeros((dim + 1) * classes), jac=True, method="L-BFGS-B",
                    options={"maxiter": 300}).x.reshape(dim + 1, classes)


def truth(problem, x, y, rng, test_rows):
    mean, sd = x.mean(axis=0), x.std(axis=0)
    z, classes = (x - mean) / sd, problem[2]
    fold = rng.permutation(len(y)) % 3
    best = (-1.0, None)
    for strength in (1e-4, 1e-3, 1e-2, 1e-1, 1.0):
        right = 0
        for k in range(3):
            w = fit(z[fold != k], y[fold != k], classes, strength)
            right += np.sum(np.argmax(z[fold == k] @ w[:-1] + w[-1], axis=1) == y[fold == k])
        best = max(best, (right, -strength))
    w = fit(z, y, classes, -best[1])
    new, labels = draw(problem, FRESH, rng)
    right = np.argmax((new - mean) / sd @ w[:-1] + w[-1], axis=1) == labels
    return float(right.mean()), float(rng.permutation(right)[:test_rows].mean())


def make(problem, folder, draws, test_rows):
    hub = folder / "hub"
    hub.mkdir(parents=True, exist_ok=True)
    truths = []
    for seed in range(draws):
        rng = np.random.default_rng(1000 + seed)
        x, y = draw(problem, problem[0], rng)
        np.save(hub / f"draw_{seed:04d}.npy", x)
        truths.append(truth(problem, x, y, rng, test_rows))
    np.save(folder / "labels.npy", y)
    (folder / "truth.json").write_text(json.dumps(truths))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    assay, out = sys.argv[1], pathlib.Path(sys.argv[2])
    draws = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    test_rows = int(sys.argv[4]) if len(sys.argv) > 4 else 1000
    print("| problem | draws | accuracy | bias | mean absolute error | deviation of the error | its root mean variance as stated | "
          f"inside 95 %, endless test rows | inside 95 %, {test_rows} test rows |")
    print("|---" * 9 + "|")
    for name, problem in PROBLEMS.items():
        folder = out / name
        if not (folder / "truth.json").exists():
            begun = time.process_time()
            make(problem, folder, draws, test_rows)
            print(f"{name}: {time.process_time() - begun:.0f} CPU s", file=sys.stderr)
        truths = json.loads((folder / "truth.json").read_text())
        covered, errors, variances = [], [], []
        for rows in (None, test_rows):
            path = out / f"{name}{'' if rows is None else '_test'}.json"
            if not path.exists():
                subprocess.run([assay, "rank", folder / "hub", "--labels", folder / "labels.npy", "--metric", "accuracy", "--quiet",
                                "--json", path, *([] if rows is None else ["--test-rows", str(rows)])],
                               check=True, stdout=subprocess.DEVNULL)
            inside = []
            for model in json.loads(path.read_text())["models"]:
                score, true = model["scores"]["accuracy"], truths[int(model["name"][5:])][0 if rows is None else 1]
                inside.append(score["low"] <= true <= score["high"])
                if rows is None:
                    errors.append(score["value"] - true)
                    variances.append(((score["high"] - score["low"]) / 3.92) ** 2)
            covered.append(np.mean(inside))
        mean = np.mean([t[0] for t in truths])
        print(f"| {name} | {len(truths)} | {mean:.3f} | {100 * np.mean(errors):+.2f} | {100 * np.mean(np.abs(errors)):.2f} | "
              f"{100 * np.std(errors):.2f} | {100 * math.sqrt(np.mean(variances)):.2f} | {100 * covered[0]:.0f} % | "
              f"{100 * covered[1]:.0f} % |", flush=True)


if __name__ == "__main__":
    main()
