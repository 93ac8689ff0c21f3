#!/usr/bin/env bash
# Installs the Debian packages of packages.txt that are missing; needs no root if none is.
# Usage: scripts/install-packages.sh [build] [run] [release] [test] [coverage] [peers]  (all but the last two by default)
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v apt-get >/dev/null; then
  echo "Tilth is built on Debian 12; elsewhere, install what packages.txt names yourself." >&2
  exit 1
fi

wanted=$(awk -v groups=" ${*:-build run release test} " '
  { sub(/#.*/, "") }
  /^\[/ { group = $1; gsub(/[][]/, "", group); next }
  NF && index(groups, " " group " ") { print $1 }' packages.txt)
missing=()
for package in $wanted; do
  dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
    missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

as_root=()
if [[ $EUID -ne 0 ]]; then
  if command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; then
    as_root=(sudo)
  else
    echo "These packages are missing, and installing them takes root: ${missing[*]}" >&2
    echo "As root: apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
fi

apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
    -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

known() {
  local package
  for package in "${missing[@]}"; do
    apt-cache policy "$package" | grep -q 'Candidate: [^(]' || return 1
  done
}

echo "Installing ${missing[*]}"
known || apt update
if ! apt install --no-install-recommends "${missing[@]}"; then
  echo "That failed; once more, with fresh lists of packages" >&2
  apt update
  apt install --no-install-recommends "${missing[@]}"
fi
