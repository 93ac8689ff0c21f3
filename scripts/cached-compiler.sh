#!/usr/bin/env bash
# Runs a compiler through ccache: scripts/cached-compiler.sh c++ …
# A precompiled header is always compiled. ccache would compare what the preprocessor makes of its headers, which has no
# comments, but gcc takes a header that has another size than the precompiled one for another file, and reads it again.
# What uses a precompiled header is found in the cache by the sum of the headers in it, which is left next to it.
set -euo pipefail

export CCACHE_PCH_EXTSUM=1
for argument; do
  [[ $argument == c++-header ]] || continue
  root=$(cd "$(dirname "$0")/.." && pwd)
  "$@"
  while [[ $# -gt 0 ]]; do
    case $1 in
      -o) header=$2 ;;
      -MF) dependencies=$2 ;;
    esac
    arguments+=("${1//$root/}")
    shift
  done
  {
    printf '%s\n' "${arguments[@]}"
    sed -e '1s/^[^:]*://' -e 's/\\$//' "$dependencies" | xargs cat
  } | sha256sum >"$header.sum"
  exit
done
exec ccache "$@"
