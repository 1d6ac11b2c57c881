#!/usr/bin/env bash
# Installs the release build into a scratch prefix, builds examples/cpp and every public header against it, and runs the example.
set -euo pipefail
cd "$(dirname "$0")/../.."
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install build --prefix "$prefix/assay" >/dev/null
cmake -S tests/package -B "$prefix/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$prefix/assay" | grep "public headers"
cmake --build "$prefix/consumer" >/dev/null
got=$("$prefix/consumer/rank_arrays")
echo "$got"
grep -q '^1. strong: ' <<<"$got"  # the example's own claim
"$prefix/assay/bin/assay" --version
