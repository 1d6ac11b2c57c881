#!/usr/bin/env python3
"""check_alone.py COMPILE_COMMANDS: runs every command with -fsyntax-only, and once more per header with that header alone."""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def check(job):
    name, folder, command, text = job
    done = subprocess.run(command, cwd=folder, input=text, capture_output=True, text=True, check=False)
    return name, done.returncode, done.stderr


def syntax_only(command):
    words = [w for w in shlex.split(command) if "ccache" not in w]
    at = words.index("-o")
    return [w for k, w in enumerate(words) if k not in (at, at + 1) and not w.startswith(("-MD", "-MT", "-MF"))]


def jobs(database):
    library = None
    for entry in database:
        source = pathlib.Path(entry["file"])
        if "build" in source.relative_to(ROOT).parts[:1]:
            continue
        words = re.sub(r" -M[TF] \S+| -MD", "", entry["command"])
        command = syntax_only(words) + ["-fsyntax-only"]
        if source.relative_to(ROOT).parts[0] == "src" and library is None:
            library = (entry["directory"], [w for w in command if w not in ("-c", entry["file"])])
        yield str(source.relative_to(ROOT)), entry["directory"], command, None
    folder, command = library
    for header in sorted((ROOT / "include").rglob("*.h")):
        name = header.relative_to(ROOT / "include")
        yield f"include/{name}", folder, command + ["-x", "c++", "-"], f'#include "{name}"\n'


def main():
    work = list(jobs(json.loads(pathlib.Path(sys.argv[1]).read_text())))
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, code, messages in pool.map(check, work):
            if code != 0:
                bad += 1
                print(f"alone: {name} does not compile by itself\n{messages[:2000]}", file=sys.stderr)
    print(f"alone: {len(work) - bad} of {len(work)} sources and headers compile by themselves")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
