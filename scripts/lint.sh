#!/usr/bin/env bash
# Runs clang-tidy over the given sources, or over all but the fuzzers: up to a minute each, so that all take hours.
# Usage: scripts/lint.sh [FILE.cc ...]
set -euo pipefail
cd "$(dirname "$0")/.."

[[ -f build/lint/compile_commands.json ]] || cmake --preset lint
ninja -C build/lint generated/events/values/iso_tables.h
if [[ $# -eq 0 ]]; then
  mapfile -t sources < <(git ls-files '*.cc' ':!tests/fuzz')
  set -- "${sources[@]}"
fi
echo "clang-tidy reads $# sources"
printf '%s\0' "$@" |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy -p build/lint --quiet --extra-arg=-Wno-unknown-warning-option
