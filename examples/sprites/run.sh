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
rm -f "$results/frozen.txt"
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

evaluate() {  # evaluate KIND COLUMN QUESTION...: the rankings against QUESTION_KIND.csv
  local kind=$1 column=$2 scores=() truths=() options=() question
  shift 2
  for question; do
    scores+=("$results/$question.json")
    truths+=("$results/${question}_$kind.csv")
  done
  [ "$column" = accuracy ] || options+=(--truth-column "$column")
  [ "$column" != val_loss ] || options+=(--lower-is-better val_loss)
  show_and_run "$build/assay" evaluate --scores "${scores[@]}" --truth "${truths[@]}" "${options[@]}"
}

say "How good was the advice? Names: accuracy after fine-tuning"
evaluate truth accuracy shapes textures
say "How good was the advice? Numbers: share of the variance explained after fine-tuning"
evaluate truth r2 scale orientation position

say "And when the networks stay as they are, with linear probes on their features?"
for question in shapes textures; do
  show_and_run "$build/assay" truth "$hub" --data "$data/$question" --protocol probe --runs 1 \
    --out "$results/${question}_frozen.csv" >>"$results/frozen.txt"
done
for question in scale orientation position; do  # the squared error of one ridge probe
  show_and_run "$build/assay" curve "$hub" --data "$data/$question" --probe ridge --sizes 1000, --seeds 1 \
    --curves "$results/${question}_frozen.csv" >>"$results/frozen.txt"
done
evaluate frozen accuracy shapes textures
evaluate frozen val_loss scale orientation position

printf '\nOne run each, on 1,000 test images: an accuracy is good to about 0.03. Results: %s\n' "$results"
