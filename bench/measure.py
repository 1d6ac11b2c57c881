"""What the comparisons share: children measured from start to end, medians, tables."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

PEERS = pathlib.Path(__file__).parent / "peers"


def python_with(*modules):
    """A Python that has them all, or None."""
    for python in (sys.executable, "/usr/bin/python3"):
        probe = subprocess.run([python, "-c", f"import {','.join(modules)}"], capture_output=True, check=False)
        if probe.returncode == 0:
            return python
    return None


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


def rank(assay, inputs, labels, metrics, threads, level=0, extra=()):
    """`assay rank` on a file or a hub: its JSON under "result", beside what it took."""
    result = run([assay, "rank", inputs, "--labels", labels, "--metric", metrics, "--ci", str(level),
                  "--threads", str(threads), "--quiet", "--json", "-", *extra])
    return {"result": json.loads(result.pop("output")), **result}


def peer(python, script, features, labels, threads):
    """A script of peers/: the JSON it prints under "result", beside what it took."""
    limit = {f"{library}_NUM_THREADS": str(threads) for library in ("OPENBLAS", "OMP", "MKL")}
    result = run([python, PEERS / script, features, labels], **limit)
    return {"result": json.loads(result.pop("output")), **result}


def median(runs, key):
    return statistics.median(r[key] for r in runs)


def summary(runs):
    return {key: median(runs, key) for key in ("cpu", "wall", "mb")}


def warm(path):
    """Both sides shall find the file in memory: this is no race of disks."""
    with open(path, "rb") as file:
        while file.read(1 << 24):
            pass


def print_table(header, rows):
    table = [header, *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(header))]
    for row in table:
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths)))
