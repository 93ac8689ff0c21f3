#!/usr/bin/env python3
"""Runs a command beside Kafka brokers of its own, whose addresses it finds in TILTH_TEST_BROKERS.
Usage: with_brokers.py [--brokers N] COMMAND…"""
import argparse
import os
import subprocess
import sys
import tempfile

from brokers import Cluster, Unavailable, skip_or_fail


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--brokers", type=int, default=1)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tilth-kafka-") as directory:
        try:
            cluster = Cluster(directory, given.brokers)
        except Unavailable as why:
            skip_or_fail(why)
        with cluster:
            surroundings = {**os.environ, "TILTH_TEST_BROKERS": cluster.addresses}
            return subprocess.run(given.command[given.command[:1] == ["--"]:], env=surroundings).returncode


if __name__ == "__main__":
    sys.exit(main())
