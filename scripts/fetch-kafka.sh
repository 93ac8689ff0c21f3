#!/usr/bin/env bash
# Fetches Apache Kafka for the tests, once, and prints the folder of its jars.
# Maven downloads them, with its own settings for mirrors and proxies. They are kept outside of the
# repository: in $TILTH_KAFKA_CACHE, or below $XDG_CACHE_HOME.
# Usage: scripts/fetch-kafka.sh
set -euo pipefail
cd "$(dirname "$0")/.."

version=3.9.1
cache=${TILTH_KAFKA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tilth}
jars=$cache/kafka-$version

if ! command -v java >/dev/null || ! command -v mvn >/dev/null; then
  scripts/install-packages.sh test >&2
fi
if [[ -f $jars/complete ]]; then
  echo "$jars"
  exit 0
fi

mkdir -p "$cache"
exec 9>"$cache/kafka.lock"
flock 9
if [[ -f $jars/complete ]]; then  # another process fetched it while this one waited
  echo "$jars"
  exit 0
fi
work=$(mktemp -d "$cache/fetching.XXXXXX")
trap 'rm -rf "$work"' EXIT
cat >"$work/pom.xml" <<POM
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>tilth</groupId>
  <artifactId>kafka-for-tests</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>$version</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-simple</artifactId>
      <version>1.7.36</version>
    </dependency>
  </dependencies>
</project>
POM
echo "Fetching Apache Kafka $version" >&2
mvn -q -B -f "$work/pom.xml" dependency:copy-dependencies \
  -DincludeScope=runtime -DoutputDirectory="$work/jars" >&2
touch "$work/jars/complete"
rm -rf "$jars"
mv "$work/jars" "$jars"
echo "$jars"
