#!/usr/bin/env python3
"""Which model each measure of a loss-data curve prefers as the data grow.

usage: preferred_by_size.py CURVE.json [NAME,NAME,...]   (the result of `assay curve --json`)
"""
import json
import sys


def best(models, key):
    """The name of the best, or how many share its value."""
    values = [key(m) for m in models]
    ties = values.count(min(values))
    return min(models, key=key)["name"] if ties == 1 else f"({ties} tie)"


def tolerance(kind):
    """Those that reach the first tolerance come first."""
    return lambda m: (m["at"][kind][0]["lower_bound"], m["at"][kind][0]["value"])


def main():
    models = json.load(open(sys.argv[1]))["models"]
    if len(sys.argv) > 2:
        models = [m for m in models if m["name"] in sys.argv[2].split(",")]
    print("| n | VA prefers | MDL prefers | SDL prefers | eSC prefers |\n|---|---|---|---|---|")
    for k, point in enumerate(models[0]["curve"]):
        for model in models:
            model["at"] = model["measures"][k]
        columns = [best(models, lambda m: m["at"]["va"]), best(models, lambda m: m["at"]["mdl"])]
        for kind in ("sdl", "esc"):
            reached = [m for m in models if not m["at"][kind][0]["lower_bound"]]
            columns.append(best(models, tolerance(kind)) if reached else "(too few rows)")
        print(f"| {point['n']} | " + " | ".join(columns) + " |")


if __name__ == "__main__":
    main()
