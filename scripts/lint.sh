#!/usr/bin/env bash
# Runs clang-tidy over the given sources, or over all that the dev preset compiles.
# Usage: scripts/lint.sh [FILE.cc ...]
set -euo pipefail
cd "$(dirname "$0")/.."

[[ -f build/dev/compile_commands.json ]] || cmake --preset dev
if [[ $# -eq 0 ]]; then
  mapfile -t sources < <(git ls-files '*.cc' ':!tests/fuzz')
  set -- "${sources[@]}"
fi
echo "clang-tidy reads $# sources"
printf '%s\0' "$@" |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy -p build/dev --quiet --extra-arg=-Wno-unknown-warning-option
