#!/usr/bin/env python3
"""The mlp probe of `assay curve` in PyTorch or NumPy, as research scripts write it: the peer Assay is raced against.

    mlp_probe.py FEATURES.npy LABELS.npy torch|numpy N UPDATES      prints {"cpu_seconds", "wall_seconds", "loss"}

Two hidden layers of 512, ReLU, Adam at 1e-4, batches of 256 from a shuffled epoch (all rows when there are fewer),
trained on the first N rows of a random order, float32. Reading and standardising are not in the times.
"""
import json
import resource
import sys
import time

import numpy as np

HIDDEN, BATCH, RATE = 512, 256, 1e-4


def batches(n, updates, rng):
    order, at = rng.permutation(n), 0
    for _ in range(updates):
        if at >= n:
            order, at = rng.permutation(n), 0
        yield order[at:at + BATCH]
        at += BATCH


def train_numpy(x, y, classes, updates, rng):
    widths = [x.shape[1], HIDDEN, HIDDEN, classes]
    p = []
    for inputs, outputs in zip(widths, widths[1:]):
        bound = 1 / np.sqrt(inputs)
        p.append(rng.uniform(-bound, bound, (inputs, outputs)).astype(np.float32))
        p.append(rng.uniform(-bound, bound, outputs).astype(np.float32))
    m, v = [np.zeros_like(a) for a in p], [np.zeros_like(a) for a in p]
    for t, rows in enumerate(batches(len(x), updates, rng), 1):
        xb, yb = x[rows], y[rows]
        a1 = np.maximum(xb @ p[0] + p[1], 0)
        a2 = np.maximum(a1 @ p[2] + p[3], 0)
        z = a2 @ p[4] + p[5]
        q = np.exp(z - z.max(1, keepdims=True))
        q /= q.sum(1, keepdims=True)
        loss = -np.log(q[np.arange(len(yb)), yb]).mean()
        q[np.arange(len(yb)), yb] -= 1
        d3 = q / np.float32(len(yb))
        d2 = (d3 @ p[4].T) * (a2 > 0)
        d1 = (d2 @ p[2].T) * (a1 > 0)
        g = [xb.T @ d1, d1.sum(0), a1.T @ d2, d2.sum(0), a2.T @ d3, d3.sum(0)]
        for i in range(6):
            m[i] = 0.9 * m[i] + np.float32(0.1) * g[i]
            v[i] = np.float32(0.999) * v[i] + np.float32(0.001) * g[i] ** 2
            p[i] -= np.float32(RATE / (1 - 0.9 ** t)) * m[i] / (
                np.sqrt(v[i] / np.float32(1 - 0.999 ** t)) + np.float32(1e-8))
    return float(loss)


def train_torch(x, y, classes, updates, rng):
    import torch
    layers = torch.nn
    network = layers.Sequential(layers.Linear(x.shape[1], HIDDEN), layers.ReLU(), layers.Linear(HIDDEN, HIDDEN),
                                layers.ReLU(), layers.Linear(HIDDEN, classes))
    adam = torch.optim.Adam(network.parameters(), lr=RATE)
    x, y = torch.from_numpy(x), torch.from_numpy(y)
    for rows in batches(len(x), updates, rng):
        adam.zero_grad()
        loss = layers.functional.cross_entropy(network(x[rows]), y[rows])
        loss.backward()
        adam.step()
    return float(loss)


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main():
    features, labels, library, n, updates = sys.argv[1:]
    x, y = np.load(features).astype(np.float32), np.load(labels).astype(np.int64)
    x = (x - x.mean(0)) / x.std(0)
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(x))[:int(n)]
    train = train_torch if library == "torch" else train_numpy
    train(x[rows], y[rows], int(y.max()) + 1, 3, rng)  # what happens once
    cpu, wall = cpu_seconds(), time.perf_counter()
    loss = train(x[rows], y[rows], int(y.max()) + 1, int(updates), rng)
    print(json.dumps({"cpu_seconds": cpu_seconds() - cpu, "wall_seconds": time.perf_counter() - wall, "loss": loss}))


if __name__ == "__main__":
    main()
