#!/usr/bin/env bash
# How OSS-Fuzz would build the targets: CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE and OUT come from its environment.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${OUT:?where the fuzzers go}" "${LIB_FUZZING_ENGINE:=-fsanitize=fuzzer}"
export LIB_FUZZING_ENGINE
cmake -S . -B build/oss-fuzz -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DASSAY_FUZZ=ON -DASSAY_BUILD_CLI=OFF \
  -DASSAY_BUILD_EXAMPLES=OFF -DASSAY_WITH_TORCH=OFF -DASSAY_WITH_ONNX=OFF
cmake --build build/oss-fuzz
for fuzzer in build/oss-fuzz/tests/fuzz/fuzz_*; do
  [ -x "$fuzzer" ] && [ -f "$fuzzer" ] || continue
  name=$(basename "$fuzzer")
  cp "$fuzzer" "$OUT/"
  (cd "tests/fuzz/corpus/${name#fuzz_}" && python3 -m zipfile -c "$OUT/${name}_seed_corpus.zip" ./*)
done
