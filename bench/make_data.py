#!/usr/bin/env python3
"""Writes the benchmark's synthetic features and labels.

    make_data.py DIRECTORY      writes a_features.npy, a_labels.npy, ..., d_labels.npy, d_hub/NAME.npy, e_prior.npy, e_model.npy

They look like the last layer of a network: non-negative, about half zeros, correlated, with a
spectrum that decays like a power of the index, and with classes that differ in their mean.
"""
import pathlib
import sys

import numpy as np

CASES = {  # name: samples, dimensions, classes
    "a": (10000, 2048, 100),
    "b": (5000, 768, 1000),
    "c": (1000, 2048, 100),
}
HUBS = {  # name: models, samples, dimensions, classes
    "d": (16, 2000, 1024, 10),
}
PAIRS = {  # name: samples, dimensions, classes; a prior and a model of the same samples
    "e": (8192, 768, 20),
}
SEPARATION = 0.7  # of the class means, in standard deviations


def labels_of(rng, samples, classes):
    return rng.permutation(np.arange(samples) % classes).astype(np.int64)


def features_of(rng, labels, dim, separation):
    decay = np.arange(1, dim + 1, dtype=np.float32) ** np.float32(-0.7)
    centres = np.float32(separation) * rng.standard_normal((labels.max() + 1, dim), dtype=np.float32)
    hidden = (rng.standard_normal((len(labels), dim), dtype=np.float32) + centres[labels]) * decay
    mixed = hidden @ rng.standard_normal((dim, dim), dtype=np.float32)
    return np.maximum(mixed, 0)


def save(path, array):
    """Whole or not at all: a file cut short would be found and used by the next run."""
    part = path.with_name(path.name + ".part")
    with open(part, "wb") as file:
        np.save(file, array)
    part.rename(path)


def write_case(directory, name, seed, samples, dim, classes):
    rng = np.random.default_rng(seed)
    labels = labels_of(rng, samples, classes)
    save(directory / f"{name}_features.npy", features_of(rng, labels, dim, SEPARATION))
    save(directory / f"{name}_labels.npy", labels)
    print(f"case {name}: n = {samples}, D = {dim}, C = {classes}")


def write_hub(directory, name, seed, models, samples, dim, classes):
    """Models of rising quality on the same labels."""
    rng = np.random.default_rng(seed)
    labels = labels_of(rng, samples, classes)
    hub = directory / f"{name}_hub"
    hub.mkdir(exist_ok=True)
    for model in range(models):
        features = features_of(rng, labels, dim, SEPARATION * (model + 1) / models)
        save(hub / f"model{model:02}.npy", features)
    save(directory / f"{name}_labels.npy", labels)
    print(f"case {name}: {models} models, n = {samples}, D = {dim}, C = {classes}")


def write_pair(directory, name, seed, samples, dim, classes):
    rng = np.random.default_rng(seed)
    labels = labels_of(rng, samples, classes)
    for role, separation in (("prior", SEPARATION), ("model", 0.5 * SEPARATION)):
        save(directory / f"{name}_{role}.npy", features_of(rng, labels, dim, separation))
    print(f"case {name}: a prior and a model, n = {samples}, D = {dim}")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make_data.py DIRECTORY")
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for seed, (name, sizes) in enumerate(CASES.items()):
        write_case(directory, name, seed, *sizes)
    for seed, (name, sizes) in enumerate(HUBS.items(), start=100):
        write_hub(directory, name, seed, *sizes)
    for seed, (name, sizes) in enumerate(PAIRS.items(), start=200):
        write_pair(directory, name, seed, *sizes)


if __name__ == "__main__":
    main()
