#!/usr/bin/env bash
# What `make lint` checks: format, clang-tidy on our own code, layers, docs. Fails on the first kind of finding.
set -euo pipefail
cd "$(dirname "$0")/.."

echo "lint: clang-format"
git ls-files '*.cpp' '*.h' | xargs clang-format-16 --dry-run --Werror

echo "lint: layers and docs"
python=$(tools/find_python.sh)
"$python" tools/check_layers.py
"$python" tools/check_docs.py

echo "lint: clang-tidy"
# A build directory of its own: clang cannot read GCC's precompiled headers.
cmake -S . -B build/lint -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
  -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DASSAY_BUILD_TESTS=OFF >/dev/null
git ls-files 'src/*.cpp' 'cli/*.cpp' |
  xargs -P "$(nproc)" -n 2 clang-tidy-16 -p build/lint --quiet 2> >(grep -vE 'warnings? generated|Suppressed|Use -header-filter|Use -system-headers' >&2)
echo "lint: clean"
