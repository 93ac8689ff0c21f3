"""Whatever happens to a produce request on its way, there is one effect or a 503, and a retry shows which."""
import json
import os
import random
import threading
import time
import uuid

import pytest

import service
from broken_wire import BrokenWire, Fault
from brokers import Cluster, Unavailable
from service import VAST, Service

TIMED_OUT, TOO_FEW, TOO_FEW_AFTER, NOT_LEADER = 7, 19, 20, 6
OUT_OF_ORDER, UNKNOWN_PRODUCER, FENCED, DISK = 45, 59, 47, 56

FAULTS = {
    "it is written, and a time-out is told": Fault(TIMED_OUT, True),
    "too few copies are in sync": Fault(TOO_FEW, False),
    "too few copies are in sync once it is written": Fault(TOO_FEW_AFTER, True),
    "another broker leads": Fault(NOT_LEADER, False),
    "it is written, and another broker leads": Fault(NOT_LEADER, True),
    "its number is out of order": Fault(OUT_OF_ORDER, False),
    "it is written, and its number is out of order": Fault(OUT_OF_ORDER, True),
    "its producer is unknown": Fault(UNKNOWN_PRODUCER, False),
    "its producer was replaced": Fault(FENCED, False),
    "the disk refuses": Fault(DISK, False),
    "the connection breaks before it arrives": Fault(None, False),
    "the connection breaks once it is written": Fault(None, True),
}


@pytest.fixture(scope="module")
def wire(tmp_path_factory):
    with BrokenWire() as wire:
        advertised = {"advertised.listeners": f"PLAINTEXT://{wire.address}"}
        try:
            cluster = Cluster(tmp_path_factory.mktemp("brokers") / "all", settings=advertised)
        except Unavailable as why:
            pytest.exit(f"SKIPPED: {why}", 1 if os.environ.get("CI") else 77)
        wire.broker = ("127.0.0.1", cluster.brokers[0].port)
        with cluster:
            service.BROKERS = wire.address
            yield wire


@pytest.fixture(scope="module")
def node(wire, tmp_path_factory):
    node = Service(tmp_path_factory.mktemp("node"), config=VAST)
    try:
        yield node.start()
        node.stop()
    finally:
        node.kill()


@pytest.fixture(autouse=True)
def healed(wire):
    yield
    wire.heal()


def post(user, name, key):
    """201, or a 503 with Retry-After; 409 while the first copy runs."""
    reply = user.post("/farms", {"name": name, "totalArea": 1}, {"Idempotency-Key": key})
    assert reply.status in (201, 409, 503), reply
    assert reply.status == 201 or reply.header("Retry-After"), reply
    return reply


def post_until_answered(user, name, key):
    deadline = time.monotonic() + 60
    while (reply := post(user, name, key)).status != 201:
        assert time.monotonic() < deadline, reply
        time.sleep(0.1)
    return reply


def check_once(node, user, names):
    """Each of the farms exists once, and so does its event."""
    found = [farm["name"] for farm in user.get("/farms?limit=100&sort=name&order=asc").data]
    assert found == sorted(names)
    assert sorted(event["data"]["name"] for event in node.events(user.id)) == found


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_one_broken_produce_has_one_effect(wire, node, fault):
    user, key, before = node.user("vast"), str(uuid.uuid4()), wire.done
    wire.fail(node.topic, fault)
    first = post(user, "Elm", key)
    assert wire.done == before + 1
    again = post_until_answered(user, "Elm", key)
    assert first.status != 201 or again.body == first.body
    user.farm(name="Oak")
    check_once(node, user, ["Elm", "Oak"])


@pytest.mark.parametrize("what", ["it is written, and a time-out is told", "too few copies are in sync",
                                  "the connection breaks once it is written"])
def test_as_long_as_nothing_else_is_told_it_is_503_and_then_there_is_one_effect(wire, node, what):
    user, key = node.user("vast"), str(uuid.uuid4())
    wire.fail_always(node.topic, FAULTS[what])
    first = post(user, "Elm", key)
    wire.heal()
    assert first.status in (201, 503)
    assert first.status == 503 or FAULTS[what].written, "an unwritten record was acknowledged"
    post_until_answered(user, "Elm", key)
    check_once(node, user, ["Elm"])


def test_a_node_whose_changes_are_not_kept_says_that_it_is_not_ready_and_why(wire, node):
    user, key = node.user("vast"), str(uuid.uuid4())
    wire.fail_always(node.topic, FAULTS["too few copies are in sync"])
    assert post(user, "Elm", key).status == 503
    reply = node.operator.send("GET", "/readyz")
    said = json.loads(reply.body)["data"]
    assert (reply.status, said["log"], said["ready"]) == (503, "unavailable", False), said
    assert said["logReason"], said
    wire.heal()
    post_until_answered(user, "Elm", key)
    assert node.operator.send("GET", "/readyz").status == 200


def test_a_client_of_the_log_that_cannot_go_on_is_replaced(wire, node):
    def replaced():
        return next(float(line.split()[1]) for line in node.operator.send("GET", "/metrics").body.decode().splitlines()
                    if line.startswith("tilth_kafka_client_renewals_total"))
    before = replaced()
    user = node.user("vast")
    wire.fail(node.topic, FAULTS["its number is out of order"])
    post_until_answered(user, "Elm", str(uuid.uuid4()))
    assert replaced() > before
    check_once(node, user, ["Elm"])


def test_many_writers_over_a_wire_that_breaks_at_random(wire, node):
    seed = random.SystemRandom().randrange(1, 1 << 32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    users = [node.user("vast") for _ in range(6)]
    kept, failures, stopping = {user.id: [] for user in users}, [], threading.Event()

    def write(user):
        try:
            while not stopping.is_set():
                name = f"Farm {len(kept[user.id])}"
                post_until_answered(user, name, str(uuid.uuid4()))
                kept[user.id].append(name)
        except Exception as error:  # reported after the join
            failures.append(error)

    threads = [threading.Thread(target=write, args=(user,)) for user in users]
    for thread in threads:
        thread.start()
    until = time.monotonic() + 12
    while time.monotonic() < until:
        time.sleep(0.5 * chance.random())
        wire.fail(node.topic, chance.choice(list(FAULTS.values())), chance.choice([1, 1, 3]))
    wire.heal()
    stopping.set()
    for thread in threads:
        thread.join(120)
    assert not failures, (seed, failures)
    for user in users:
        assert [event["data"]["name"] for event in node.events(user.id)] == kept[user.id], seed
