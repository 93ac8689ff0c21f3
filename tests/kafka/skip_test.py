"""Without Kafka, tests that need it are skipped; continuous integration must have it."""
import os
import pathlib
import subprocess
import sys

import pytest

WITH_BROKERS = pathlib.Path(__file__).resolve().parent / "with_brokers.py"


@pytest.mark.parametrize("surroundings, status", [({}, 77), ({"CI": "true"}, 1)])
def test_without_kafka_a_test_is_skipped_but_fails_in_continuous_integration(surroundings, status):
    nowhere = {"TILTH_KAFKA_CACHE": "/dev/null/nowhere"}
    rest = {name: value for name, value in os.environ.items() if name != "CI"}
    done = subprocess.run([sys.executable, WITH_BROKERS, "--", "true"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, env={**rest, **nowhere, **surroundings})
    assert done.returncode == status, done
    assert "SKIPPED: Apache Kafka could not be fetched" in done.stdout
