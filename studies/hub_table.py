#!/usr/bin/env python3
"""Prints a Markdown table metric x data set from the JSON files of `assay rank --truth`.

    hub_table.py MEASURE RESULT.json...      MEASURE: weighted_kendall, kendall, regret1, ...

One column per file, named by its stem, then the mean; metrics by that mean, best first.
"""
import json
import pathlib
import sys


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    measure, paths = sys.argv[1], [pathlib.Path(p) for p in sys.argv[2:]]
    columns = [json.loads(path.read_text())["evaluation"]["metrics"] for path in paths]
    names = sorted(set().union(*columns))
    rows = []
    for name in names:
        values = [column.get(name, {}).get(measure) for column in columns]
        known = [value for value in values if value is not None]
        if len(known) == len(columns):
            rows.append((sum(known) / len(known), name, values))
    rows.sort(reverse=not measure.startswith("regret"))
    print("| " + " | ".join(["metric", *(path.stem for path in paths), "mean"]) + " |")
    print("|---" * (len(paths) + 2) + "|")
    for mean, name, values in rows:
        print("| " + " | ".join([name, *(f"{value:.3f}" for value in values), f"**{mean:.3f}**"]) + " |")


if __name__ == "__main__":
    main()
