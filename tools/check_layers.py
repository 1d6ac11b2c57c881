#!/usr/bin/env python3
"""Who may include whom: a layer may use itself and the layers before it in ORDER, nothing else."""
import pathlib
import re
import sys

ORDER = ["core", "io", "image", "net", "cache", "linalg", "learn", "data", "dataset", "metrics", "prior", "tune",
         "robust", "rank", "curve", "hub", "pipeline", "report"]
INCLUDE = re.compile(r'#include "assay/(\w+)/')
HEAVY_EIGEN = re.compile(r"#include <Eigen/(SVD|Eigenvalues|QR|Dense)>")


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    findings = []
    for base in (root / "include" / "assay", root / "src"):
        for path in sorted(base.rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            layer = path.relative_to(base).parts[0]
            where = path.relative_to(root)
            if layer not in ORDER:
                findings.append(f"{where}: '{layer}' is not a layer; add it to ORDER in tools/check_layers.py")
                continue
            text = path.read_text()
            for used in INCLUDE.findall(text):
                if used not in ORDER or ORDER.index(used) > ORDER.index(layer):
                    findings.append(f"{where}: {layer} may not include {used}")
            if HEAVY_EIGEN.search(text):
                findings.append(f"{where}: heavy Eigen headers cost tens of seconds; use linalg")
    for finding in findings:
        print(finding, file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
