#!/usr/bin/env bash
# Compiles the client and packs the npm tarball.
# Usage: clients/typescript/build.sh [FOLDER]   by default build/clients, from the top folder
set -euo pipefail
cd "$(dirname "$0")"
target=$(realpath -m "${1:-../../build/clients}")
modules=$(../../tests/tools.sh node clients-build typescript@5.9.3)
package=$target/package
rm -rf "$package"
mkdir -p "$package"
"$modules/.bin/tsc" --project tsconfig.json --outDir "$package/dist"
cp package.json README.md reference.md ../../LICENSE "$package"
cd "$target"
npm pack --silent ./package
