"""Values of cka, gbc, sfda and ncti by dense formulas in NumPy and SciPy, for tests/golden/compared.json.

Run: python3 tests/golden/compared.py > tests/golden/compared.json
Everything is written out in D dimensions, with singular value decompositions and explicit inverses;
where scikit-learn has the same discriminant (ncti, solver "eigen"), its posteriors are compared.
"""
import json
import pathlib

import numpy as np
from scipy import linalg

HERE = pathlib.Path(__file__).parent / "transfer"
CASES = ["tall", "tall_pad", "wide", "imbalanced", "missing", "rankdef", "noise", "digits_pca16"]


def centre(x):
    return x - x.mean(axis=0)


def cka(x, y):
    hot = (y[:, None] == np.unique(y)).astype(float)
    k = centre(centre(x @ x.T).T)
    l = centre(centre(hot @ hot.T).T)
    return float((k * l).sum() / np.sqrt((k * k).sum() * (l * l).sum()))


def components(x, most):
    u, s, _ = np.linalg.svd(centre(x), full_matrices=False)
    keep = int((s > s[0] * 1e-7).sum())
    return (u * s)[:, : min(most, keep)]


def gbc(x, y):
    z = components(x, 64)
    classes = np.unique(y)
    mean = [z[y == c].mean(axis=0) for c in classes]
    within = sum(((z[y == c] - m) ** 2).sum() for c, m in zip(classes, mean))
    pooled = within / z.size  # what a class of one sample takes
    var = [z[y == c].var(axis=0).mean() if (y == c).sum() > 1 else pooled for c in classes]
    total = 0.0
    for i in range(len(classes)):
        for j in range(len(classes)):
            if i == j:
                continue
            v = 0.5 * (var[i] + var[j])
            d = ((mean[i] - mean[j]) ** 2).sum() / (8 * v)
            d += 0.5 * z.shape[1] * np.log(v / np.sqrt(var[i] * var[j]))
            total -= np.exp(-d)
    return float(total)


def discriminant(x, y, shrinkage):
    classes, counts = np.unique(y, return_counts=True)
    means = np.array([x[y == c].mean(axis=0) for c in classes])
    within = sum((x[y == c] - m).T @ (x[y == c] - m) for c, m in zip(classes, means)) / len(y)
    s = (1 - shrinkage) * within + shrinkage * np.trace(within) / len(within) * np.eye(len(within))
    coefficients = np.linalg.solve(s, means.T)
    logs = x @ coefficients - 0.5 * (means.T * coefficients).sum(axis=0) + np.log(counts / len(y))
    logs -= logs.max(axis=1, keepdims=True)
    p = np.exp(logs)
    return p / p.sum(axis=1, keepdims=True), within, s, means


def own(p, y):
    return float(p[np.arange(len(y)), np.searchsorted(np.unique(y), y)].mean())


def sfda(x, y):
    classes = np.unique(y)
    within = discriminant(x, y, 1.0)[1]
    a = max(np.exp(-5 * np.linalg.eigvalsh(within)[-1]), 1e-10)
    p, _, _, means = discriminant(x, y, a)
    soft = np.exp(p) / np.exp(p).sum(axis=1, keepdims=True)
    harder = x.copy()
    for k, c in enumerate(classes):
        others = np.delete(means, k, axis=0).mean(axis=0)
        w = soft[y == c, k][:, None]
        harder[y == c] = w * x[y == c] + (1 - w) * others
    return own(discriminant(harder, y, a)[0], y)


def ncti(x, y):
    z = components(x, 64)
    classes, counts = np.unique(y, return_counts=True)
    a = max(np.exp(-z[:, :32].var(axis=0, ddof=1).sum()), 1e-10)
    p, _, s, means = discriminant(z, y, a)
    try:
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

        theirs = LinearDiscriminantAnalysis(solver="eigen", shrinkage=a).fit(z, y).predict_proba(z)
        assert np.abs(theirs - p).max() < 1e-7, np.abs(theirs - p).max()
    except ImportError:
        pass
    between = (means.T * (counts / len(y))) @ means  # z has mean zero
    values, vectors = linalg.eigh(between, s)
    keep = min(len(classes) - 1, z.shape[1])
    seli = np.linalg.norm(z @ vectors[:, ::-1][:, :keep], ord="nuc")
    vc = -sum(np.linalg.norm(p[y == c], ord="nuc") for c in classes)
    return [float(vc), float(seli), own(p, y)]


def main():
    out = {}
    for case in CASES:
        x = np.load(HERE / case / "F.npy").astype(float)
        y = np.load(HERE / case / "y.npy")
        out[case] = {"cka": cka(x, y), "gbc": gbc(x, y), "sfda": sfda(x, y), "ncti": ncti(x, y)}
    print(json.dumps(out, indent=1))


if __name__ == "__main__":
    main()
