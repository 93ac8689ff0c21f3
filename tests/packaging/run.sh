#!/usr/bin/env bash
# Tests the Debian package in a fresh root of this Debian, which contains nothing but what the package depends on.
# Exits 77, "skipped", where that root cannot be made. It is kept in a cache outside the source tree, and unpacked again
# for each run.
# Usage: TILTH_BINARY=build/dev/tilth tests/packaging/run.sh [PYTEST_ARGUMENTS]
set -euo pipefail
binary=$(realpath "${TILTH_BINARY:?names the program to be packaged}")
cd "$(dirname "$0")"

skip() { echo "$1" >&2; exit 77; }
for tool in dh eu-unstrip lintian minisign mmdebstrap unshare; do
  command -v "$tool" >/dev/null || skip "$tool is not installed"
done
[[ $EUID -eq 0 ]] || skip "Installing a package in a root of its own takes root"
unshare --mount --pid --fork true || skip "This machine allows no namespaces"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
../../packaging/build-deb.sh --fast --binary "$binary" "$work/packages"

cache=${TILTH_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tilth-tests}
mkdir -p "$cache"
. /etc/os-release
# "libc6 (>= 2.36), systemd | other" → "libc6,systemd"; dpkg compares the versions when it installs the package
depends=$(dpkg-deb -f "$work"/packages/tilth_*.deb Depends | sed 's/ *([^)]*)//g; s/ *|[^,]*//g; s/, */,/g')
root=$cache/debian-root-$(sha256sum <<<"$VERSION_CODENAME $depends" | cut -c1-16).tar
sources=/etc/apt/sources.list.d/debian.sources
[[ -f $sources ]] || sources=/etc/apt/sources.list
exec 9>"$cache/.debian-root.lock"
flock 9
if [[ ! -f $root ]]; then
  mmdebstrap --quiet --variant=minbase --include="$depends" "$VERSION_CODENAME" "$root.partial" "$sources" --format=tar >&2 ||
    skip "A root of Debian $VERSION_CODENAME cannot be made"
  mv "$root.partial" "$root"
fi
flock -u 9
mkdir "$work/root"
tar -C "$work/root" -xpf "$root"

# What the tests start ends with them.
TILTH_BINARY=$binary TILTH_PACKAGES=$work/packages TILTH_ROOT=$work/root \
  unshare --mount --pid --fork --kill-child --mount-proc \
  bash -c 'mount -t proc proc "$TILTH_ROOT/proc" && "$@"' - \
  "${PYTHON:-/usr/bin/python3}" -m pytest -q --tb=short -p no:cacheprovider "$@" .
