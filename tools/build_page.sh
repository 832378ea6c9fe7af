#!/usr/bin/env bash
# Build the viewer's page into a folder: tools/build_page.sh OUT. Without node, or without its packages, say so and go on: everything but
# the page works.
set -uo pipefail
cd "$(dirname "$0")/../viewer"
out=$1

skip() {
  echo "the viewer's page is not built: $1 (everything but \`scree view\` works)" >&2
  exit 0
}

command -v node >/dev/null && command -v npm >/dev/null || skip "nodejs and npm are missing"
[ "$(node -p 'parseInt(process.versions.node)')" -ge 18 ] || skip "node $(node -v) is too old, 18 or later is needed"
export npm_config_update_notifier=false npm_config_loglevel=error
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  timeout 300 npm ci --no-audit --no-fund --ignore-scripts --prefer-offline --fetch-retries=1 --fetch-timeout=30000 >/tmp/scree_npm.$$ 2>&1 ||
    { tail -n 3 /tmp/scree_npm.$$ >&2; rm -f /tmp/scree_npm.$$; skip "npm could not install its packages"; }
  rm -f /tmp/scree_npm.$$
  touch node_modules/.package-lock.json
fi
node node_modules/typescript/bin/tsc --noEmit || exit 1
node node_modules/vite/bin/vite.js build --outDir "$out" --emptyOutDir --logLevel warn || exit 1
