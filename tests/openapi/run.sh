#!/usr/bin/env bash
# Holds the service against its own description: a validator, two sets of rules, two generated clients, and
# Schemathesis.
# Exits 77, "skipped", where their packages cannot be had.
# Usage: TILTH_BINARY=build/dev/tilth tests/openapi/run.sh [PYTEST_ARGUMENTS]
set -euo pipefail
cd "$(dirname "$0")"
command -v node npm >/dev/null || { echo "There is no Node.js." >&2; exit 77; }
python=$(../tools.sh python openapi pytest==8.4.2 schemathesis==4.32.5 openapi-spec-validator==0.9.0 \
  openapi-python-client==0.29.1 ruff)
NODE_MODULES=$(../tools.sh node openapi openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3)
RULES_MODULES=$(../tools.sh node openapi-rules @stoplight/spectral-cli@6.16.3 @redocly/cli@2.77.0)
export NODE_MODULES RULES_MODULES
exec "$python" -m pytest -q --tb=short -p no:cacheprovider "$@" .
