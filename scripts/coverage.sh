#!/usr/bin/env bash
# Measures which lines the tests run: builds them with the preset `coverage`, runs them, and prints how much of each folder
# ran, with the lines of command/, projections/ and infra/ that did not. TILTH_SEEDS (250) seeds of each simulation.
# Usage: scripts/coverage.sh [--report | SUITE ...]
# A SUITE is a test program, such as tilth_specs, or a file or folder of black-box tests, such as tests/http/land. Without
# any, the programs below run. --report prints what earlier runs have left, and runs nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/coverage
programs=(tilth_events_tests tilth_specs tilth_simulation tilth_api_tests tilth_infra_tests embedded_log_tests)

run() {
  if [[ -e $1 ]]; then
    TILTH_BINARY=$PWD/$build/tilth PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m pytest -q --tb=short -p no:cacheprovider "$1"
  else
    "$build/tests/$1" --gtest_brief=1
  fi
}

if [[ ${1:-} != --report ]]; then
  suites=("${@:-${programs[@]}}")
  [[ -f $build/build.ninja ]] || cmake --preset coverage
  targets=()
  for suite in "${suites[@]}"; do
    if [[ -e $suite ]]; then targets+=(tilth tilth_harm); else targets+=("$suite"); fi
  done
  cmake --build --preset coverage --target "${targets[@]}"
  find "$build" -name '*.gcda' -delete
  export TILTH_SEEDS=${TILTH_SEEDS:-250}
  for suite in "${suites[@]}"; do
    run "$suite" || echo "$suite failed; the lines that it ran count all the same" >&2
  done
fi

scripts/install-packages.sh coverage
if ! gcovr --root . --filter '(api|command|events|infra|projections|query)/' -j "$(nproc)" \
  --json "$build/coverage.json" "$build" >"$build/gcovr.log" 2>&1; then
  tail -5 "$build/gcovr.log" >&2
  exit 1
fi
report() { gcovr --root . --add-tracefile "$build/coverage.json" --filter "$1/" --txt; }
for folder in command projections infra; do
  echo "Lines of $folder/ that did not run"
  report "$folder" | awk '
    NF == 1 && /\.(h|cc)$/ { name = $1; next }  # a long name has a line of its own
    name { $0 = name " " $0; name = "" }
    /\.(h|cc) / && $4 != "100%" { print $1 ": " $5 }'
done
echo "Folder             lines       ran"
for folder in events projections command query api infra; do
  report "$folder" | awk -v folder="$folder" '/^TOTAL/ { printf "%-14s %9d %9d %8s\n", folder, $2, $3, $4 }'
done
