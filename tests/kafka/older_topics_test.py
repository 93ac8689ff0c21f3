"""Nodes start on the topics of every earlier version, byte by byte as its nodes wrote them, and read all of their history."""
import pathlib
import struct
import tarfile
import uuid

import pytest

from client import Client
from older import CLOCK, check
from protocol import create_topic, produce
from receiver import eventually
from service import BROKERS, Service

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden_topics"
VERSIONS = sorted(path.name.removesuffix(".tar.xz") for path in GOLDEN.glob("*.tar.xz"))
SETTINGS = {"retention.ms": "-1", "retention.bytes": "-1", "cleanup.policy": "delete"}
OF_KEYS = {**SETTINGS, "cleanup.policy": "compact", "segment.ms": "3600000", "max.compaction.lag.ms": "3600000",
           "delete.retention.ms": "86400000", "min.cleanable.dirty.ratio": "0.01"}
NOT_YET = (3, 5, 6)  # unknown topic, leader not available, not leader
NAMED = "tilth"  # then; each test names the topics otherwise, since they share a broker

pytestmark = pytest.mark.skipif(not BROKERS, reason="needs a broker")


def batches(segment):
    """Each record batch of a segment, as a broker takes it: it gives the offsets, and its checksum leaves them out."""
    while segment:
        size = 12 + struct.unpack_from(">i", segment, 8)[0]  # its first offset, its length, and the rest
        yield bytes(8) + segment[8:size]
        segment = segment[size:]


def send(topic, partition, batch):
    """Waits until all know the new topic and its partition has a leader."""
    def is_stored():
        code = produce(BROKERS, topic, partition, batch)
        assert code in (0, *NOT_YET), (topic, partition, code)
        return code == 0
    eventually(is_stored)


def put(topic, directory):
    partitions = list(directory.iterdir())
    settings = OF_KEYS if topic.endswith(".owner-keys") else SETTINGS
    assert create_topic(BROKERS, topic, len(partitions), settings) == 0
    for partition in partitions:
        for batch in batches(partition.read_bytes()):
            send(topic, int(partition.stem), batch)


def test_there_is_one_at_least():
    assert "0.1.0" in VERSIONS


@pytest.fixture(params=VERSIONS)
def older(request, tmp_path):
    """What the archive has, and the name that its topics have now."""
    with tarfile.open(GOLDEN / f"{request.param}.tar.xz") as archive:
        archive.extractall(tmp_path)
    name = str(uuid.uuid4())
    for topic in (tmp_path / "topics").iterdir():
        put(name + topic.name.removeprefix(NAMED), topic)
    return tmp_path, f"{name}.events"


def test_its_history_and_its_records_are_read_by_each_node(older, tmp_path):
    directory, topic = older
    one, other = nodes = [Service(tmp_path / name, clock=CLOCK, topic=topic) for name in ("one", "other")]
    try:
        for node in nodes:
            node.directory.mkdir()
        client, renamed = check(one.start(), directory)
        since = {"Tilth-Min-Position": renamed.header("Tilth-Position")}
        shown = Client(other.start().address, client.authorization).get(f"/farms/{renamed.data['id']}", since)
        assert shown.data == renamed.data, shown
        for node in nodes:
            node.stop()
    finally:
        for node in nodes:
            node.kill()
