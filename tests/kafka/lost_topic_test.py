"""A topic that was deleted, recreated or cut: a node says so, does not start again, and never shows wrong data."""
import re
import subprocess
import time

import pytest

from protocol import create_topic, delete_records, delete_topic
from service import BINARY, BROKERS, DEADLINE, VAST, Service, refused

SOUND = {"retention.ms": "-1", "retention.bytes": "-1", "cleanup.policy": "delete"}
UNKNOWN_TOPIC = 3


@pytest.fixture
def node(tmp_path):
    node = Service(tmp_path, config=VAST)
    try:
        yield node.start()
    finally:
        node.kill()


def delete(topic):
    assert delete_topic(BROKERS, topic) == 0
    while (code := delete_topic(BROKERS, topic)) != UNKNOWN_TOPIC:
        assert code in (0, UNKNOWN_TOPIC)


def cut(node):
    """Deletes all records of the partitions."""
    ends = {row["partition"]: -1 for row in node.operate("GET", "/operator/v1/status").data["log"]["partitions"]}
    assert delete_records(BROKERS, node.topic, ends) == 0


def not_ready(node, *patterns):
    """Waits until the node reports that it is not ready, and why."""
    deadline = time.monotonic() + DEADLINE
    while True:
        reply = node.operator.send("GET", "/readyz")
        said = reply.body.decode()
        if reply.status == 503 and all(re.search(pattern, said) for pattern in patterns):
            return said
        assert time.monotonic() < deadline, f"it does not say {patterns}, but {reply.status} {said}"
        time.sleep(0.1)


def does_not_start(node, *words):
    """A start fails, with one sentence that has these words."""
    node.kill()
    node.ready_file.unlink(missing_ok=True)
    command = [BINARY, "serve", "--data", node.data, *node.flags]
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=DEADLINE, env=node.environment)
    sentence = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1 and all(word in sentence for word in words), done
    assert sentence.endswith(".") and not sentence.startswith("{"), sentence


def shows_what_is_so(user, farm):
    """The node shows what was acknowledged, or nothing."""
    reply = user.get(f"/farms/{farm['id']}")
    assert reply.status == 503 or (reply.status == 200 and reply.data == farm), reply
    listed = user.get("/farms")
    assert listed.status == 503 or listed.data == [farm], listed


def takes_nothing(user):
    reply = user.post("/farms", {"name": "Lost", "totalArea": 1})
    assert reply.status == 503 and reply.header("Retry-After"), reply


def test_one_that_was_deleted(node):
    user = node.user("vast")
    farm = user.farm()
    delete(node.topic)
    not_ready(node, '"log":"unavailable"', "Unknown topic")
    takes_nothing(user)
    shows_what_is_so(user, farm)
    refused(node.operator.send("GET", "/operator/v1/events"), 503, "SERVICE_UNAVAILABLE")
    does_not_start(node, "another topic of this name")


def test_one_that_was_made_again(node):
    user = node.user("vast")
    farm = user.farm()
    delete(node.topic)
    assert create_topic(BROKERS, node.topic, 12, SOUND) == 0
    takes_nothing(user)
    shows_what_is_so(user, farm)
    # The message depends on which check is first: recreated, the next record is gone, or another first event.
    not_ready(node, f"The topic {node.topic} |another topic of this name")
    takes_nothing(user)
    shows_what_is_so(user, farm)
    does_not_start(node, "another topic of this name")


def test_one_that_forgot_its_beginning(node, tmp_path_factory):
    user = node.user("vast")
    farm = user.farm()
    cut(node)
    not_ready(node, "no longer holds all of its history")
    shows_what_is_so(user, farm)
    does_not_start(node, "no longer holds all of its history")
    other = Service(tmp_path_factory.mktemp("other"), topic=node.topic)
    does_not_start(other, "no longer holds all of its history")


def test_one_that_was_made_again_between_two_runs(node):
    node.user("vast").farm()
    node.stop()
    delete(node.topic)
    assert create_topic(BROKERS, node.topic, 12, SOUND) == 0
    does_not_start(node, "another topic of this name")


def test_a_node_stops_in_time_after_its_topic_was_deleted(node):
    node.user().farm()
    delete(node.topic)
    not_ready(node, "topic|log")
    began = time.monotonic()
    node.child.terminate()
    assert node.child.wait(DEADLINE) == 0, node.tail()
    assert time.monotonic() - began < 10
    assert not node.ready_file.exists()
