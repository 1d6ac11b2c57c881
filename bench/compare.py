#!/usr/bin/env python3
"""Races `assay rank` against plain Python peers on this machine and prints tables.

    compare.py --assay build/assay --data build/bench-data [--repeat 3] [--only logme|metrics|rank|prior] [--json FILE]

Both are child processes given the same files and threads, run in turns; every figure is a median.
"""
import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys

import compare_metrics
import compare_prior
import compare_rank
from measure import median, peer, print_table, python_with, rank, run, summary, warm

THREADS = (1, 2)
TOLERANCE = 1e-3  # nats: the peer stops its iteration early


class Race:
    def __init__(self, assay, repeat):
        self.assay, self.repeat, self.python = assay, repeat, python_with("numpy")
        if self.python is None:
            sys.exit("compare: no Python with NumPy found; install python3-numpy")

    def rank(self, features, labels, threads, level):
        result = rank(self.assay, features, labels, "logme", threads, level)
        model = result.pop("result")["models"][0]
        return {"logme": model["scores"]["logme"]["value"], **result}

    def peer(self, features, labels, threads):
        result = peer(self.python, "logme_numpy.py", features, labels, threads)
        return {"logme": result.pop("result")["logme"], **result}

    def case(self, name, features, labels, threads):
        numpy, assay, intervals = [], [], []
        for _ in range(self.repeat):
            numpy.append(self.peer(features, labels, threads))
            assay.append(self.rank(features, labels, threads, 0))
            intervals.append(self.rank(features, labels, threads, 0.95))
        difference = abs(median(numpy, "logme") - median(assay, "logme"))
        if not difference <= TOLERANCE:
            sys.exit(f"compare: case {name}: NumPy and Assay differ by {difference:.2g}")
        return {
            "case": name, "threads": threads, "numpy": summary(numpy), "assay": summary(assay),
            "assay_intervals": summary(intervals), "logme": median(assay, "logme"), "difference": difference,
            "cpu_ratio": median(numpy, "cpu") / median(assay, "cpu"),
            "wall_ratio": median(numpy, "wall") / median(assay, "wall"),
            "runs": {"numpy": numpy, "assay": assay, "assay_intervals": intervals},
        }


def logme_rows(race, data):
    rows = []
    for features in sorted(data.glob("*_features.npy")):
        name = features.name.removesuffix("_features.npy")
        if name == compare_metrics.PEER_CASE:
            continue  # made for the other table
        warm(features)
        labels = features.with_name(f"{name}_labels.npy")
        rows += [race.case(name, features, labels, threads) for threads in THREADS]
    if not rows:
        sys.exit(f"compare: no *_features.npy in {data}; run bench/make_data.py {data}")
    return rows


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    compiler = subprocess.run(["c++", "--version"], capture_output=True, text=True, check=False).stdout
    return {"cpu": model, "cores": os.cpu_count(), "compiler": compiler.split("\n")[0],
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")}


def print_logme(rows):
    print_table(
        ["case", "threads", "NumPy CPU s", "Assay CPU s", "CPU ratio", "wall ratio", "NumPy MB", "Assay MB"],
        [[r["case"], str(r["threads"]), f"{r['numpy']['cpu']:.2f}", f"{r['assay']['cpu']:.2f}",
          f"{r['cpu_ratio']:.1f}", f"{r['wall_ratio']:.1f}", f"{r['numpy']['mb']:.0f}", f"{r['assay']['mb']:.0f}"]
         for r in rows])
    print("\nAssay with 95 % intervals (21 scores instead of one)")
    print_table(["case", "threads", "CPU s", "wall s", "MB"],
                [[r["case"], str(r["threads"])] + [f"{r['assay_intervals'][key]:.{digits}f}"
                                                   for key, digits in (("cpu", 2), ("wall", 2), ("mb", 0))]
                 for r in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--assay", default="build/assay", help="the command (default: %(default)s)")
    parser.add_argument("--data", type=pathlib.Path, default="build/bench-data", help="what make_data.py wrote")
    parser.add_argument("--repeat", type=int, default=3, metavar="R", help="runs of each (default: %(default)s)")
    parser.add_argument("--only", choices=("logme", "metrics", "rank", "prior"), help="this table alone (default: all)")
    parser.add_argument("--json", metavar="FILE", help="also write every figure here")
    args = parser.parse_args()
    about = machine()
    result = {"machine": about, "repeat": args.repeat}
    print(f"{about['cpu']}, {about['cores']} cores; {about['compiler']}; median of {args.repeat}\n")
    if args.only in (None, "logme"):
        result["rows"] = logme_rows(Race(args.assay, args.repeat), args.data)
        print_logme(result["rows"])
    if args.only in (None, "metrics"):
        if "rows" in result:
            print()
        result["metrics"] = compare_metrics.measure(args.assay, args.data, args.repeat, THREADS)
        compare_metrics.print_results(result["metrics"])
    if args.only in (None, "rank"):
        if args.only is None:
            print()
        result["rank"] = compare_rank.measure(args.assay, args.data, args.repeat)
        compare_rank.print_results(result["rank"])
    if args.only in (None, "prior"):
        if args.only is None:
            print()
        result["prior"] = compare_prior.measure(args.assay, args.data, args.repeat, THREADS)
        compare_prior.print_results(result["prior"])
    result["startup_ms"] = 1e3 * statistics.median(run([args.assay, "--help"])["wall"] for _ in range(20))
    print(f"\nassay --help: {result['startup_ms']:.1f} ms")
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
