#!/usr/bin/env bash
# Builds the site of the documentation, installing what that needs below docs/site/node_modules.
#   docs/site/build.sh [OUT]      OUT defaults to build/docs
set -euo pipefail
out=$(realpath -m "${1:-$(dirname "${BASH_SOURCE[0]}")/../../build/docs}")
cd "$(dirname "${BASH_SOURCE[0]}")"
# The copy of the lock file tells whether the installation is the one asked for.
if [ ! -e node_modules/.assay-lock ] || ! cmp -s package-lock.json node_modules/.assay-lock; then
  npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --loglevel=error
  cp package-lock.json node_modules/.assay-lock
fi
node build.mjs "$out"
