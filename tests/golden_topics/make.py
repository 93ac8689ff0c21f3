#!/usr/bin/env python3
"""Makes VERSION.tar.xz, the topics of the version of a binary. Run once for each release, with its binary.
Usage: tests/golden_topics/make.py BINARY"""
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "kafka"), str(HERE.parent / "http")]
if len(sys.argv) != 2:
    sys.exit(__doc__)
os.environ["TILTH_BINARY"] = sys.argv[1]
import service  # noqa: E402
from brokers import Cluster  # noqa: E402

CLOCK = "2026-11-24T12:00:00Z"
TOPIC = "tilth.events"
HISTORY = HERE.parent / "golden_history/2026-11.jsonl"  # has every type of event; others have streams of these names, too


def command(node, *words):
    done = service.run(*words, "--operator", f"http://{node.operator_address}", "--data", node.data)
    assert done.returncode == 0, done
    return done.stdout


def fill(directory):
    """What a node of this version writes: an imported history with every type of event, and the demo farm."""
    node = service.Service(directory, clock=CLOCK, topic=TOPIC)
    try:
        node.start()
        command(node, "events", "import", HISTORY)
        (directory / "demo.json").write_text(command(node, "demo", "--json"))
        command(node, "events", "export", "--with-secrets", "--output", directory / "events.jsonl")
        node.stop()
    finally:
        node.kill()


def collect(broker, directory):
    """The records of each partition, from the segments of a broker that has ended."""
    for partition in (broker / "log").glob("tilth.*-*"):
        topic, _, number = partition.name.rpartition("-")
        (directory / "topics" / topic).mkdir(parents=True, exist_ok=True)
        with open(directory / "topics" / topic / f"{number}.log", "wb") as file:
            for segment in sorted(partition.glob("*.log")):
                file.write(segment.read_bytes())


def plain(entry):
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def main():
    version = subprocess.run([service.BINARY, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    archive = HERE / f"{version}.tar.xz"
    if archive.exists():
        sys.exit(f"{archive} exists, and is never edited.")
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        with Cluster(directory) as cluster:
            service.BROKERS = cluster.addresses
            fill(directory)
            broker, = cluster.brokers
            broker.stop()
        collect(broker.directory, directory)
        with tarfile.open(archive, "w:xz") as tar:
            for name in ("topics", "events.jsonl", "demo.json"):
                tar.add(directory / name, name, filter=plain)


if __name__ == "__main__":
    main()
