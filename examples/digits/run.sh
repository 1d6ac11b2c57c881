#!/usr/bin/env bash
# Ranks eleven representations of real handwritten digits, then checks the ranking
# against measured accuracies. Needs a build: `make demo` makes one and runs this.
#   ASSAY_BUILD=DIR examples/digits/run.sh    uses the build in DIR instead of build/
set -euo pipefail

build=$(realpath -ms "${ASSAY_BUILD:-$(dirname "${BASH_SOURCE[0]}")/../../build}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$(realpath -ms --relative-base="$PWD" "$build")  # short to read, when it is in the checkout
demo=$build/demo

for program in "$build/assay" "$build/examples/digits_hub"; do
  [ -x "$program" ] && continue
  echo "demo: $program: not built; run \`make build\` first, or set ASSAY_BUILD" >&2
  exit 2
done

show_and_run() {
  printf '\n$ %s\n' "$*"
  "$@"
}

rm -rf "$demo"
show_and_run "$build/examples/digits_hub" examples/digits/digits.npy "$demo"
show_and_run "$build/assay" rank "$demo/hub" --labels "$demo/labels.npy" --controls --json "$demo/rank.json"
show_and_run "$build/assay" evaluate --scores "$demo/rank.json" --truth "$demo/truth.csv"
if "$build/assay" report "$demo/rank.json" --html "$demo/report.html" >/dev/null 2>&1; then
  printf '\nThe same to look at: open %s in a browser.\n' "$demo/report.html"
else
  printf '\n`make web` builds the report page in: results to look at.\n'
fi
