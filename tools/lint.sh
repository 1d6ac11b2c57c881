#!/usr/bin/env bash
# What `make lint` checks: format, clang-tidy on our own code, rooms, docs. Fails on the first kind of finding.
set -euo pipefail
cd "$(dirname "$0")/.."

# Style is judged by one version; a release that has another one shows what that would change, no more.
clang_format=$(command -v clang-format-16 || command -v clang-format)
clang_tidy=$(command -v clang-tidy-16 || command -v clang-tidy)
echo "lint: $("$clang_format" --version)"
if "$clang_format" --version | grep -q 'version 16\.'; then
  git ls-files '*.cpp' '*.h' | xargs "$clang_format" --dry-run --Werror
else
  git ls-files '*.cpp' '*.h' | xargs "$clang_format" --dry-run 2>&1 | grep -c 'code should be clang-formatted' |
    sed 's/$/ places differ from the style of clang-format 16, or from this version of it/' || true
fi

echo "lint: rooms, docs and tests"
python=$(tools/find_python.sh)
"$python" tools/check_rooms.py
"$python" tools/check_docs.py
"$python" tools/check_tests.py

echo "lint: clang-tidy"
# A build directory of its own, without tests and plug-ins; eight sources at a time (a unity build), since nearly all of the
# work is on the headers they share.
rm -rf build/lint  # unity files that are no longer made would stay
cmake -S . -B build/lint -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
  -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=8 \
  -DASSAY_BUILD_TESTS=OFF -DASSAY_BUILD_EXAMPLES=OFF -DASSAY_WITH_TORCH=OFF -DASSAY_WITH_ONNX=OFF -DASSAY_WITH_WEB=OFF >/dev/null
find build/lint/CMakeFiles/assay.dir build/lint/cli/CMakeFiles/assay_cli.dir -name 'unity_*.cxx' |
  xargs -P "$(nproc)" -n 1 "$clang_tidy" -p build/lint --quiet 2> >(grep -vE 'warnings? generated|Suppressed|Use -header-filter|Use -system-headers' >&2)
echo "lint: clean"
