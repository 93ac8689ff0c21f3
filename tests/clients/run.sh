#!/usr/bin/env bash
# Tries the clients on the service: what their READMEs print, their types, and that they are up to date.
# Exits 77, "skipped", where their packages cannot be had.
# Usage: TILTH_BINARY=build/dev/tilth tests/clients/run.sh [PYTEST_ARGUMENTS]
set -euo pipefail
cd "$(dirname "$0")"
command -v node npm >/dev/null || { echo "There is no Node.js." >&2; exit 77; }
python=$(../tools.sh python clients pytest==8.4.2 httpx==0.28.1 mypy==1.18.2 standardwebhooks==1.0.0 duckdb==2.0.0 \
  pytz==2025.2 build==1.3.0 hatchling==1.27.0)
NODE_MODULES=$(../tools.sh node clients typescript@5.9.3 @types/node@20.19.25 standardwebhooks@1.0.0)
export NODE_MODULES
exec "$python" -m pytest -q --tb=short -p no:cacheprovider "$@" .
