#!/usr/bin/env bash
# Ranks networks, pre-trained here on one part of a world of sprites, for five questions about another
# part of it, and checks the rankings against what fine-tuning makes of every network. Networks are
# trained once. Needs a build with libtorch: `make demo-hub` makes one and runs this.
#   ASSAY_BUILD=DIR examples/sprites/run.sh    uses the build in DIR instead of build/
set -euo pipefail

build=$(realpath -ms "${ASSAY_BUILD:-$(dirname "${BASH_SOURCE[0]}")/../../build}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$(realpath -ms --relative-base="$PWD" "$build")  # short to read, when it is in the checkout
programs=$build/examples
demo=$build/demo-hub
hub=$demo/hub
data=$demo/data
results=$demo/results
export ASSAY_CACHE=$demo/cache  # `rm -r build/demo-hub` leaves nothing behind

for program in "$build/assay" "$build/libassay_torch.so" "$programs"/sprites_{data,hub,truth}; do
  [ -e "$program" ] && continue
  echo "demo-hub: $program: not built; run \`make demo-hub\`, or set ASSAY_BUILD" >&2
  exit 2
done

show_and_run() {
  printf '\n$ %s\n' "$*"
  "$@"
}

say() { printf '\n== %s\n' "$*"; }

# newer FILE THAN...: FILE is there and was made after all of the others.
newer() {
  local file=$1 other
  shift
  [ -e "$file" ] || return 1
  for other; do [ "$other" -nt "$file" ] && return 1; done
  return 0
}

say "A hub: small networks of different size and schooling"
# hub.json is written last: without it the training was interrupted.
if newer "$hub/hub.json" "$programs/sprites_hub"; then
  echo "trained before: $hub"
else
  show_and_run "$programs/sprites_hub" "$hub"
fi
show_and_run "$build/assay" hub check "$hub"

say "Five questions about sprites of kinds that no network has seen"
drawn=$data/position/test_labels.npy  # the last file to be written
if newer "$drawn" "$programs/sprites_data"; then
  echo "drawn before: $data"
else
  show_and_run "$programs/sprites_data" "$data"
fi

mkdir -p "$results"
for question in shapes textures; do
  say "Which network should learn to name $question?"
  show_and_run "$build/assay" rank "$hub" --data "$data/$question" --json "$results/$question.json"
done
for question in scale orientation position; do
  say "Which network should learn to measure $question?"
  show_and_run "$build/assay" rank "$hub" --data "$data/$question" --center --json "$results/$question.json"
done

say "The truth: what fine-tuning makes of each network"
if newer "$results/truth.txt" "$programs/sprites_truth" "$hub/hub.json" "$drawn"; then
  echo "measured before: $results/truth.txt"
  echo
else
  show_and_run "$programs/sprites_truth" "$hub" "$data" "$results"
fi
cat "$results/truth.txt"

say "How good was the advice? (classes: accuracy after fine-tuning)"
show_and_run "$build/assay" evaluate --scores "$results"/{shapes,textures}.json \
  --truth "$results"/{shapes,textures}_truth.csv
say "How good was the advice? (numbers: share of the variance explained after fine-tuning)"
show_and_run "$build/assay" evaluate --scores "$results"/{scale,orientation,position}.json \
  --truth "$results"/{scale,orientation,position}_truth.csv --truth-column r2

printf '\nOne run of fine-tuning each, on 1,000 test images: an accuracy is good to about 0.03.\n'
