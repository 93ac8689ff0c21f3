#!/usr/bin/env bash
# Makes the Debian package of a built program, tilth_VERSION_ARCH.deb, and of its debug symbols, tilth-dbgsym_….deb.
# Usage: packaging/build-deb.sh [--binary FILE] [--fast] DIRECTORY
#   --binary FILE   the program, by default build/release/tilth; FILE.debug has its debug symbols if it is stripped
#   --fast          hardly compress, for tests
# The same program gives the same bytes: times are those of packaging/debian/changelog, or SOURCE_DATE_EPOCH.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)

binary=$top/build/release/tilth compression=-Zxz directory=
while [[ $# -gt 0 ]]; do
  case $1 in
    --binary) binary=${2:?--binary takes a file}; shift 2 ;;
    --fast) compression="-Zgzip -z1"; shift ;;
    -h | --help) sed -n '2,6s/^# //p' "$0"; exit 0 ;;
    -*) echo "packaging/build-deb.sh does not know $1" >&2; exit 2 ;;
    *) directory=$1; shift ;;
  esac
done
[[ -n $directory ]] || { echo "packaging/build-deb.sh takes the directory for the packages" >&2; exit 2; }
[[ -x $binary ]] || { echo "There is no program $binary: ./run --build makes one." >&2; exit 1; }
mkdir -p "$directory"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
source=$scratch/tilth
umask 022
mkdir "$source"
cp -r "$top/packaging/debian" "$top/packaging/tilth.toml" "$top/CHANGELOG.md" "$top/monitoring" "$top/library" "$source"
cp "$top/packaging/tilth.service" "$source/debian"

version=$("$binary" --version | cut -d' ' -f2)
packaged=$(dpkg-parsechangelog -l "$source/debian/changelog" -S Version)
if [[ ${packaged%-*} != "$version" ]]; then
  echo "packaging/debian/changelog is at $packaged, and the program at $version." >&2
  exit 1
fi

if [[ -f $binary.debug ]]; then  # dh_strip separates them again, into a package
  eu-unstrip "$binary" "$binary.debug" -o "$source/tilth"
else
  cp "$binary" "$source/tilth"
fi
"$binary" man --directory "$source/man" >/dev/null
mkdir -p "$source/completions/"{bash,zsh,fish}
"$binary" completion bash >"$source/completions/bash/tilth"
"$binary" completion zsh >"$source/completions/zsh/_tilth"
"$binary" completion fish >"$source/completions/fish/tilth.fish"
"$top/scripts/sbom.py" "$binary" >"$source/tilth.cdx.json"
for license in "$top"/dashboard/vendor/*/LICENSE; do  # of web pages in the program
  printf '\n%s\n\n' "--- $(basename "$(dirname "$license")"), in the web pages"
  if grep -q 'Apache License' "$license"; then
    echo "Licensed under the Apache License, Version 2.0, as above."
  else
    cat "$license"
  fi
done >>"$source/debian/copyright"

log=$scratch/log
if ! (cd "$source" && DEB_COMPRESSION=$compression dpkg-buildpackage -b -us -uc >"$log" 2>&1); then
  cat "$log" >&2
  exit 1
fi
cp "$scratch"/*.deb "$directory"
