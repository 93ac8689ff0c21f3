#!/usr/bin/env bash
# Checks the pages' types and tries the pages in Debian's Chromium. Exits 77, "skipped", where that or a package
# cannot be had.
# Usage: TILTH_BINARY=build/dev/tilth tests/browser/run.sh [PYTEST_ARGUMENTS]
set -euo pipefail
cd "$(dirname "$0")"
command -v chromium chromedriver >/dev/null || { echo "There is no chromium with its driver." >&2; exit 77; }
python=$(../tools.sh python browser selenium==4.51.0 pytest==8.4.2)
modules=$(../tools.sh node pages axe-core@4.14.1 typescript@7.0.2)
"$modules/.bin/tsc" --project tsconfig.json
MODULES=$modules exec "$python" -m pytest -q --tb=short -p no:cacheprovider "$@" .
