#!/usr/bin/env bash
# Ranks networks, pre-trained here on one part of a world of sprites, for five questions about another
# part of it, and checks the rankings against probes on test images. The hub is trained once. Needs a
# build with libtorch: `make demo-hub` makes one and runs this.
#   ASSAY_BUILD=DIR examples/sprites/run.sh    uses the build in DIR instead of build/
set -euo pipefail

build=$(realpath -ms "${ASSAY_BUILD:-$(dirname "${BASH_SOURCE[0]}")/../../build}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$(realpath -ms --relative-base="$PWD" "$build")  # short to read, when it is in the checkout
demo=$build/demo-hub
hub=$demo/hub
data=$demo/data
export ASSAY_CACHE=$demo/cache  # `rm -r build/demo-hub` leaves nothing behind

for program in "$build/assay" "$build/libassay_torch.so" "$build/examples/sprites_data" "$build/examples/sprites_hub"; do
  [ -e "$program" ] && continue
  echo "demo-hub: $program: not built; run \`make demo-hub\`, or set ASSAY_BUILD" >&2
  exit 2
done

show_and_run() {
  printf '\n$ %s\n' "$*"
  "$@"
}

say() { printf '\n== %s\n' "$*"; }

say "A hub: small networks of different size and schooling"
# hub.json is written last: without it the training was interrupted.
if [ ! -e "$hub/hub.json" ] || [ "$build/examples/sprites_hub" -nt "$hub/hub.json" ]; then
  show_and_run "$build/examples/sprites_hub" "$hub"
else
  echo "trained before: $hub"
fi
show_and_run "$build/assay" hub check "$hub"

say "Five questions about sprites that no network has seen"
show_and_run "$build/examples/sprites_data" "$data"

mkdir -p "$demo/results"
scores=() truths=()
for question in shapes textures; do
  say "Which network should name $question?"
  show_and_run "$build/assay" rank "$hub" --data "$data/$question" --json "$demo/results/$question.json"
  show_and_run "$build/assay" truth "$hub" --data "$data/$question" --protocol probe --runs 3 \
    --out "$demo/results/${question}_truth.csv"
  scores+=("$demo/results/$question.json")
  truths+=("$demo/results/${question}_truth.csv")
done
say "How good was the advice? (classes: accuracy on test images)"
show_and_run "$build/assay" evaluate --scores "${scores[@]}" --truth "${truths[@]}"

# `truth` measures accuracies. For numbers, `curve` with a single size does: the squared error on the
# test images of a ridge probe that was trained on all training images.
say "Which network should measure scale, orientation, position?"
scores=() truths=()
for question in scale orientation position; do
  show_and_run "$build/assay" rank "$hub" --data "$data/$question" --center --json "$demo/results/$question.json"
  show_and_run "$build/assay" curve "$hub" --data "$data/$question" \
    --probe ridge --sizes 1000, --seeds 1 --curves "$demo/results/${question}_truth.csv"
  scores+=("$demo/results/$question.json")
  truths+=("$demo/results/${question}_truth.csv")
done
say "How good was the advice? (numbers: squared error on test images)"
show_and_run "$build/assay" evaluate --scores "${scores[@]}" --truth "${truths[@]}" \
  --truth-column val_loss --lower-is-better val_loss

say "The truth here is that of linear probes; networks are not fine-tuned."
