#!/usr/bin/env python3
"""Every source of a room has a test: ROOM/NAME_test.cpp, a test that includes its header, or one that names it in a line
`// Tests: room/name, room/name.` because what it does is reached through another function or a whole command. And the parsers that are fuzzed, which are built
without the library, name the sources that they include.
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


def missing_in_fuzz_build(root):
    """A source that a listed parser includes and that the list lacks: the fuzz programs would not link."""
    listed = re.search(r"foreach\(source IN ITEMS\s(.*?)\)", (root / "tests/fuzz/CMakeLists.txt").read_text(), re.S)
    names = set(listed[1].split())
    for name in sorted(names):
        for used in re.findall(r'#include "(\w+/\w+)\.h"', (root / f"src/{name}.cpp").read_text()):
            whole = used.startswith(("core/", "io/"))  # these rooms are built as a whole
            if not whole and used not in names and (root / f"src/{used}.cpp").exists():
                yield f"tests/fuzz/CMakeLists.txt: {name} uses {used}, which is not listed"


if __name__ == "__main__":
    found = [*findings(ROOT), *missing_in_fuzz_build(ROOT)]
    print("\n".join(found), file=sys.stderr)
    sys.exit(bool(found))
