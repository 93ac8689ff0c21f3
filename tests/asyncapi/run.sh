#!/usr/bin/env bash
# Holds docs/asyncapi.json against the AsyncAPI project's own validator, and the golden events against it.
# Exits 77, "skipped", where the validator cannot be had.
# Usage: tests/asyncapi/run.sh
set -euo pipefail
cd "$(dirname "$0")"
command -v node npm >/dev/null || { echo "There is no Node.js." >&2; exit 77; }
# Each with what it needs itself: one would give the other its own dependencies.
PARSER=$(../tools.sh node asyncapi @asyncapi/parser@3.6.3)
AJV=$(../tools.sh node ajv ajv@8.17.1)
export PARSER AJV
exec node validate.mjs ../../docs/asyncapi.json ../golden
