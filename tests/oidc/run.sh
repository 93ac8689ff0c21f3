#!/usr/bin/env bash
# Signs in at a certified OpenID Connect provider. Exits 77, "skipped", where that cannot be had.
# Usage: TILTH_BINARY=build/dev/tilth tests/oidc/run.sh [PYTEST_ARGUMENTS]
set -euo pipefail
cd "$(dirname "$0")"
command -v node npm >/dev/null || { echo "There is no Node.js." >&2; exit 77; }
NODE_MODULES=$(../tools.sh node oidc oidc-provider@9.13.3)
export NODE_MODULES
exec "${PYTHON:-/usr/bin/python3}" -m pytest -q --tb=short -p no:cacheprovider "$@" .
