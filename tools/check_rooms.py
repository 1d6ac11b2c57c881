#!/usr/bin/env python3
"""Who may include whom. A room is a folder of src/ (and of include/assay/); what is not listed is not allowed.

    check_rooms.py           checks the tree
    check_rooms.py --table   prints the table of docs/architecture.md
"""
import pathlib
import re
import sys

BASE = "core"  # every room may use it
FOUNDATIONS = {  # know nothing of commands
    "core": "", "io": "", "linalg": "", "stats": "linalg", "learn": "linalg", "data": "io linalg", "net": "io",
    "hub": "io data net", "images": "io data net", "metrics": "linalg learn data", "report": "io data",
}
CAPABILITIES = {  # one per command: a request in, a result out, with its own table, JSON and verdict
    "extract": "io data net hub images report",
    "rank": "io linalg data stats hub metrics report",
    "evaluate": "io data learn stats hub metrics report",
    "predict": "linalg data metrics",
    "curve": "io linalg learn data hub metrics report",
    "prior": "io linalg learn data stats hub report",
    "robust": "io linalg learn data net hub images report",
    "tune": "io linalg learn data stats net hub images metrics report extract evaluate",
}
# Planned, so that nobody looks for another place: `parts` (a foundation: mergeable work; uses io data), `search` (uses rank
# and extract), `track` (uses rank and prior).
USES = {**FOUNDATIONS, **CAPABILITIES}
HEAVY_EIGEN = re.compile(r"#include <Eigen/(SVD|Eigenvalues|QR|Dense)>")


def findings(root):
    for path in sorted([*root.glob("src/*/*.*"), *root.glob("include/assay/*/*.h")]):
        if path.suffix not in (".h", ".cpp"):
            continue
        room, where = path.parent.name, path.relative_to(root)
        if room not in USES:
            yield f"{where}: '{room}' is not a room; add it to tools/check_rooms.py"
            continue
        text = path.read_text(errors="replace")
        for public, used in re.findall(r'^#include "(assay/)?(\w+)/', text, re.M):
            if used in USES and used not in {room, BASE, *USES[room].split()}:
                yield f"{where}: {room} may not use {used}"
            if not public and where.parts[0] == "include":
                yield f"{where}: a public header may not include a private one of {used}"
        if HEAVY_EIGEN.search(text):
            yield f"{where}: heavy Eigen headers cost tens of seconds; use linalg"


def main():
    if "--table" in sys.argv:
        print("| room | may use, beside `core` |\n|---|---|")
        for room, used in USES.items():
            print(f"| `{room}` | {', '.join(f'`{u}`' for u in used.split()) or 'nothing'} |")
        return 0
    bad = list(findings(pathlib.Path(__file__).resolve().parent.parent))
    print("\n".join(bad), file=sys.stderr, end="\n" if bad else "")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
