#!/usr/bin/env python3
"""Writes the benchmark's synthetic features and labels.

    make_data.py DIRECTORY      writes a_features.npy, a_labels.npy, b_features.npy, ...

They look like the last layer of a network: non-negative, about half zeros, correlated, with a
spectrum that decays like a power of the index, and with classes that differ in their mean.
"""
import pathlib
import sys

import numpy as np

CASES = {  # name: samples, dimensions, classes
    "a": (10000, 2048, 100),
    "b": (5000, 768, 1000),
}


def features_and_labels(samples, dim, classes, seed):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(samples) % classes).astype(np.int64)
    decay = np.arange(1, dim + 1, dtype=np.float32) ** np.float32(-0.7)
    centres = 0.7 * rng.standard_normal((classes, dim), dtype=np.float32)
    hidden = (rng.standard_normal((samples, dim), dtype=np.float32) + centres[labels]) * decay
    mixed = hidden @ rng.standard_normal((dim, dim), dtype=np.float32)
    return np.maximum(mixed, 0), labels


def save(path, array):
    """Whole or not at all: a file cut short would be found and used by the next run."""
    part = path.with_name(path.name + ".part")
    with open(part, "wb") as file:
        np.save(file, array)
    part.rename(path)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make_data.py DIRECTORY")
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for seed, (name, (samples, dim, classes)) in enumerate(CASES.items()):
        features, labels = features_and_labels(samples, dim, classes, seed)
        save(directory / f"{name}_features.npy", features)
        save(directory / f"{name}_labels.npy", labels)
        print(f"case {name}: n = {samples}, D = {dim}, C = {classes}")


if __name__ == "__main__":
    main()
