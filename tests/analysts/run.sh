#!/usr/bin/env bash
# Runs the recipes of docs/analysts.md. Exits 77, "skipped", where DuckDB and pandas cannot be had.
# Usage: TILTH_BINARY=build/dev/tilth tests/analysts/run.sh [PYTEST_ARGUMENTS]
set -euo pipefail
cd "$(dirname "$0")"
python=$(../tools.sh python analysts pytest==8.4.2 duckdb==2.0.0 pandas==3.1.1)
exec "$python" -m pytest -q --tb=short -p no:cacheprovider "$@" .
