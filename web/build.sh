#!/usr/bin/env bash
# Bundles the page into OUT, installing what that needs below web/node_modules.
#   web/build.sh OUT ON|AUTO      with AUTO a failure leaves OUT empty: the build goes on without the page
set -euo pipefail
out=$1
mode=${2:-ON}
cd "$(dirname "${BASH_SOURCE[0]}")"

bundle() {
  # The copy of the lock file tells whether the installation is the one asked for.
  if [ ! -e node_modules/.assay-lock ] || ! cmp -s package-lock.json node_modules/.assay-lock; then
    npm ci --ignore-scripts --omit=dev --no-audit --no-fund --fetch-retries=1 --loglevel=error || return 1
    cp package-lock.json node_modules/.assay-lock
  fi
  node build.mjs "$out"
}

if bundle; then exit 0; fi
if [ "$mode" = AUTO ]; then
  mkdir -p "$(dirname "$out")"
  : >"$out"
  echo "web: the report page could not be built, so --html will not work; \`make web\` tries again and says why" >&2
  exit 0
fi
echo "web: the report page could not be built; npm must be able to install web/package-lock.json" >&2
exit 1
