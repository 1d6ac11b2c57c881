#!/usr/bin/env python3
"""Line coverage per room, from the counters that the tests of the coverage preset left behind.

    tools/coverage.py [BUILD] [--files] [--least PERCENT]

A line of a header counts as run when any object that includes it ran it. `--files` also lists the
sources below the threshold with their first lines that did not run; exit 1 when a room is below it.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent


def lines_of(counters):
    """{source below src/: {line: count}} of one object."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", counters.name], cwd=counters.parent,
                          capture_output=True, text=True)
    out = collections.defaultdict(dict)
    for text in done.stdout.splitlines():
        if not text.startswith("{"):
            continue
        answer = json.loads(text)
        for file in answer["files"]:
            path = pathlib.Path(answer["current_working_directory"], file["file"]).resolve()
            if not path.is_relative_to(ROOT / "src"):
                continue
            lines = out[path.relative_to(ROOT / "src").as_posix()]
            for line in file["lines"]:
                number = line["line_number"]
                lines[number] = max(lines.get(number, 0), line["count"])
    return out


def merged(build):
    counters = sorted(build.rglob("*.gcda"))
    if not counters:
        sys.exit(f"{build}: no counters; run `make coverage`")
    everything = collections.defaultdict(dict)
    with ThreadPoolExecutor() as pool:
        for lines in pool.map(lines_of, counters):
            for source, counts in lines.items():
                known = everything[source]
                for number, count in counts.items():
                    known[number] = max(known.get(number, 0), count)
    return everything


def runs_of(numbers):
    """1-3, 7: neighbouring lines as ranges."""
    out = []
    for number in numbers:
        if out and number == out[-1][1] + 1:
            out[-1][1] = number
        else:
            out.append([number, number])
    return ", ".join(f"{a}-{b}" if a < b else str(a) for a, b in out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", nargs="?", default=ROOT / "build/coverage", type=pathlib.Path)
    parser.add_argument("--files", action="store_true")
    parser.add_argument("--least", type=float, default=85.0)
    args = parser.parse_args()
    sources = merged(args.build)
    rooms = collections.defaultdict(lambda: [0, 0])
    thin = []
    for source, lines in sorted(sources.items()):
        ran = sum(count > 0 for count in lines.values())
        room = rooms[source.split("/")[0]]
        room[0] += len(lines)
        room[1] += ran
        if lines and 100.0 * ran / len(lines) < args.least:
            thin.append((100.0 * ran / len(lines), source, sorted(n for n, c in lines.items() if c == 0)))
    if args.files:
        for share, source, missed in sorted(thin):
            print(f"{share:5.1f} %  {source}: {runs_of(missed)}")
    print("| room | lines | run | share |\n|---|---|---|---|")
    bad = False
    for name, (count, ran) in sorted(rooms.items()):
        share = 100.0 * ran / count
        bad |= share < args.least
        print(f"| `{name}` | {count:,} | {ran:,} | {share:.1f} % |")
    count, ran = (sum(room[k] for room in rooms.values()) for k in (0, 1))
    print(f"| all | {count:,} | {ran:,} | {100.0 * ran / count:.1f} % |")
    return bad


if __name__ == "__main__":
    sys.exit(main())
