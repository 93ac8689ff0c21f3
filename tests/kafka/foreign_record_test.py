"""A record that another program put into the topic: it is reported, it is never shown, and operators can skip it."""
import subprocess

import pytest

from moving_test import documented_partition
from operated import order, standing, wait_for
from service import BROKERS, DEADLINE, VAST, Service, refused


@pytest.fixture
def node(tmp_path):
    node = Service(tmp_path, config=VAST)
    try:
        yield node.start()
        node.stop()
    finally:
        node.kill()


def put(node, key, text):
    """Puts a record into partition 0; returns its position."""
    partitions = node.operate("GET", "/operator/v1/status").data["log"]["partitions"]
    command = ["kcat", "-P", "-b", BROKERS, "-t", node.topic, "-p", "0", *(["-k", key] if key else [])]
    subprocess.run(command, input=text.encode(), check=True, timeout=DEADLINE)
    return {"partition": 0, "offset": partitions[0]["end"]}


def wait_for_all(node, names, state):
    for name in names:
        wait_for(node, name, lambda row: row["state"] == state)


@pytest.mark.parametrize("key", [None, "no one", "access"])
def test_a_projection_stops_there_until_an_operator_lets_it_pass(node, key):
    user = node.user("vast")
    farm = user.farm()
    at = put(node, key, "hello")
    stopped = ["access"] if key == "access" else ["registry", "finance", "market"]
    wait_for_all(node, stopped, "faulted")
    for name in ("access", "registry", "finance", "market"):
        row = standing(node, name)
        assert (row["state"] == "faulted") == (name in stopped), row
    assert "no record of Tilth" in standing(node, stopped[0])["reason"]
    refused(user.post("/farms", {"name": "Late", "totalArea": 1}), 503, "SERVICE_UNAVAILABLE")
    node.restart()
    wait_for_all(node, stopped, "faulted")
    for name in stopped:
        order(node, name, "skip", body=at)
    wait_for_all(node, stopped, "running")
    assert node.client_of(user).get(f"/farms/{farm['id']}").data == farm
    assert [event["type"] for event in node.events(user.id)][-1] == "tilth.farm.registered"


def misplaced(node, user):
    """Puts a well-formed record of a user into another partition than theirs; returns its position."""
    partitions = node.operate("GET", "/operator/v1/status").data["log"]["partitions"]
    wrong = (documented_partition(user.id, len(partitions)) + 1) % len(partitions)
    headers = {"ce_subject": user.id, "ce_id": "1", "ce_type": "tilth.farm.registered", "ce_schemaversion": "1",
               "ce_time": "2026-01-01T00:00:00.000Z", "ce_streamversion": "0"}
    command = ["kcat", "-P", "-b", BROKERS, "-t", node.topic, "-p", str(wrong), "-k", user.id,
               *(part for name, value in headers.items() for part in ("-H", f"{name}={value}"))]
    subprocess.run(command, input=b"{}", check=True, timeout=DEADLINE)
    return {"partition": wrong, "offset": partitions[wrong]["end"]}


def test_a_record_in_another_partition_than_its_stream_can_be_skipped(node):
    user = node.user("vast")
    farm = user.farm()
    at = misplaced(node, user)
    stopped = ["registry", "finance", "market"]
    wait_for_all(node, stopped, "faulted")
    assert standing(node, "access")["state"] == "running"
    reason = standing(node, "registry")["reason"]
    assert f"partition {at['partition']}, offset {at['offset']} belongs into partition" in reason
    for name in stopped:
        order(node, name, "skip", body=at)
    wait_for_all(node, stopped, "running")
    assert user.get(f"/farms/{farm['id']}").data == farm
    field = user.field(farm)
    node.restart()
    assert node.client_of(user).get(f"/farms/{farm['id']}/fields/{field['id']}").data == field
    assert [event["type"] for event in node.events(user.id)][-1] == "tilth.field.registered"
