#!/usr/bin/env python3
"""Every source of a room has a test: ROOM/NAME_test.cpp, a test that includes its header, or one that names it in a line
`// Tests: room/name, room/name.` because what it does is reached through another function or a whole command.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WITHOUT: dict[str, str] = {}  # source: why there is no test of it


def findings(root):
    sources = {p.relative_to(root / "src").with_suffix("").as_posix() for p in root.glob("src/*/*.cpp")}
    named = set()
    for path in [*root.glob("tests/*/*.cpp"), *root.glob("tests/*/*.h")]:
        text = path.read_text()
        if path.stem.endswith("_test"):
            named.add(f"{path.parent.name}/{path.stem.removesuffix('_test')}")
        named.update(re.findall(r'#include "(?:assay/)?(\w+/\w+)\.h"', text))
        listed = [name for line in re.findall(r"^// Tests: (.*(?:\n//   .*)*)", text, re.M)
                  for name in re.findall(r"\w+/\w+", line)]
        named.update(listed)
        yield from (f"{path.relative_to(root)}: names {name}, which is no source" for name in listed if name not in sources)
    yield from (f"src/{source}.cpp: no test has its name, its header or a line about it"
                for source in sorted(sources - named - set(WITHOUT)))
    yield from (f"{pathlib.Path(__file__).name}: {name} needs no exception" for name in WITHOUT
                if name not in sources or name in named)


if __name__ == "__main__":
    found = list(findings(ROOT))
    print("\n".join(found), file=sys.stderr)
    sys.exit(bool(found))
