#!/usr/bin/env python3
"""Prints SynBench scores beside measured probe accuracies, and how well the two agree over the networks.

    synbench_table.py RESULT.json TRUTH.csv...     RESULT: `assay robust score --json`; TRUTH: name, accuracy

Accuracy is the mean over the truth files. Agreement is Spearman's rank correlation, with a 95 % interval from 10,000
resamples of the networks (percentiles): with so few networks it is wide.
"""
import csv
import json
import pathlib
import random
import sys


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    out = [0.0] * len(values)
    first = 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for i in order[first : last + 1]:
            out[i] = (first + last) / 2
        first = last + 1
    return out


def spearman(x, y):
    """None where one of them is constant."""
    a, b = ranks(x), ranks(y)
    mean = (len(x) - 1) / 2
    product = sum((p - mean) * (q - mean) for p, q in zip(a, b))
    spread = sum((p - mean) ** 2 for p in a) * sum((q - mean) ** 2 for q in b)
    return product / spread**0.5 if spread > 0 else None


def interval(x, y):
    rng, found = random.Random(0), []
    while len(found) < 10_000:
        rows = [rng.randrange(len(x)) for _ in x]
        value = spearman([x[i] for i in rows], [y[i] for i in rows])
        if value is not None:
            found.append(value)
    found.sort()
    return found[250], found[-251]


def accuracies(paths):
    """The mean over the files, of models that are in all of them."""
    columns = []
    for path in paths:
        with open(path, newline="") as file:
            columns.append({row["name"]: float(row["accuracy"]) for row in csv.DictReader(file)})
    return {name: sum(c[name] for c in columns) / len(columns) for name in columns[0] if all(name in c for c in columns)}


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    models = json.loads(pathlib.Path(sys.argv[1]).read_text())["models"]
    truth = accuracies(sys.argv[2:])
    models = sorted((m for m in models if m["name"] in truth), key=lambda m: -truth[m["name"]])
    accuracy = [truth[model["name"]] for model in models]
    for threshold in sorted({score["threshold"] for score in models[0]["scores"]}):
        epsilons = [score["epsilon"] for score in models[0]["scores"] if score["threshold"] == threshold]
        score = {
            (model["name"], one["epsilon"]): one["calibrated"]
            for model in models
            for one in model["scores"]
            if one["threshold"] == threshold
        }
        print(f"\nThreshold accuracy {threshold:g}, calibrated scores:\n")
        print("| network | D | probe accuracy | " + " | ".join(f"ε = {e:g}" for e in epsilons) + " |")
        print("|---" * (len(epsilons) + 3) + "|")
        for model, value in zip(models, accuracy):
            cells = [f"{score[model['name'], e]:.3f}" for e in epsilons]
            print(f"| {model['name']} | {model['dim']} | {value:.3f} | " + " | ".join(cells) + " |")
        cells = []
        for epsilon in epsilons:
            column = [score[model["name"], epsilon] for model in models]
            found = spearman(column, accuracy)
            cells.append("–" if found is None else "{:.2f} [{:.2f}, {:.2f}]".format(found, *interval(column, accuracy)))
        print("| rank correlation | | | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
