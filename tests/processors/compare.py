#!/usr/bin/env python3
"""compare.py RESULT.json...: rankings, ties, flags and verdicts of `assay rank` must be identical, scores agree to 1e-6.

1e-6 is the accuracy that the engine states for sums of float products (docs/architecture.md).
"""
import json
import pathlib
import sys

STATED = 1e-6


def said(result):
    """What a reader acts upon: everything but digits."""
    models = {m["name"]: [m["rank"], m["tie_group"], {k: s["flags"] for k, s in m["scores"].items()}] for m in result["models"]}
    return {"models": models, "verdict": result.get("verdict")}


def scores(result):
    return {(m["name"], k): s["value"] for m in result["models"] for k, s in m["scores"].items()}


def main():
    paths = [pathlib.Path(p) for p in sys.argv[1:]]
    results = [json.loads(p.read_text()) for p in paths]
    first, bad, worst = results[0], 0, 0.0
    for path, result in zip(paths[1:], results[1:]):
        if said(result) != said(first):
            print(f"processors: {path.stem} ranks, flags or says other than {paths[0].stem}", file=sys.stderr)
            bad += 1
        for key, value in scores(result).items():
            expected = scores(first)[key]
            off = abs(value - expected) / max(1.0, abs(expected))
            worst = max(worst, off)
            if off > STATED:
                print(f"processors: {path.stem}: {key}: {value} against {expected}", file=sys.stderr)
                bad += 1
    print(f"processors: the demo's answer is the same on {len(paths)}; scores differ by {worst:.1e} at most")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
