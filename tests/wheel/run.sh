#!/usr/bin/env bash
# Installs the wheel of dist/ into fresh virtual environments, with the oldest and the newest NumPy that pip offers for this
# Python, and runs module and command there, away from the sources.
#   tests/wheel/run.sh [python]
set -euo pipefail
cd "$(dirname "$0")/../.."
python=$(command -v "${1:-python3}")
here=$PWD/tests/wheel
tag=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
wheel=$(ls -t "$PWD"/dist/assay-*-"$tag"-*manylinux*.whl | head -1)
echo "wheel: $(basename "$wheel"), $(du -h "$wheel" | cut -f1)"

try() {  # try NAME NUMPY
  local venv
  venv=$(mktemp -d)
  "$python" -m venv "$venv"
  "$venv/bin/pip" install -q --disable-pip-version-check --only-binary :all: "$2" "$wheel"
  (cd "$venv" && env -u PYTHONPATH PATH="$venv/bin:/usr/bin:/bin" "$venv/bin/python" "$here/check.py")
  rm -rf "$venv"
}

oldest=$("$python" - <<'PYTHON'
# Binary wheels of NumPy begin with these versions, by version of Python.
import sys
print({9: "1.20.0", 10: "1.21.3", 11: "1.23.2", 12: "1.26.0", 13: "2.1.0"}.get(sys.version_info[1], "2.3.2"))
PYTHON
)
try oldest "numpy==$oldest"
try newest numpy
echo "wheel: passed"
