"""bench/run measures what it is asked for: it refuses names that it does not know, before it builds anything."""
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*arguments):
    """Without a PATH, so that nothing is built."""
    return subprocess.run([sys.executable, ROOT / "bench/run", *arguments], capture_output=True, text=True, env={"PATH": ""})


@pytest.mark.parametrize("names", [["P5"], ["P1", "P4"]])  # on the page, they are called rebuild and kafka
def test_a_name_that_it_does_not_know_is_refused(names):
    refused = run(*names)
    assert refused.returncode == 2 and f"{names[-1]}: no such measurement" in refused.stderr, refused.stderr


def test_the_help_says_what_is_measured_by_default():
    shown = " ".join(run("--help").stdout.split())
    assert "P1 P2 P3 P6 P7 cells tasks due finance kafka, all of these by default" in shown
