#!/usr/bin/env bash
# Builds the wheel and the source distribution.
# Usage: clients/python/build.sh [FOLDER]   by default build/clients, from the top folder
set -euo pipefail
cd "$(dirname "$0")"
target=$(realpath -m "${1:-../../build/clients}")
python=$(../../tests/tools.sh python clients-build build==1.3.0 hatchling==1.27.0)
exec "$python" -m build --no-isolation --outdir "$target" .
