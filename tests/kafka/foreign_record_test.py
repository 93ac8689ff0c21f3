"""What another program put into the topic: it is named, nothing of it is shown, and operators let it pass."""
import subprocess
import time

import pytest

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
    """Into partition 0; the record's position there."""
    partitions = node.operate("GET", "/operator/v1/status").data["log"]["partitions"]
    command = ["kcat", "-P", "-b", BROKERS, "-t", node.topic, "-p", "0", *(["-k", key] if key else [])]
    subprocess.run(command, input=text.encode(), check=True, timeout=DEADLINE)
    return {"partition": 0, "offset": partitions[0]["end"]}


def standing(node):
    return {row["name"]: row for row in node.operate("GET", "/operator/v1/status").data["projections"]}


def wait_for(node, state, names):
    deadline = time.monotonic() + DEADLINE
    while any(standing(node)[name]["state"] != state for name in names):
        assert time.monotonic() < deadline, standing(node)
        time.sleep(0.1)


@pytest.mark.parametrize("key", [None, "nobody", "access"])
def test_a_projection_stops_there_until_an_operator_lets_it_pass(node, key):
    user = node.user("vast")
    farm = user.farm()
    at = put(node, key, "hello")
    stopped = ["access"] if key == "access" else ["registry", "finance", "market"]
    wait_for(node, "faulted", stopped)
    for name, row in standing(node).items():
        assert (row["state"] == "faulted") == (name in stopped), row
    assert "no record of Tilth" in standing(node)[stopped[0]]["reason"]
    refused(user.post("/farms", {"name": "Late", "totalArea": 1}), 503, "SERVICE_UNAVAILABLE")
    node.restart()
    wait_for(node, "faulted", stopped)
    for name in stopped:
        node.operate("POST", f"/operator/v1/projections/{name}/skip", at)
    wait_for(node, "running", stopped)
    assert node.client_of(user).get(f"/farms/{farm['id']}").data == farm
    assert [event["type"] for event in node.events(user.id)][-1] == "tilth.farm.registered"
