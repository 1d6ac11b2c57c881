#!/usr/bin/env python3
"""Compares the metric `accuracy` with measured test accuracies: error and coverage of the 95 % interval, per set.

    accuracy.py ASSAY OUT NAME=FEATURES,LABELS,TRUTH,TEST_ROWS[,GROUPS] ...

FEATURES is a hub directory, TRUTH a CSV (name,accuracy). Results are kept in OUT/NAME.json and not computed again. Models named
after `--seen` (comma-separated NAME/MODEL) have features fitted to, or trained on, the very rows that are scored: shown with and without.
"""
import csv
import json
import math
import pathlib
import subprocess
import sys


def ranked(assay, out, name, features, labels, test_rows, groups):
    path = out / f"{name}.json"
    if not path.exists():
        command = [assay, "rank", features, "--labels", labels, "--metric", "accuracy", "--test-rows", test_rows,
                   "--json", str(path), "--quiet", *(["--groups", groups] if groups else [])]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return json.loads(path.read_text())


def row(name, errors):
    """errors: (difference, inside, variance of the truth)"""
    n = len(errors)
    bias = sum(e for e, _, _ in errors) / n
    mae = sum(abs(e) for e, _, _ in errors) / n
    beyond = math.sqrt(max(0.0, sum(e * e - v for e, _, v in errors) / n))
    return name, n, bias, mae, beyond, sum(inside for _, inside, _ in errors) / n


def main():
    arguments = sys.argv[1:]
    seen = set()
    if "--seen" in arguments:
        at = arguments.index("--seen")
        seen = set(arguments[at + 1].split(","))
        del arguments[at:at + 2]
    if len(arguments) < 3:
        sys.exit(__doc__)
    assay, out = arguments[0], pathlib.Path(arguments[1])
    out.mkdir(parents=True, exist_ok=True)
    rows, without = [], []
    for one in arguments[2:]:
        name, rest = one.split("=", 1)
        features, labels, truth, test_rows, *groups = rest.split(",")
        with open(truth) as file:
            measured = {line["name"]: float(line["accuracy"]) for line in csv.DictReader(file)}
        result = ranked(assay, out, name, features, labels, test_rows, groups[0] if groups else None)
        errors = {}
        for model in result["models"]:
            if model["name"] not in measured:
                continue
            score, t = model["scores"]["accuracy"], measured[model["name"]]
            errors[model["name"]] = (score["value"] - t, score["low"] <= t <= score["high"], t * (1 - t) / int(test_rows))
        rows.append(row(name, list(errors.values())))
        without.append(row(name, [e for m, e in errors.items() if f"{name}/{m}" not in seen]))
    for title, table in [("all models", rows)] + ([("without models that saw the rows", without)] if seen else []):
        mean = ["mean", sum(r[1] for r in table)] + [sum(r[k] for r in table) / len(table) for k in range(2, 6)]
        print(f"\n{title}, points\n\n| set | models | bias | mean absolute error | rmse beyond the test set's noise | inside 95 % |")
        print("|---|---|---|---|---|---|")
        for r in table + [mean]:
            print(f"| {r[0]} | {r[1]} | {100 * r[2]:+.2f} | {100 * r[3]:.2f} | {100 * r[4]:.2f} | {100 * r[5]:.0f} % |")


if __name__ == "__main__":
    main()
