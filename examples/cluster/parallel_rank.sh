#!/bin/sh
# GNU parallel, on this machine or (with --sshlogin) on several that see the same files:
#   examples/cluster/parallel_rank.sh HUB LABELS SHARES RESULT.json
set -eu
hub=$1 labels=$2 shares=$3 result=$4
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
seq "$shares" | parallel --will-cite --halt now,fail=1 \
  "${ASSAY:-assay}" rank "$hub" --labels "$labels" --threads 1 --quiet --part "{}/$shares" --json "$parts/{}.json"
"${ASSAY:-assay}" merge "$parts"/*.json --json "$result"
