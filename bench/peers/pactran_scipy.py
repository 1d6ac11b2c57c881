#!/usr/bin/env python3
"""PACTran-Gauss with SciPy, the way research scripts compute it: the peer Assay is raced against.

    pactran_scipy.py FEATURES.npy LABELS.npy      prints {"value", "cpu_seconds", "wall_seconds", ...}

Eq. 14 of Ding et al., ECCV 2022, with beta = 10 N and sigma0^2 = 100 / D, in float64: the regularised
risk of multinomial logistic regression minimised over (W, b) by L-BFGS, then the trace of the
Hessian of the mean loss.
"""
import json
import resource
import sys
import time

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

TOLERANCE = 1e-10  # of the largest entry of the gradient
MAX_ITERATIONS = 100000


def pactran_gauss(F, y):
    """The bound, its two parts, and how the minimisation ended."""
    F = np.asarray(F).astype(np.float64)
    n, D = F.shape
    classes, labels = np.unique(y, return_inverse=True)
    K = len(classes)
    rows = np.arange(n)
    beta, variance = 10.0 * n, 100.0 / D

    def log_probabilities(theta):
        W, b = theta[: D * K].reshape(D, K), theta[D * K :]
        return log_softmax(F @ W + b, axis=1)

    def risk(theta):
        log_p = log_probabilities(theta)
        residual = np.exp(log_p)
        residual[rows, labels] -= 1.0
        gradient = np.concatenate([(F.T @ residual).ravel(), residual.sum(axis=0)]) / n + theta / beta
        return -log_p[rows, labels].mean() + theta @ theta / (2.0 * beta), gradient

    # ftol = 0: only the gradient ends it, or the line search when no digit is left to gain.
    options = {"gtol": TOLERANCE, "ftol": 0.0, "maxiter": MAX_ITERATIONS, "maxfun": 2 * MAX_ITERATIONS}
    best = minimize(risk, np.zeros((D + 1) * K), jac=True, method="L-BFGS-B", options=options)

    p = np.exp(log_probabilities(best.x))
    trace = float((((F**2).sum(axis=1) + 1.0) * (p * (1.0 - p)).sum(axis=1)).mean())
    flatness = K * D * variance / (2.0 * beta) * np.log1p(beta / (K * D) * trace)
    return {
        "value": float(best.fun + flatness),
        "rer": float(best.fun),
        "fr": float(flatness),
        "iterations": int(best.nit),
        "gradient": float(np.abs(best.jac).max()),
    }


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: pactran_scipy.py FEATURES.npy LABELS.npy")
    cpu, wall = cpu_seconds(), time.perf_counter()
    result = pactran_gauss(np.load(sys.argv[1]), np.load(sys.argv[2]))
    result["cpu_seconds"] = cpu_seconds() - cpu
    result["wall_seconds"] = time.perf_counter() - wall
    print(json.dumps(result))


if __name__ == "__main__":
    main()
