#!/usr/bin/env python3
"""Who may include whom. A room is a folder of src/ with its public headers in include/assay/; what is not listed is not allowed.

    check_rooms.py           checks the tree
    check_rooms.py --table   prints the table of docs/architecture.md
"""
import pathlib
import re
import sys

BASE = "core"  # every room may use it
FOUNDATIONS = {  # know nothing of commands
    "core": "", "io": "", "linalg": "", "stats": "linalg", "learn": "linalg", "data": "io linalg", "parts": "io data",
    "net": "io",
    "hub": "io data net", "images": "io data net", "metrics": "linalg learn data", "report": "io data",
}
CAPABILITIES = {  # one per command: a request in, a result out, with its own table, JSON and verdict
    "extract": "io parts data net hub images report",
    "rank": "io parts linalg data stats hub metrics report",
    "evaluate": "io parts data learn stats hub metrics report",
    "predict": "linalg data metrics report",
    "curve": "io parts linalg learn data hub metrics report",
    "prior": "io parts linalg learn data stats hub report",
    "robust": "io parts linalg stats learn data net hub images report",
    "tune": "io parts linalg learn data stats net hub images metrics report extract evaluate",
    "search": "io data net stats hub images metrics report extract rank",
    "similar": "io linalg data hub report",
    "track": "io linalg data stats hub metrics report rank prior",
}
USES = {**FOUNDATIONS, **CAPABILITIES}
PUBLIC = {  # headers in include/assay/ that do not have the name of their room
    "types": "core", "error": "core", "thread_pool": "core", "progress": "core", "version": "core",
    "array": "io", "digest": "io", "rows": "data", "targets": "data", "features": "data", "correlation": "stats",
    "paired_test": "stats", "learning": "learn", "network": "net", "plugin": "net", "metric": "metrics", "logme": "metrics",
    "truth": "evaluate", "work_share": "parts", "cluster": "parts",
}
HEAVY_EIGEN = re.compile(r"#include <Eigen/(SVD|Eigenvalues|QR|Dense)>")


def room_of(where):
    """Of a path below src/ or include/assay/, or of what an #include names."""
    parts = pathlib.PurePath(where).parts
    if parts[0] == "include":
        parts = parts[1:]
    if parts[0] == "assay":
        stem = pathlib.PurePath(parts[-1]).stem
        return PUBLIC.get(stem, stem) if len(parts) == 2 else None
    return parts[1] if parts[0] == "src" else parts[0]


def unlisted(folder):
    """A source that its room's list forgets would be missed only when something calls it."""
    listed = set(re.findall(r"[\w]+\.cpp", (folder / "CMakeLists.txt").read_text()))
    return {p.name for p in folder.glob("*.cpp")} ^ listed


def findings(root):
    for path in sorted([*root.glob("src/*/*.*"), *root.glob("include/assay/**/*.h")]):
        where = path.relative_to(root)
        if path.name == "CMakeLists.txt":
            yield from (f"{where}: {name} is listed or there, not both" for name in sorted(unlisted(path.parent)))
        if path.suffix not in (".h", ".cpp"):
            continue
        room = room_of(where)
        if room not in USES:
            yield f"{where}: '{room}' is not a room; add it to tools/check_rooms.py"
            continue
        text = path.read_text(errors="replace")
        for used in re.findall(r'^#include "([\w/]+\.h)"', text, re.M):
            if room_of(used) in USES and room_of(used) not in {room, BASE, *USES[room].split()}:
                yield f"{where}: {room} may not use {room_of(used)}"
            if where.parts[0] == "include" and not used.startswith("assay/"):
                yield f"{where}: a public header may not include the private {used}"
        if where.parts[0] == "include" and re.search(r"#include <(nlohmann|fmt)/", text):
            yield f"{where}: a public header may not need a library that only sources use"
        if HEAVY_EIGEN.search(text):
            yield f"{where}: heavy Eigen headers cost tens of seconds; use linalg"


def table_rows():
    return [f"| `{room}` | {', '.join(f'`{u}`' for u in used.split()) or 'nothing'} |" for room, used in USES.items()]


def main():
    if "--table" in sys.argv:
        print("\n".join(["| room | may use, beside `core` |", "|---|---|", *table_rows()]))
        return 0
    bad = list(findings(pathlib.Path(__file__).resolve().parent.parent))
    print("\n".join(bad), file=sys.stderr, end="\n" if bad else "")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
