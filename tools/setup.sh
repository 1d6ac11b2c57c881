#!/usr/bin/env bash
# Installs the Debian packages a goal needs, only those that are missing.
#   tools/setup.sh build|python|wheel|test|lint|fuzz|bench|torch|onnx|mpi|web
set -euo pipefail

build=(g++ cmake ninja-build make pkg-config libopenblas-dev libeigen3-dev libboost-dev libcli11-dev libfmt-dev
       nlohmann-json3-dev libhdf5-dev libzip-dev libxxhash-dev libjpeg-dev libpng-dev libwebp-dev libssl-dev)
test=(libgtest-dev libgmock-dev python3 python3-numpy python3-scipy)
lint=(clang-format-16 clang-tidy-16 python3)  # the version that judges style; other releases have others
if command -v apt-cache >/dev/null && ! apt-cache show clang-format-16 >/dev/null 2>&1; then
  lint=(clang-format clang-tidy python3)
fi
fuzz=(clang-16 libclang-rt-16-dev)
bench=(libbenchmark-dev python3-numpy python3-scipy python3-sklearn)
python=(pybind11-dev python3-dev python3-numpy python3-sklearn python3-pandas)
wheel=(python3-dev python3-venv)
torch=(libtorch-dev)
mpi=(libopenmpi-dev openmpi-bin iproute2)
onnx=()
command -v npm >/dev/null || onnx=(npm)  # whatever provides it
web=()
command -v npm >/dev/null || web+=(nodejs npm)
command -v chromium >/dev/null || web+=(chromium)

goal=${1:-build}
case $goal in
  build) wanted=("${build[@]}") ;;
  test) wanted=("${build[@]}" "${test[@]}") ;;
  lint) wanted=("${build[@]}" "${test[@]}" "${lint[@]}") ;;
  fuzz) wanted=("${build[@]}" "${fuzz[@]}") ;;
  bench) wanted=("${build[@]}" "${bench[@]}") ;;
  python) wanted=("${build[@]}" "${python[@]}") ;;
  wheel) wanted=("${build[@]}" "${onnx[@]}" "${wheel[@]}") ;;
  torch) wanted=("${build[@]}" "${torch[@]}") ;;
  onnx) wanted=("${build[@]}" "${onnx[@]}") ;;
  mpi) wanted=("${build[@]}" "${mpi[@]}") ;;
  web) wanted=("${build[@]}" "${web[@]}") ;;
  *) echo "setup: unknown goal '$goal'; expected build, python, wheel, test, lint, fuzz, bench, torch, onnx, mpi or web" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  command -v ninja >/dev/null && command -v cmake >/dev/null && exit 0  # prepared by hand: let CMake judge
  echo "setup: this is not a Debian system; install the equivalents of these packages yourself:" >&2
  printf '  %s\n' "${wanted[@]}" >&2
  exit 1
fi

missing=()
for package in "${wanted[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "setup: installing ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "setup: not root and no sudo; ask an administrator to run: apt-get install ${missing[*]}" >&2
    exit 1
  }
  as_root=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
# A machine that has just booted updates itself: wait for that, and say so, instead of failing.
patience=600  # seconds
apt() { "${as_root[@]}" apt-get -o DPkg::Lock::Timeout="$patience" "$@"; }
waiting() { echo "setup: another package manager is at work on this machine; waiting for it (up to $((patience / 60)) minutes)"; }
# The package lists of a fresh machine are empty or old: refresh them before the first try fails. (Their lock has no time-out
# of apt's own.)
refresh() {
  local said="" until=$((SECONDS + patience)) answer
  while ! answer=$(apt update -qq 2>&1); do
    if ! grep -q 'Could not get lock' <<<"$answer" || [ $SECONDS -ge $until ]; then
      printf '%s\n' "$answer" >&2  # perhaps the lists that are here suffice
      return
    fi
    [ -n "$said" ] || waiting
    said=yes
    sleep 5
  done
}
refresh
apt install -y --no-install-recommends "${missing[@]}"
