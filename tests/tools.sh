#!/usr/bin/env bash
# Puts what some tests need next to Debian's packages into a cache outside the source tree, once.
# Usage: tests/tools.sh python NAME PACKAGE…   prints the interpreter of a virtual environment
#        tests/tools.sh node NAME PACKAGE…     prints the folder of its node_modules
# Exits 77, "skipped", where the packages cannot be had.
set -euo pipefail
kind=$1 name=$2
shift 2
place=${TILTH_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tilth-tests}/$name
stamp=$place/.packages
mkdir -p "$place"
exec 9>"$place/.lock"
flock 9

if [[ ! -f $stamp || $(<"$stamp") != "$*" ]]; then
  if [[ $kind == python ]]; then
    python3 -m venv "$place/venv" && "$place/venv/bin/pip" install -q "$@"
  else
    (cd "$place" && npm install --silent --no-audit --no-fund --prefix "$place" "$@")
  fi >&2 || { echo "These packages cannot be had: $*" >&2; exit 77; }
  echo "$*" >"$stamp"
fi
[[ $kind == python ]] && echo "$place/venv/bin/python" || echo "$place/node_modules"
