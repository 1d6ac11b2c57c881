#!/usr/bin/env bash
# Compiles every source and every public header by itself, syntax only: none may rely on what a unity build, or another file
# before it, happens to include.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/alone
cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_UNITY_BUILD=OFF \
  -DASSAY_WARNINGS_AS_ERRORS=ON -DASSAY_WITH_TORCH=OFF -DASSAY_WITH_ONNX=OFF -DASSAY_WITH_WEB=OFF "$@" >/dev/null
"$(tools/find_python.sh)" tools/check_alone.py $build/compile_commands.json
