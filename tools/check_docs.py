#!/usr/bin/env python3
"""Docs that can go stale unnoticed: every metric has a page, local links lead somewhere, paths named in
the pages for contributors exist, no page names a machine's paths, none is missing on the site."""
import json
import pathlib
import re
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
METRIC = re.compile(r'Metric\{\.name = "(\w+)"')
METRIC_ROW = re.compile(r"^\| `(\w+)` .*\[[^\]]*\]\(([^)]+)\) \|$", re.MULTILINE)


def missing_metrics(root):
    """Every metric has a row in docs/metrics/README.md that links to a page with a heading for it."""
    folder = root / "docs/metrics"
    pages = dict(METRIC_ROW.findall((folder / "README.md").read_text()))
    for name in METRIC.findall((root / "src/metrics/table.cpp").read_text()):
        if name not in pages:
            yield f"docs/metrics/README.md: no row for '{name}' that links to its page"
            continue
        page = folder / pages[name]
        text = page.read_text() if page.exists() else ""
        if not re.search(rf"^#.*\b{name}\b", text, re.MULTILINE | re.IGNORECASE):
            yield f"docs/metrics/{pages[name]}: no heading names '{name}'"


PATH = re.compile(r"`((?:src|include|cli|tools|tests|python|web|cmake|studies|examples|plugins)/[\w./-]+)`")


def missing_paths(root):
    """Files and folders that the pages for contributors name exist; NAME stands for one to be made."""
    for page in ("docs/architecture.md", "CONTRIBUTING.md", "SECURITY.md"):
        for path in PATH.findall((root / page).read_text()):
            if "NAME" not in path and not (root / path).exists():
                yield f"{page}: {path} does not exist"


def stale_rooms(root):
    """The table of who may use whom is the one that is checked, and every capability is named."""
    import check_rooms
    page = (root / "docs/architecture.md").read_text()
    for row in check_rooms.table_rows():
        if row not in page:
            yield f"docs/architecture.md: has no row '{row}' (tools/check_rooms.py --table)"
    for room in check_rooms.CAPABILITIES:
        if page.count(f"| `{room}` |") < 2:
            yield f"docs/architecture.md: the capability '{room}' has no row that says what it is for"


def versions(root):
    """CMakeLists.txt has the version; what repeats it says the same."""
    version = re.search(r"project\(assay VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text())[1]
    if f"\nversion: {version}\n" not in (root / "CITATION.cff").read_text():
        yield f"CITATION.cff: its version is not {version}"
    latest = re.search(r"^## (\d[\d.]*)", (root / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
    if latest != version:
        yield f"CHANGELOG.md: the latest version is {latest}, that of CMakeLists.txt {version}"


def unlisted_pages(root):
    """Every page has its place on the site (docs/site/pages.json), which `make docs` would refuse to build otherwise."""
    listed = [page for section in json.loads((root / "docs/site/pages.json").read_text()) for page in section["pages"]]
    for path in sorted((root / "docs").rglob("*.md")):
        page = path.relative_to(root / "docs").as_posix()
        if page == "README.md" or page.startswith("site/"):
            continue
        if not any(page.startswith(p[:-1]) if p.endswith("*") else page == p for p in listed):
            yield f"docs/site/pages.json: does not name {page}"
    for page in listed:
        if not page.endswith("*") and not (root / "docs" / page).exists():
            yield f"docs/site/pages.json: {page} does not exist"


def pages_below(folder):
    """Every .md file; build/ may hold whole systems, which are not even looked into."""
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and not entry.is_symlink() and entry.name not in ("build", "node_modules", ".git"):
            yield from pages_below(entry)
        elif entry.suffix == ".md":
            yield entry


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    findings = [*missing_metrics(root), *missing_paths(root), *stale_rooms(root), *versions(root), *unlisted_pages(root)]
    for page in pages_below(root):
        text = page.read_text()
        for target in LINK.findall(text):
            if "://" in target or target.startswith("mailto:"):
                continue
            if not (page.parent / target).exists():
                findings.append(f"{page.relative_to(root)}: link to {target} leads nowhere")
        if re.search(r"/(home|root|work)/", text):
            findings.append(f"{page.relative_to(root)}: names a path of somebody's machine")
    for finding in findings:
        print(finding, file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
