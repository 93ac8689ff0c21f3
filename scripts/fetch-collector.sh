#!/usr/bin/env bash
# Makes an OpenTelemetry collector for the tests, once, and prints its path.
# Go fetches its modules, with its own settings for mirrors and proxies, and builds them; go.sum in
# tests/collector pins what they are. The program is kept outside of the repository: in
# $TILTH_COLLECTOR_CACHE, or below $XDG_CACHE_HOME.
# Exits with 77 where there is no Go, or an older one than tests/collector/go.mod says, or the modules
# cannot be fetched.
# Usage: scripts/fetch-collector.sh
set -euo pipefail
cd "$(dirname "$0")/../tests/collector"

export GOTOOLCHAIN=local GOFLAGS=-mod=readonly CGO_ENABLED=0
go list -m >/dev/null 2>&1 || { echo "There is no Go, or an old one." >&2; exit 77; }
version=$(cat go.mod go.sum main.go | sha256sum | cut -c1-16)
cache=${TILTH_COLLECTOR_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tilth}
collector=$cache/collector-$version

mkdir -p "$cache"
exec 9>"$cache/collector.lock"
flock 9
if [[ ! -x $collector ]]; then
  timeout 600 go mod download >&2 || { echo "The collector's modules cannot be fetched." >&2; exit 77; }
  echo "Building an OpenTelemetry collector" >&2
  nice -n 10 go build -p 1 -trimpath -ldflags=-s -o "$collector.partial" . >&2
  mv "$collector.partial" "$collector"
fi
echo "$collector"
