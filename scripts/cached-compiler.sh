#!/bin/sh
# Runs a compiler through ccache: scripts/cached-compiler.sh c++ …
# A precompiled header is never taken from the cache: ccache compares what the preprocessor makes of headers, which has no
# comments, and gcc takes a "#pragma once" file that was another size when it was precompiled for another file. Compiled at
# fixed addresses, where the machine allows that, it is the same byte by byte, and what uses it is found in the cache.
for argument; do
  [ "$argument" = c++-header ] || continue
  export CCACHE_RECACHE=1
  if setarch -R true 2>/dev/null; then exec setarch -R ccache "$@"; fi
done
exec ccache "$@"
