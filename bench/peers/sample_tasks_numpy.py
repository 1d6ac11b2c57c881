#!/usr/bin/env python3
"""Algorithm 1 of Task Priors as printed, one task and one sample after another.

    sample_tasks_numpy.py FEATURES.npy CLASSES TASKS TEMPERATURE
"""
import sys

import numpy as np


def sample(z, classes, temperature, rng):
    labels = np.empty(len(z), dtype=np.int32)
    sums = np.zeros((z.shape[1], classes))
    for i in rng.permutation(len(z)):
        h = z[i] @ sums / temperature
        p = np.exp(h - h.max())
        p /= p.sum()
        labels[i] = np.searchsorted(np.cumsum(p), rng.random())
        sums[:, labels[i]] += z[i]
    return labels


def main():
    features = np.load(sys.argv[1]).astype(np.float64)
    classes, tasks, temperature = int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    z = features / np.linalg.norm(features, axis=1, keepdims=True)
    z -= z.mean(axis=0)
    rng = np.random.default_rng(0)
    for _ in range(tasks):
        labels = sample(z, classes, temperature, rng)
    print(np.bincount(labels, minlength=classes))


if __name__ == "__main__":
    main()
