#!/usr/bin/env python3
"""Races over real hubs and a synthetic thousand (studies/race_study.cpp): runs what is missing, then prints the table.

    studies/race.py build/studies/race_study RESULTS.csv HUB_FOLDER... [--races 23] [--made 10] [--share 0.25] [--table]

A HUB_FOLDER holds NAME/ with one feature file per model and NAME_labels.npy, for every data set NAME. --made is the number of
races on a thousand models made of each of the first three data sets. --table only prints.
"""
import argparse
import csv
import pathlib
import statistics
import subprocess

FIELDS = ["hub", "models", "seed", "samples", "work", "end", "hit", "best_found", "erred", "halving_hit", "share_hit", "seconds", "full_seconds"]
MADE = 1000


def data_sets(folders):
    for folder in folders:
        for labels in sorted(folder.glob("*_labels.npy")):
            hub = folder / labels.name.removesuffix("_labels.npy")
            if hub.is_dir():
                yield hub, labels


def known(path):
    if not path.exists():
        return []
    with path.open() as lines:
        return [row for row in csv.DictReader(lines, FIELDS) if row["full_seconds"]]


def run(args, name, hub, labels, races, made):
    done = {int(row["seed"]) for row in known(args.results) if row["hub"] == name}
    missing = [seed for seed in range(1, races + 1) if seed not in done]
    if not missing:
        return
    if missing != list(range(missing[0], races + 1)):
        raise SystemExit(f"{args.results}: {name} has gaps; remove its lines")
    command = [args.study, name, hub, labels, str(missing[0]), str(len(missing)), str(args.share), *([str(MADE)] if made else [])]
    with args.results.open("a") as out:
        subprocess.run([str(word) for word in command], stdout=out, check=True)


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def line(title, rows):
    work = [float(row["work"]) for row in rows]
    count = len(rows)

    def share(field):
        return f"{100 * sum(int(row[field]) for row in rows) / count:.1f}"

    settled = 100 * sum(row["end"] != "budget" for row in rows) / count
    seconds = statistics.mean(float(row["seconds"]) for row in rows)
    full = statistics.mean(float(row["full_seconds"]) for row in rows)
    cells = [title, count, f"{100 * statistics.median(work):.1f}", f"{100 * quantile(work, 0.9):.1f}", share("hit"),
             share("best_found"), share("erred"), f"{settled:.0f}", share("halving_hit"), share("share_hit"), f"{seconds:.2f} / {full:.2f}"]
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def table(rows):
    print("| hub | races | work, median % | p90 % | hit % | best found % | erred % | ended before the budget % | halving hit % "
          "| everything on the share, hit % | CPU s, race / all |")
    print("|" + "---|" * 11)
    groups = {}
    for row in rows:
        groups.setdefault(row["hub"], []).append(row)
    for name, group in groups.items():
        line(name, group)
    for title, made in (("all real hubs", False), ("all synthetic thousands", True)):
        group = [row for row in rows if (int(row["models"]) == MADE) == made]
        if group:
            line(title, group)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("folders", type=pathlib.Path, nargs="*")
    parser.add_argument("--races", type=int, default=23)
    parser.add_argument("--made", type=int, default=10)
    parser.add_argument("--share", type=float, default=0.25)
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()
    if not args.table:
        sets = list(data_sets(args.folders))
        for hub, labels in sets:
            run(args, hub.name, hub, labels, args.races, False)
        for hub, labels in sets[:3]:
            run(args, f"thousand of {hub.name}", hub, labels, args.made, True)
    table(known(args.results))


if __name__ == "__main__":
    main()
