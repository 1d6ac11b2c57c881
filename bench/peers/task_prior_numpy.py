#!/usr/bin/env python3
"""Task Priors the plain way: whole n x n kernels in NumPy, Theorem 3.6 on them.

    task_prior_numpy.py PRIOR.npy MODEL.npy TEMPERATURE
"""
import sys

import numpy as np


def centred_cosine(features):
    unit = features / np.linalg.norm(features, axis=1, keepdims=True)
    kernel = unit @ unit.T
    mean = kernel.mean(axis=0)
    return kernel - mean - mean[:, None] + mean.mean()


def main():
    prior, model, temperature = np.load(sys.argv[1]), np.load(sys.argv[2]), float(sys.argv[3])
    k, m = centred_cosine(prior), centred_cosine(model)
    probability = 1 / (1 + np.exp(-k / np.float32(temperature)))
    expectation = (m * probability).sum(dtype=np.float64)
    variance = (m**2 * probability * (1 - probability)).sum(dtype=np.float64)
    print(expectation, variance)


if __name__ == "__main__":
    main()
