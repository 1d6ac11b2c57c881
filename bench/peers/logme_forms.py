#!/usr/bin/env python3
"""Three ways to the maximum evidence of the LogME paper (its Table 2): peers of one another, in plain NumPy.

    logme_forms.py naive|icml2021|fixed_point FEATURES.npy LABELS.npy      prints {"logme", "loops", "cpu_seconds", "wall_seconds"}

naive        MacKay's iteration as Algorithm 1 has it: A = alpha I + beta F'F is inverted in every loop of every class, D^3 + n D^2.
icml2021     the conference paper: one decomposition of F'F, then D^2 + n D a loop.
fixed_point  the journal paper (Eq. 4): the truncated SVD once, then n a loop.

All three take the same steps in alpha and beta from 1, 1 to a change of t = alpha / beta of a thousandth (at most 100), in double, one class after another.
"""
import json
import resource
import sys
import time

import numpy as np

MOST_LOOPS = 100
TOLERANCE = 1e-3


def iterate(n, step):
    """step(alpha, beta) -> (m'm, gamma, |Fm - y|^2, log|A|, ...)."""
    alpha = beta = 1.0
    for loop in range(1, MOST_LOOPS + 1):
        length, gamma, residual, _ = step(alpha, beta)
        before = alpha / beta
        alpha, beta = gamma / max(length, 1e-300), (n - gamma) / max(residual, 1e-300)
        if abs(alpha / beta - before) <= TOLERANCE * before:
            break
    length, _, residual, log_det = step(alpha, beta)
    return alpha, beta, length, residual, log_det, loop


def evidence(n, dim, alpha, beta, length, residual, log_det):
    return (n / 2 * np.log(beta) + dim / 2 * np.log(alpha) - n / 2 * np.log(2 * np.pi) - beta / 2 * residual - alpha / 2 * length - log_det / 2) / n


def naive(features, _):
    dim = features.shape[1]

    def of(y):
        def step(alpha, beta):
            a = alpha * np.eye(dim) + beta * features.T @ features
            inverse = np.linalg.inv(a)
            m = beta * inverse @ (features.T @ y)
            return m @ m, dim - alpha * np.trace(inverse), ((features @ m - y) ** 2).sum(), np.linalg.slogdet(a)[1]

        return step

    return of


def icml2021(features, decomposed):
    values, v = decomposed

    def of(y):
        product = v.T @ (features.T @ y)

        def step(alpha, beta):
            spectrum = alpha + beta * values
            m = beta * (v @ (product / spectrum))
            return m @ m, (beta * values / spectrum).sum(), ((features @ m - y) ** 2).sum(), np.log(spectrum).sum()

        return step

    return of


def fixed_point(features, decomposed):
    values, v = decomposed
    dim = features.shape[1]
    keep = values > values.max() * max(features.shape) * np.finfo(float).eps
    values, v = values[keep], v[:, keep]
    u = features @ v / np.sqrt(values)

    def of(y):
        z2 = (u.T @ y) ** 2
        rest = max((y**2).sum() - z2.sum(), 0.0)

        def step(alpha, beta):
            t = alpha / beta
            left = t / (t + values)
            return ((values * z2 / (t + values) ** 2).sum(), (values / (t + values)).sum(), (z2 * left**2).sum() + rest,
                    np.log(alpha + beta * values).sum() + (dim - len(values)) * np.log(alpha))

        return step

    return of


FORMS = {"naive": naive, "icml2021": icml2021, "fixed_point": fixed_point}


def logme(form, features, labels):
    features = np.asarray(features, dtype=np.float64)
    n, dim = features.shape
    decomposed = None
    if form != "naive":
        values, v = np.linalg.eigh(features.T @ features)
        decomposed = np.maximum(values, 0.0), v
    steps = FORMS[form](features, decomposed)
    found, loops = [], 0
    for label in np.unique(labels):
        alpha, beta, length, residual, log_det, count = iterate(n, steps((labels == label).astype(float)))
        found.append(evidence(n, dim, alpha, beta, length, residual, log_det))
        loops += count
    return float(np.mean(found)), loops


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in FORMS:
        sys.exit("usage: logme_forms.py naive|icml2021|fixed_point FEATURES.npy LABELS.npy")
    features, labels = np.load(sys.argv[2]), np.load(sys.argv[3])
    cpu, wall = cpu_seconds(), time.perf_counter()
    value, loops = logme(sys.argv[1], features, labels)
    print(json.dumps({"logme": value, "loops": loops, "cpu_seconds": cpu_seconds() - cpu, "wall_seconds": time.perf_counter() - wall}))


if __name__ == "__main__":
    main()
