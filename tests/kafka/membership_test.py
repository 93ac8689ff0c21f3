"""Each node tells which nodes there are, and which of them live."""
import subprocess

import pytest

from receiver import eventually
from service import BINARY, BROKERS, Service

pytestmark = pytest.mark.skipif(not BROKERS, reason="needs a broker")


def known_to(node):
    """The states of all nodes, by their id."""
    return {each["node"]: each["state"] for each in node.operate("GET", "/operator/v1/nodes").data}


def id_of(node):
    return node.operate("GET", "/operator/v1/status").data["node"]


def metric(node, line):
    return f"\n{line}\n" in node.operator.send("GET", "/metrics").body.decode()


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    one = Service(tmp_path_factory.mktemp("one"), config='advertise = "farm.example.com:443"\n')
    both = [one, Service(tmp_path_factory.mktemp("other"), topic=one.topic)]
    try:
        yield [node.start() for node in both]
    finally:
        for node in both:
            node.kill()


def told(node):
    """What it tells about itself, and about the other node."""
    return node.operate("GET", "/operator/v1/nodes").data


def test_each_node_tells_of_both(pair):
    one, other = pair
    for node in pair:
        eventually(lambda: [(each["state"], each["ready"]) for each in told(node)] == [("live", True)] * 2)
    own, its = told(one)
    assert own["self"] and not its["self"] and (own["node"], its["node"]) == (id_of(one), id_of(other))
    assert (own["address"], own["operatorAddress"]) == ("farm.example.com:443", one.operator_address)
    assert (its["address"], its["operatorAddress"]) == (other.address, other.operator_address)
    assert its["roles"] == ["command", "query", "project", "clock"] and its["version"] == own["version"]
    assert own["warnings"] == its["warnings"] == []

    one.user().farm()
    status = one.operate("GET", "/operator/v1/status").data
    ends = {each["partition"]: each["end"] for each in status["log"]["partitions"]}
    eventually(lambda: {each["partition"]: each["next"] for each in told(one)[1]["partitions"]} == ends)
    assert [each["lagEvents"] for each in told(one)] == [0, 0]
    assert {each["node"] for each in status["nodes"]} == {own["node"], its["node"]}


def test_a_node_that_is_killed_is_dead_until_it_begins_again(pair):
    one, other = pair
    ids = [id_of(node) for node in pair]
    for unreadable in (b"{", b"not JSON", b"\xff" * 1000):
        subprocess.run(["kcat", "-P", "-b", BROKERS, "-t", one.topic.replace(".events", ".nodes")], input=unreadable,
                       check=True, timeout=60)
    other.kill()
    eventually(lambda: known_to(one) == {ids[0]: "live", ids[1]: "dead"})
    assert metric(one, 'tilth_cluster_nodes{state="dead"} 1') and metric(one, 'tilth_cluster_nodes{state="live"} 1')
    assert metric(one, "tilth_cluster_unreadable_messages_total 3")
    eventually(lambda: "counts as dead" in one.tail())
    other.start()
    for node in pair:
        eventually(lambda: known_to(node) == dict.fromkeys(ids, "live"))
    other.stop()
    eventually(lambda: known_to(one) == {ids[0]: "live", ids[1]: "left"})
    other.start()
    eventually(lambda: known_to(one) == dict.fromkeys(ids, "live"))


def test_clocks_apart_and_a_copied_data_directory_are_told_of(pair, tmp_path):
    one, other = pair
    copied = id_of(other)
    other.stop()
    copy = Service(tmp_path, topic=one.topic, clock="2026-03-01T06:31:00Z")
    subprocess.run(["cp", "-r", other.data, copy.data], check=True)

    def warnings():
        return sorted(warning for each in told(one) if each["node"] == copied for warning in each["warnings"])
    try:
        other.start()
        copy.start()
        shared = "Two running processes have this id: give one of them a data directory that is not a copy."
        eventually(lambda: warnings() == ["Its clock is 60.0 s ahead.", shared, shared])
        assert [shared in each["warnings"] for each in told(other)].count(True) == 2
        assert metric(one, "tilth_cluster_id_shared 1")
        assert metric(one, "tilth_cluster_clock_difference_seconds 60")
    finally:
        copy.kill()
    eventually(lambda: warnings() == [])
    assert metric(one, "tilth_cluster_id_shared 0")
