#!/usr/bin/env python3
"""LogME in plain NumPy, the way research scripts compute it: the peer Assay is raced against.

    logme_numpy.py FEATURES.npy LABELS.npy      prints {"logme", "cpu_seconds", "wall_seconds"}

Algorithm 3 of You et al., JMLR 2022 (evidence maximisation by fixed point iteration, Eq. 4),
everything in float64, one class after another.
"""
import json
import resource
import sys
import time

import numpy as np

MAX_ITERATIONS = 11
TOLERANCE = 1e-3  # of t = alpha / beta


def truncated_svd(F):
    """F = U diag(s) Vh over the directions that are not zero."""
    n, D = F.shape
    if n > D:  # the Gram matrix is smaller than F
        _, eigenvalues, Vh = np.linalg.svd(F.T @ F)
        s = np.sqrt(eigenvalues)
        keep = s > 1e-10
        s, Vh = s[keep], Vh[keep]
        return F @ Vh.T / s, s, Vh
    U, s, Vh = np.linalg.svd(F, full_matrices=False)
    keep = s > 1e-10
    return U[:, keep], s[keep], Vh[keep]


def maximum_evidence(n, D, U, s, Vh, y):
    """Largest log evidence of one target column per sample, and the posterior mean weights."""
    sigma2 = s**2
    z = U.T @ y
    z2 = z**2
    delta = (y**2).sum() - z2.sum()
    alpha, beta = 1.0, 1.0
    t = alpha / beta
    for _ in range(MAX_ITERATIONS):
        weight_norm = (sigma2 * z2 / (t + sigma2) ** 2).sum()
        gamma = (sigma2 / (t + sigma2)).sum()
        residual = (z2 / (1 + sigma2 / t) ** 2).sum() + delta
        alpha = gamma / weight_norm
        beta = (n - gamma) / residual
        previous, t = t, alpha / beta
        if abs(t - previous) / previous <= TOLERANCE:
            break

    m = Vh.T @ (s * z / (t + sigma2))
    residual = (z2 / (1 + sigma2 / t) ** 2).sum() + delta
    # |A| has D factors; the D - r directions without features contribute alpha each.
    log_det = np.log(alpha + beta * sigma2).sum() + (D - len(s)) * np.log(alpha)
    evidence = (
        n / 2 * np.log(beta)
        + D / 2 * np.log(alpha)
        - n / 2 * np.log(2 * np.pi)
        - beta / 2 * residual
        - alpha / 2 * (m**2).sum()
        - log_det / 2
    )
    return evidence / n, m


def logme(F, y):
    """LogME of features F (n x D) for class labels y (n)."""
    F = np.asarray(F).astype(np.float64)
    n, D = F.shape
    U, s, Vh = truncated_svd(F)
    evidences = []
    weights = []
    for label in np.unique(y):
        one_hot = (y == label).astype(np.float64)
        evidence, m = maximum_evidence(n, D, U, s, Vh, one_hot)
        evidences.append(evidence)
        weights.append(m)  # scripts keep them for prediction
    return float(np.mean(evidences))


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: logme_numpy.py FEATURES.npy LABELS.npy")
    cpu, wall = cpu_seconds(), time.perf_counter()
    value = logme(np.load(sys.argv[1]), np.load(sys.argv[2]))
    print(json.dumps({
        "logme": value,
        "cpu_seconds": cpu_seconds() - cpu,
        "wall_seconds": time.perf_counter() - wall,
    }))


if __name__ == "__main__":
    main()
