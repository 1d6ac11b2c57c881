#!/usr/bin/env python3
"""Are the commands of the documentation true? Those in ```console blocks of the tutorial and the how-to pages are run, page by page
in their order; of all others the command and its options must exist.
    docs/site/run_commands.py BUILD     uses the assay and the digits demo of that build"""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^[ ]*```(\w*)\n(.*?)^[ ]*```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\s*\$?\s*(?:build/)?assay\s+(.*)$")
RUN_PAGES = ["tutorial.md", *sorted(str(p.relative_to(ROOT / "docs")) for p in (ROOT / "docs/how-to").glob("*.md"))]


def logical_lines(block):
    """Lines of a block; a backslash at the end continues one."""
    return re.sub(r"\\\n\s*", " ", block).splitlines()


def console_commands(page):
    for kind, block in FENCE.findall(page.read_text()):
        if kind == "console":
            yield from (line.strip()[2:] for line in logical_lines(block) if line.strip().startswith("$ "))


def documented_commands(page):
    for _, block in FENCE.findall(page.read_text()):
        for line in logical_lines(block):
            found = COMMAND.match(line)
            if found:
                yield found[1]


class Helper:
    """What `assay help COMMAND` says, asked once."""

    def __init__(self, assay):
        self.assay = assay
        self.known = {}

    def text(self, words):
        if words not in self.known:
            done = subprocess.run([self.assay, "help", *words], capture_output=True, text=True, check=False)
            self.known[words] = done.stdout if done.returncode == 0 else None
        return self.known[words]


def problems_of(command, helper):
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        return  # a line of a picture of the terminal
    plain = [w for w in words if re.fullmatch(r"[a-z][a-z-]*", w)]
    options = [w.split("=")[0] for w in words if re.fullmatch(r"--[a-z][\w-]*(=.*)?", w)]
    chain = ()
    for word in plain[:2]:
        if words[len(chain)] != word or helper.text((*chain, word)) is None:
            break
        chain = (*chain, word)
    if not chain and words and not words[0].startswith("-"):
        yield f"'assay {words[0]}' is no command"
        return
    text = (helper.text(chain) or "") + (helper.text(()) or "")
    for option in options:
        if not re.search(rf"{re.escape(option)}\b", text):
            yield f"assay {' '.join(chain)} has no option {option}"


def prepare(folder, build):
    """What the pages start from: the digits, ids of groups, a curve measured elsewhere."""
    demo = folder / "demo"
    subprocess.run([build / "examples/digits_hub", ROOT / "examples/digits/digits.npy", demo], check=True, stdout=subprocess.DEVNULL)
    (folder / "bin").mkdir()
    (folder / "bin/assay").symlink_to(build / "assay")


def work_folder(folder, name):
    work = folder / name.replace("/", "_")
    work.mkdir()
    if name != "tutorial.md":  # which copies them itself
        for item in ("hub", "labels.npy", "truth.csv"):
            (work / item).symlink_to(folder / "demo" / item)
    (work / "groups.txt").write_text("".join(f"{row // 5}\n" for row in range(1000)))
    (work / "measured.csv").write_text("name,seed,samples,val_loss\nvit,0,10,1.5\nvit,0,100,0.4\nvit,0,1000,0.2\n")
    return work


def failures_of(name, folder, has_page):
    work = work_folder(folder, name)
    environment = {"PATH": f"{folder / 'bin'}:/usr/bin:/bin", "ASSAY_BUILD": str(folder), "HOME": str(folder), "COLUMNS": "100"}
    commands = list(console_commands(ROOT / "docs" / name))
    if not commands and name != "how-to/improve-a-small-network.md":  # which needs networks
        yield f"docs/{name}: no command to run"
    for command in commands:
        if "--html" in command and not has_page:
            continue
        done = subprocess.run(["bash", "-c", command], cwd=work, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            yield f"docs/{name}: '{command}' ended with {done.returncode}: {done.stderr.strip()[-300:]}"


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build").resolve()
    helper = Helper(build / "assay")
    failures = []
    seen = 0
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        if "node_modules" in page.parts:
            continue
        for command in documented_commands(page):
            seen += 1
            failures += [f"{page.relative_to(ROOT)}: {problem}" for problem in problems_of(command, helper)]
    doctor = subprocess.run([build / "assay", "doctor"], capture_output=True, text=True, check=True).stdout
    has_page = bool(re.search(r"^page of --html\s+yes", doctor, re.MULTILINE))
    with tempfile.TemporaryDirectory(prefix="assay-docs-") as name:
        folder = pathlib.Path(name)
        prepare(folder, build)
        for page in RUN_PAGES:
            failures += failures_of(page, folder, has_page)
    print(f"docs: {seen} commands exist as written, pages {', '.join(RUN_PAGES)} were run" if not failures else "\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
