#!/usr/bin/env bash
# Remakes the pictures in docs/images from reports that the built assay writes. Needs `make web`, and ASSAY_HUB, a folder of real
# features (docs/real-hub.md), for those of real networks; what cannot be made here keeps its old picture, and that is said.
#   ASSAY_BUILD=DIR web/make_images.sh     uses the build in DIR instead of build/
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${ASSAY_BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pictures=()

# picture NAME REPORT [:SELECTOR][@WIDTHxHEIGHT][#dark]
picture() { pictures+=("$1=$work/$2.html$3"); }

report() { "$build/assay" report "$1" --html "$2" >/dev/null; }

# The digits of `make demo`, a stored result and one made up.
"$build/examples/digits_hub" examples/digits/digits.npy "$work/demo" >/dev/null
"$build/assay" curve "$work/demo/hub" --labels "$work/demo/labels.npy" --target-accuracy 0.9 --no-journal --quiet \
  --html "$work/curve.html" >/dev/null
report web/test/fixtures/robust.json "$work/robust.html"
node --input-type=module -e 'import { tuning } from "./web/test/make_tuning.mjs"; console.log(JSON.stringify(tuning()))' >"$work/tune.json"
report "$work/tune.json" "$work/tune.html"
picture report-curve curve @1200x1330
picture report-robust robust @1200x1180#dark
picture report-tune tune @1200x1260

# Two runs that differ in what was asked, and a folder of all.
mkdir "$work/runs"
"$build/assay" rank "$work/demo/hub" --labels "$work/demo/labels.npy" --json "$work/runs/monday.json" --quiet >/dev/null
"$build/assay" rank "$work/demo/hub" --labels "$work/demo/labels.npy" --metric knn,ncc_loo --seed 1 --json "$work/runs/tuesday.json" \
  --quiet >/dev/null
"$build/assay" report "$work/runs/monday.json" "$work/runs/tuesday.json" --html "$work/compare.html" >/dev/null
cp web/test/fixtures/robust.json "$work/tune.json" "$work/runs"
"$build/assay" report "$work/runs" --html "$work/gallery.html" >/dev/null
picture report-compare compare @1200x1250
picture report-gallery gallery @1200x700

if [ -n "${ASSAY_HUB:-}" ]; then
  of() { echo "$ASSAY_HUB/features/$1"; }
  "$build/assay" rank "$(of cifar10)" --labels "$(of cifar10_labels.npy)" --truth "$(of cifar10_truth.csv)" --accuracy \
    --json "$work/rank.json" --html "$work/rank.html" --quiet >/dev/null
  "$build/assay" evaluate --scores "$work/rank.json" --truth "$(of cifar10_truth.csv)" --html "$work/evaluate.html" --quiet >/dev/null
  "$build/assay" prior score "$(of fashion_mnist)" --prior "labels:$(of fashion_mnist_labels.npy)" --html "$work/prior.html" \
    --quiet >/dev/null
  picture report-rank rank @1200x1500
  picture report-phone rank @390x1250
  picture report-fixed-point rank ":figure.chart:has-text('fixed point')"
  picture report-evaluate evaluate @1200x900
  picture report-prior prior @1200x960
  if ls "$build"/plugins/*/libassay_torch.so "$build"/libassay_torch.so >/dev/null 2>&1; then
    "$build/assay" rank "$ASSAY_HUB/models" --data "$ASSAY_HUB/data/fashion_mnist" --ci 0 --html "$work/cost.html" --quiet >/dev/null
    picture report-cost cost ":figure.chart:has-text('Score against cost')"
  else
    echo "pictures: report-cost needs the plug-in that runs networks (make torch); left as it is"
  fi
else
  echo "pictures: set ASSAY_HUB for those of real networks; left as they are"
fi
node web/screenshots.mjs docs/images "${pictures[@]}"
