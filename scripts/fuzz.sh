#!/usr/bin/env bash
# Runs one fuzzer, starting from its corpus, for TILTH_FUZZ_SECONDS (10) seconds, or, if TILTH_FUZZ_RUNS is set, for that
# many executions, however long they take.
# Usage: scripts/fuzz.sh --build | NAME, of tests/fuzz/NAME_fuzz.cc
# Findings are written to build/fuzz/found/, new inputs to build/fuzz/grown/, never to the corpus.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/fuzz
if [[ ${1:?the name of a fuzzer, or --build} == --build ]]; then
  [[ -f $build/build.ninja ]] || cmake --preset fuzz
  exec cmake --build --preset fuzz
fi

fuzzer=$build/tests/fuzz/$1_fuzz
if [[ ! -x $fuzzer ]]; then
  echo "$fuzzer is not built; scripts/fuzz.sh --build builds it" >&2
  exit 1
fi
mkdir -p "$build/grown/$1" "$build/found"
corpora=("$build/grown/$1")
for corpus in "tests/fuzz/corpus/${1%_reader}" "$build/corpus/$1"; do
  [[ -d $corpus ]] && corpora+=("$corpus")
done
limit=-max_total_time=${TILTH_FUZZ_SECONDS:-10}
[[ -n ${TILTH_FUZZ_RUNS:-} ]] && limit=-runs=$TILTH_FUZZ_RUNS
exec "$fuzzer" "$limit" -timeout=10 -rss_limit_mb=2048 -verbosity=1 \
  -print_final_stats=1 -artifact_prefix="$build/found/$1-" "${corpora[@]}"
