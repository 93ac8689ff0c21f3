#!/usr/bin/env python3
"""Runs a command with its own Kafka brokers, whose addresses are in TILTH_TEST_BROKERS.
With --secure they accept only TLS and passwords; the folder TILTH_TEST_SECRETS has what a client needs for that.
Usage: with_brokers.py [--brokers N] [--secure] COMMAND…"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

from brokers import Cluster, Unavailable, skip_or_fail
from secrets_of_brokers import secure_settings


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--brokers", type=int, default=1)
    parser.add_argument("--secure", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tilth-kafka-") as directory:
        secrets = pathlib.Path(directory) / "secrets"
        secure = {"protocol": "SASL_SSL", "settings": secure_settings(secrets)} if given.secure else {}
        try:
            cluster = Cluster(directory, given.brokers, **secure)
        except Unavailable as why:
            skip_or_fail(why)
        with cluster:
            surroundings = {**os.environ, "TILTH_TEST_BROKERS": cluster.addresses,
                            "TILTH_TEST_SECRETS": str(secrets)}
            return subprocess.run(given.command[given.command[:1] == ["--"]:], env=surroundings).returncode


if __name__ == "__main__":
    sys.exit(main())
