#!/usr/bin/env bash
# Checks the types of the page and tests it in Chromium, on reports that the built assay makes.
#   ASSAY_BUILD=DIR web/test.sh     uses the build in DIR instead of build/
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
if [ ! -d node_modules/playwright-core ] || [ ! -d node_modules/axe-core ] || [ ! -d node_modules/typescript ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
  cp package-lock.json node_modules/.assay-lock
fi
echo "web: types"
node node_modules/typescript/bin/tsc
echo "web: browser tests"
../docs/site/build.sh "${ASSAY_BUILD:-../build}/docs"
node --test --test-reporter=spec test/report.test.mjs test/compare.test.mjs test/docs.test.mjs
