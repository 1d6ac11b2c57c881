#!/usr/bin/env python3
"""Docs that can go stale unnoticed: every metric has a page, local links lead somewhere, no page names
a machine's paths."""
import pathlib
import re
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
METRIC = re.compile(r'Metric\{\.name = "(\w+)"')


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    findings = []
    for name in METRIC.findall((root / "src/metrics/table.cpp").read_text()):
        if not (root / f"docs/metrics/{name}.md").exists():
            findings.append(f"docs/metrics/{name}.md is missing")
    pages = [p for p in root.rglob("*.md") if "build" not in p.relative_to(root).parts]
    for page in pages:
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
