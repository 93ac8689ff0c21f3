#!/usr/bin/env bash
# Makes VERSION.tar.xz, the data directory of the version of a binary. Run once for each release, with its binary.
# Usage: tests/golden_data/make.sh BINARY
set -euo pipefail
binary=$(realpath "${1:?names the binary}")
here=$(cd "$(dirname "$0")" && pwd)
archive=$here/$("$binary" --version | cut -d' ' -f2).tar.xz
[[ ! -e $archive ]] || { echo "$archive exists, and is never edited." >&2; exit 1; }

scratch=$(mktemp -d)
trap 'kill "$service" 2>/dev/null || true; rm -rf "$scratch"' EXIT
cd "$scratch"
"$binary" serve --data data --listen 127.0.0.1:0 --operator-listen 127.0.0.1:0 --no-library \
  --test-clock 2026-11-24T12:00:00Z --ready-file ready.json >/dev/null 2>errors &
service=$!
until [[ -s ready.json ]]; do
  kill -0 "$service" 2>/dev/null || { cat errors >&2; exit 1; }
  sleep 0.1
done
at=(--operator "http://$(sed -E 's/.*"operatorListen":"([^"]+)".*/\1/' ready.json)" --data data)
# It has every type of event; the other histories have streams of the same names, and cannot be imported with it.
"$binary" events import "$here/../golden_history/2026-11.jsonl" "${at[@]}"
"$binary" demo --json "${at[@]}" >demo.json
"$binary" events export --with-secrets --output events.jsonl "${at[@]}"
kill -TERM "$service"
wait "$service"
rm data/lock
tar --sort=name --owner=0 --group=0 --numeric-owner -cJf "$archive" data events.jsonl demo.json
