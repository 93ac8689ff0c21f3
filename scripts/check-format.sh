#!/usr/bin/env bash
# Fails, and lists the places, if a source is not formatted with clang-format.
# To format the sources: scripts/check-format.sh -i
set -euo pipefail
cd "$(dirname "$0")/.."

folders=()
for folder in api app bench command events infra projections query tests; do
  [[ -d $folder ]] && folders+=("$folder")
done
mapfile -t sources < <(find "${folders[@]}" -name '*.h' -o -name '*.cc' | sort)

if [[ ${1:-} == -i ]]; then
  clang-format -i "${sources[@]}"
elif ! faults=$(clang-format --dry-run -Werror "${sources[@]}" 2>&1); then
  grep -oE '^[^ :]+:[0-9]+' <<<"$faults" | uniq
  echo "These places are not formatted; scripts/check-format.sh -i formats them." >&2
  exit 1
fi
