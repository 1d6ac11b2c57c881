#!/usr/bin/env python3
"""Of the pairs of models that a truth can tell apart, how many does each metric order rightly?

    pairs_right.py NAME=RANK.json,TRUTH.csv[,TEST_ROWS] ...      RANK.json from `assay rank --json`

A pair counts when the measured accuracies differ by more than 1.96 standard errors of their difference: column accuracy_se, or binomial
for TEST_ROWS. Rows of the test set are shared, which the standard errors do not know: fewer pairs count than could.
"""
import csv
import json
import math
import sys


def pairs_of(truth, names, test_rows):
    value = {name: float(truth[name]["accuracy"]) for name in names}
    error = {name: float(truth[name].get("accuracy_se") or math.sqrt(value[name] * (1 - value[name]) / test_rows)) for name in names}
    return [(a, b) if value[a] > value[b] else (b, a) for i, a in enumerate(names) for b in names[:i]
            if abs(value[a] - value[b]) > 1.96 * math.hypot(error[a], error[b])]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    table, sets = {}, []
    for one in sys.argv[1:]:
        name, rest = one.split("=", 1)
        scores, truth, *test_rows = rest.split(",")
        with open(truth) as file:
            measured = {line["name"]: line for line in csv.DictReader(file)}
        with open(scores) as file:
            models = [m for m in json.load(file)["models"] if m["name"] in measured]
        pairs = pairs_of(measured, [m["name"] for m in models], float(test_rows[0]) if test_rows else 1.0)
        sets.append(name)
        says = {"default": {m["name"]: -m["rank"] for m in models}}
        for metric in models[0]["scores"]:
            says[metric] = {m["name"]: m["scores"][metric]["value"] for m in models}
        for metric, value in says.items():
            table.setdefault(metric, {})[name] = (sum(value[a] > value[b] for a, b in pairs), len(pairs))
    print("| metric | " + " | ".join(sets) + " | all |\n" + "|---" * (len(sets) + 2) + "|")
    for metric, cells in table.items():
        right, count = (sum(cell[k] for cell in cells.values()) for k in (0, 1))
        print(f"| {metric} | " + " | ".join("{} of {}".format(*cells[s]) if s in cells else "-" for s in sets) + f" | {right} of {count} |")


if __name__ == "__main__":
    main()
