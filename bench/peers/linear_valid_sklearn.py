#!/usr/bin/env python3
"""LINEAR-VALID with scikit-learn, the way research scripts compute it: the peer Assay is raced against.

    linear_valid_sklearn.py FEATURES.npy LABELS.npy      prints {"value", "cpu_seconds", "wall_seconds", ...}

Two stratified halves, features standardised by the training half, logistic regression for
beta = 0.1, 1 and 10 times the training rows, the least error on the other half. The mean loss plus
|W|^2 / (2 beta) is scikit-learn's objective with C = beta / rows; its intercept is not penalised.
"""
import json
import resource
import sys
import time

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

STRENGTHS = (0.1, 1.0, 10.0)  # beta / rows
MAX_ITERATIONS = 10000


def linear_valid(F, y):
    """The least error on the second half and the strength that gave it."""
    F = np.asarray(F).astype(np.float64)
    halves = StratifiedShuffleSplit(n_splits=1, test_size=0.5, random_state=0)
    train, test = next(halves.split(F, y))
    scaler = StandardScaler().fit(F[train])
    F_train, F_test = scaler.transform(F[train]), scaler.transform(F[test])
    errors = {}
    for C in STRENGTHS:
        model = LogisticRegression(C=C, max_iter=MAX_ITERATIONS).fit(F_train, y[train])
        errors[C] = float((model.predict(F_test) != y[test]).mean())
    best = min(errors, key=errors.get)
    return {"value": errors[best], "beta_per_row": best}


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: linear_valid_sklearn.py FEATURES.npy LABELS.npy")
    cpu, wall = cpu_seconds(), time.perf_counter()
    result = linear_valid(np.load(sys.argv[1]), np.load(sys.argv[2]))
    result["cpu_seconds"] = cpu_seconds() - cpu
    result["wall_seconds"] = time.perf_counter() - wall
    print(json.dumps(result))


if __name__ == "__main__":
    main()
