#!/usr/bin/env bash
# Makes a release: the Debian packages, the container image, the list of components, and their signed checksums.
# Usage: packaging/release.sh --key FILE [--binary FILE] [--packages DIRECTORY] DIRECTORY
#   --key FILE             the minisign key to sign with; `minisign -G` makes one, which belongs in no repository
#   --binary FILE          a program that is already built; by default this builds the one of the current commit
#   --packages DIRECTORY   Debian packages that build-deb.sh has already made of it
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)

key= binary= packages= directory=
while [[ $# -gt 0 ]]; do
  case $1 in
    --key) key=${2:?--key takes a file}; shift 2 ;;
    --binary) binary=${2:?--binary takes a file}; shift 2 ;;
    --packages) packages=${2:?--packages takes a directory}; shift 2 ;;
    -h | --help) sed -n '2,6s/^# //p' "$0"; exit 0 ;;
    -*) echo "packaging/release.sh does not know $1" >&2; exit 2 ;;
    *) directory=$1; shift ;;
  esac
done
[[ -n $key && -n $directory ]] || { echo "packaging/release.sh takes --key and the directory for the release" >&2; exit 2; }
[[ -r $key ]] || { echo "There is no key $key." >&2; exit 1; }
if [[ -e $directory && -n $(ls -A "$directory") ]]; then
  echo "$directory is not empty, and everything in it would be signed." >&2
  exit 1
fi
mkdir -p "$directory"

image=false
if [[ -z $binary ]]; then
  if [[ -n $(git -C "$top" status --porcelain) ]]; then
    echo "There are changes that are not committed, so that no commit would be the source of this release." >&2
    exit 1
  fi
  "$top/scripts/install-packages.sh" build release
  "$top/run" --build
  binary=$top/build/release/tilth
  image=true
fi
version=$("$binary" --version | cut -d' ' -f2)

if [[ -n $packages ]]; then
  cp "$packages"/tilth*.deb "$directory"
else
  "$top/packaging/build-deb.sh" --binary "$binary" "$directory"
fi
"$top/scripts/sbom.py" "$binary" >"$directory/tilth_$version.cdx.json"

# The image is built from source, so a given program is not in it.
if [[ $image == false || ! -f $top/Dockerfile ]]; then
  echo "No container image: it is made only of the current commit." >&2
elif ! docker info >/dev/null 2>&1; then
  echo "No container image: there is no Docker here." >&2
else
  docker build -t "tilth:$version" "$top"
  docker save "tilth:$version" | gzip -n >"$directory/tilth_${version}_image.tar.gz"
fi

sums=$(cd "$directory" && sha256sum -- *)
echo "$sums" >"$directory/SHA256SUMS"
minisign -S -s "$key" -m "$directory/SHA256SUMS" -t "tilth $version" >/dev/null
echo "The release $version is in $directory:"
ls "$directory"
