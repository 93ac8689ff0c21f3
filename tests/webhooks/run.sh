#!/usr/bin/env bash
# Verifies what webhooks get with the libraries of Standard Webhooks, as receivers do.
# Exits 77, "skipped", where their packages cannot be had.
# Usage: TILTH_BINARY=build/dev/tilth tests/webhooks/run.sh [PYTEST_ARGUMENTS]
set -euo pipefail
cd "$(dirname "$0")"
command -v node npm >/dev/null || { echo "There is no Node.js." >&2; exit 77; }
python=$(../tools.sh python webhooks pytest==8.4.2 standardwebhooks==1.1.0)
NODE_MODULES=$(../tools.sh node webhooks standardwebhooks@1.1.1)
export NODE_MODULES
exec "$python" -m pytest -q --tb=short -p no:cacheprovider "$@" .
