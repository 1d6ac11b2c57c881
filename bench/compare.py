#!/usr/bin/env python3
"""Races `assay rank` against the plain NumPy peer on this machine and prints a table.

    compare.py --assay build/assay --data build/bench-data [--repeat 3] [--json FILE]

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
import tempfile
import time

PEER = pathlib.Path(__file__).parent / "peers" / "logme_numpy.py"
THREADS = (1, 2)
TOLERANCE = 1e-3  # nats: the peer stops its iteration early


def python_with_numpy():
    for python in (sys.executable, "/usr/bin/python3"):
        probe = subprocess.run([python, "-c", "import numpy"], capture_output=True, check=False)
        if probe.returncode == 0:
            return python
    sys.exit("compare: no Python with NumPy found; install python3-numpy")


def run(command, **environment):
    """One child from start to end: what it printed, CPU and wall seconds, peak megabytes."""
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=out, env={**os.environ, **environment})
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)  # already reaped
        if child.returncode != 0:
            sys.exit(f"compare: exit code {child.returncode} from: {' '.join(map(str, command))}")
        out.seek(0)
        return {"output": out.read().decode(), "cpu": usage.ru_utime + usage.ru_stime, "wall": wall,
                "mb": usage.ru_maxrss / 1024}


def median(runs, key):
    return statistics.median(r[key] for r in runs)


def summary(runs):
    return {key: median(runs, key) for key in ("cpu", "wall", "mb")}


class Race:
    def __init__(self, assay, repeat):
        self.assay, self.repeat, self.python = assay, repeat, python_with_numpy()

    def rank(self, features, labels, threads, level):
        result = run([self.assay, "rank", features, "--labels", labels, "--metric", "logme", "--ci", str(level),
                      "--threads", str(threads), "--quiet", "--json", "-"])
        model = json.loads(result.pop("output"))["models"][0]
        return {"logme": model["scores"]["logme"]["value"], **result}

    def peer(self, features, labels, threads):
        limit = {f"{library}_NUM_THREADS": str(threads) for library in ("OPENBLAS", "OMP", "MKL")}
        result = run([self.python, PEER, features, labels], **limit)
        return {"logme": json.loads(result.pop("output"))["logme"], **result}

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


def warm(path):
    """Both sides shall find the file in memory: this is no race of disks."""
    with open(path, "rb") as file:
        while file.read(1 << 24):
            pass


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    compiler = subprocess.run(["c++", "--version"], capture_output=True, text=True, check=False).stdout
    return {"cpu": model, "cores": os.cpu_count(), "compiler": compiler.split("\n")[0],
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")}


def print_table(header, rows):
    table = [header, *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(header))]
    for row in table:
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths)))


def print_results(result):
    about = result["machine"]
    print(f"{about['cpu']}, {about['cores']} cores; {about['compiler']}; median of {result['repeat']}\n")
    print_table(
        ["case", "threads", "NumPy CPU s", "Assay CPU s", "CPU ratio", "wall ratio", "NumPy MB", "Assay MB"],
        [[r["case"], str(r["threads"]), f"{r['numpy']['cpu']:.2f}", f"{r['assay']['cpu']:.2f}",
          f"{r['cpu_ratio']:.1f}", f"{r['wall_ratio']:.1f}", f"{r['numpy']['mb']:.0f}", f"{r['assay']['mb']:.0f}"]
         for r in result["rows"]])
    print("\nAssay with 95 % intervals (21 scores instead of one)")
    print_table(["case", "threads", "CPU s", "wall s", "MB"],
                [[r["case"], str(r["threads"])] + [f"{r['assay_intervals'][key]:.{digits}f}"
                                                   for key, digits in (("cpu", 2), ("wall", 2), ("mb", 0))]
                 for r in result["rows"]])
    print(f"\nassay --help: {result['startup_ms']:.1f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--assay", default="build/assay", help="the command (default: %(default)s)")
    parser.add_argument("--data", type=pathlib.Path, default="build/bench-data", help="what make_data.py wrote")
    parser.add_argument("--repeat", type=int, default=3, metavar="R", help="runs of each (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="also write every figure here")
    args = parser.parse_args()
    race = Race(args.assay, args.repeat)
    result = {"machine": machine(), "repeat": args.repeat, "rows": []}
    for features in sorted(args.data.glob("*_features.npy")):
        name = features.name.removesuffix("_features.npy")
        labels = features.with_name(f"{name}_labels.npy")
        warm(features)
        result["rows"] += [race.case(name, features, labels, threads) for threads in THREADS]
    if not result["rows"]:
        sys.exit(f"compare: no *_features.npy in {args.data}; run bench/make_data.py {args.data}")
    result["startup_ms"] = 1e3 * statistics.median(run([args.assay, "--help"])["wall"] for _ in range(20))
    print_results(result)
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
