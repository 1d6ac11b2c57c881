#!/usr/bin/env bash
# Puts ONNX Runtime under build/onnxruntime where the system has none: the C header from the next
# Debian release's libonnxruntime-dev (unpacked, not installed), the library from the npm package
# onnxruntime-node. Both come from where this machine's apt and npm already fetch their packages.
#   tools/get_onnxruntime.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:-build/onnxruntime}
# A newer library serves an older header, not the reverse: the header is the one to keep behind.
npm_package=${ASSAY_ONNXRUNTIME_NPM:-onnxruntime-node}

if pkg-config --exists libonnxruntime 2>/dev/null; then
  echo "get_onnxruntime: the system has it"
  exit 0
fi

fail() {
  echo "get_onnxruntime: $1" >&2
  echo "get_onnxruntime: or unpack a release of ONNX Runtime yourself and configure with -DASSAY_ONNXRUNTIME_ROOT=FOLDER" >&2
  exit 1
}

next_release() {
  case $1 in
    bookworm) echo trixie ;;
    *) fail "no header known for the release '$1'; install libonnxruntime-dev" ;;
  esac
}

# include/onnxruntime_c_api.h, by an apt of our own state: the system's lists stay as they are.
fetch_header() {
  command -v apt-get >/dev/null || fail "this is not a Debian system, so there is no package to take the header from"
  local codename next work keys=/usr/share/keyrings/debian-archive-keyring.gpg
  [ -f "$keys" ] || keys=""  # then those apt trusts anyway
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  next=$(next_release "$codename")
  work=$(mktemp -d)
  mkdir -p "$work"/{lists/partial,cache/archives/partial,parts,unpacked}
  apt-get indextargets --format '$(CREATED_BY) $(RELEASE) $(COMPONENT) $(REPO_URI)' |
    awk -v old="$codename" -v new="$next" -v keys="$keys" '$1 == "Packages" && $2 == old && $3 == "main" {
      print "deb" (keys == "" ? "" : " [signed-by=" keys "]"), $4, new, "main" }' | sort -u >"$work/sources.list"
  [ -s "$work/sources.list" ] || fail "no source of $codename main is configured for apt"
  local options=(-o "Dir::Etc::SourceList=$work/sources.list" -o "Dir::Etc::SourceParts=$work/parts"
                 -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root
                 -o Acquire::Languages=none)
  apt-get "${options[@]}" -qq update || fail "the package list of $next could not be read"
  (cd "$work" && apt-get "${options[@]}" -qq download libonnxruntime-dev) ||
    fail "libonnxruntime-dev of $next could not be downloaded"
  dpkg-deb -x "$work"/libonnxruntime-dev_*.deb "$work/unpacked"
  local header
  header=$(find "$work/unpacked" -name onnxruntime_c_api.h | head -n 1)
  [ -n "$header" ] || fail "libonnxruntime-dev of $next holds no onnxruntime_c_api.h"
  mkdir -p "$target/include"
  cp "$(dirname "$header")"/onnxruntime_c_api.h "$target/include/"
  find "$(dirname "$header")" -name 'onnxruntime_ep_c_api.h' -exec cp {} "$target/include/" \;
  rm -rf "$work"
}

# lib/libonnxruntime.so.1. The package's own install script would fetch GPU libraries: not run.
fetch_library() {
  command -v npm >/dev/null || fail "npm is not installed"
  local work machine library
  work=$(mktemp -d)
  case $(uname -m) in
    x86_64) machine=x64 ;;
    aarch64) machine=arm64 ;;
    *) fail "onnxruntime-node has no library for $(uname -m)" ;;
  esac
  npm install --silent --ignore-scripts --no-audit --no-fund --prefix "$work" "$npm_package" ||
    fail "the npm package $npm_package could not be fetched"
  library=$(find "$work" -path "*linux/$machine/libonnxruntime.so.1" | head -n 1)
  [ -n "$library" ] || fail "the npm package $npm_package holds no linux/$machine/libonnxruntime.so.1"
  mkdir -p "$target/lib"
  cp "$library" "$target/lib/libonnxruntime.so.1"
  ln -sf libonnxruntime.so.1 "$target/lib/libonnxruntime.so"
  rm -rf "$work"
}

[ -f "$target/include/onnxruntime_c_api.h" ] || fetch_header
[ -f "$target/lib/libonnxruntime.so" ] || fetch_library
echo "get_onnxruntime: $target"
