"""Nodes that share a log on Kafka erase a person: nothing that names them is left in a file of any of them, or can be
read from the topics."""
import concurrent.futures
import json
import shutil
import subprocess
import time

import pytest

from client import Client
from conftest import clients
from market import ask
from named_person import NAME, erase, events_of, files_with_words, owner, verified, wait_until_complete
from protocol import create_topic, delete_topic
from receiver import eventually
from service import BROKERS, DEADLINE, VAST, Service, refused, run


UNKNOWN_TOPIC = 3
LEASE = 2  # seconds for which a node trusts what it knows of a key


def raw(topic):
    """The records of a topic as any Kafka tool reads them."""
    line = '{"key":"%k","null":%S,"headers":"%h"}\\n%s\\n'
    command = ["kcat", "-C", "-e", "-q", "-b", BROKERS, "-t", topic, "-o", "beginning", "-f", line]
    lines = subprocess.run(command, check=True, capture_output=True, text=True, timeout=DEADLINE).stdout.split("\n")[:-1]
    return [{**json.loads(head), "value": value and json.loads(value)} for head, value in zip(lines[::2], lines[1::2])]


def keys_of(topic):
    return raw(topic.replace(".events", ".owner-keys"))


def names_the_person(text):
    return NAME.lower() in json.dumps(text).lower()


@pytest.fixture
def made(tmp_path):
    """Makes nodes, each with a directory of its own."""
    services = []

    def make(name, **settings):
        (tmp_path / name).mkdir()
        services.append(Service(tmp_path / name, **settings))
        return services[-1]

    yield make
    for service in services:
        service.kill()


def test_every_node_forgets_a_person_and_all_else_stays(made):
    one = made("one", config=VAST).start()
    two, away = (made(name, config=VAST, topic=one.topic).start() for name in ("two", "away"))
    neighbor = one.user("vast")
    land = neighbor.land()
    person, user = owner(one)
    prices = ask(neighbor, "Japan")
    assert prices["data"], prices

    topic = raw(one.topic)
    assert not names_the_person(topic), "what names the person is sealed"
    sale = next(each["value"] for each in topic if "ce_type=tilth.sale.recorded" in each["headers"])
    assert (sale["totalAmount"], sale["saleDate"], sale["buyer"]) == ("200", "2026-02-20", {"sealed": True})
    for node in (one, two, away):
        assert names_the_person(events_of(node, person.id)), "every node opens it"
    for node in (one, two):
        node.restart()
        assert files_with_words(node.data), "the rows hold it"
    away.stop()

    answer = erase(two, person.id)
    assert answer["complete"] is True and answer["left"] is None, answer
    for node in (one, two):
        assert files_with_words(node.data) == []
        assert Client(node.address, user.authorization).get("/farms").status == 401
        assert node.operate("GET", f"/operator/v1/users/{person.id}/erasure").data["complete"] is True
    away.start()
    wait_until_complete(away, person.id)
    assert files_with_words(away.data) == [], "it makes up for it"
    late = made("late", config=VAST, topic=one.topic).start()
    for node in (one, two, away, late):
        after = events_of(node, person.id)
        kinds = [event["type"] for event in after]
        assert kinds.count("tilth.user.erased") == 1 and kinds.count("tilth.records.erased") == 1
        assert not names_the_person(after)
        assert verified(node) == [[], [], [], []]
        there = node.client_of(neighbor)
        assert there.read(f"/farms/{land[0]['id']}") == land[0] and ask(there, "Japan") == prices

    keys = keys_of(one.topic)
    of_person = [each for each in keys if each["key"].endswith(person.id)]
    assert [each["null"] for each in of_person if each["key"].startswith("key/")][-1] == -1, "the key is removed"
    assert any(each["key"] == f"destroyed/{person.id}" for each in of_person)
    assert [each["null"] > 0 for each in keys if each["key"].startswith("key/") and neighbor.id in each["key"]] == [True]


def test_a_node_that_is_behind_forgets_a_person_once_it_has_caught_up(made):
    one = made("one", config=VAST).start()
    two = made("two", config=VAST, topic=one.topic).start()
    two.operate("POST", "/operator/v1/projections/access/pause")
    person, _ = owner(one)
    assert names_the_person(events_of(two, person.id))
    with concurrent.futures.ThreadPoolExecutor(1) as by_one:
        answer = by_one.submit(erase, one, person.id)
        eventually(lambda: not names_the_person(events_of(two, person.id)))
        two.operate("POST", "/operator/v1/projections/access/resume")
        assert answer.result()["complete"] is True, answer
    assert files_with_words(two.data) == []


def test_an_answer_to_an_erasure_waits_until_no_node_admits_the_keys(made, tmp_path):
    one = made("one", config=VAST).start()
    two = made("two", config=VAST, topic=one.topic).start()
    person, user = owner(one)
    there = Client(two.address, user.authorization)
    assert there.get("/farms").status == 200
    one.operate("POST", "/operator/v1/backup", {"directory": str(tmp_path / "keys"), "ownerKeys": "alone"}, 201)
    stuck = tmp_path / "keys" / "owner-keys" / f"{person.id}.key"
    stuck.unlink(), stuck.mkdir()  # so that the first try ends at once
    began = time.monotonic()
    answer = erase(one, person.id)
    assert answer["complete"] is False and str(stuck) in answer["left"], answer
    assert time.monotonic() - began >= LEASE, "another node may not have looked for so long"
    assert there.get("/farms").status == 401


def test_the_brokers_remove_a_key_that_is_destroyed_and_keep_the_others(made):
    node = made("node", config=VAST)
    soon = {"cleanup.policy": "compact", "segment.ms": "100", "max.compaction.lag.ms": "100",
            "delete.retention.ms": "100", "min.cleanable.dirty.ratio": "0.01", "retention.ms": "-1"}
    assert create_topic(BROKERS, node.topic.replace(".events", ".owner-keys"), 1, soon) == 0
    neighbor, person = node.start().user("vast"), node.user("vast")

    def keys():
        return [each["key"] for each in keys_of(node.topic) if each["key"].startswith("key/")]

    assert any(person.id in key for key in keys())
    assert erase(node, person.id)["complete"] is True
    deadline = time.monotonic() + DEADLINE
    while any(person.id in key for key in keys()):
        assert time.monotonic() < deadline
        node.user("vast")  # closes a segment
    assert any(neighbor.id in key for key in keys())
    assert [each["key"] for each in keys_of(node.topic) if each["key"] == f"destroyed/{person.id}"]
    node.restart()
    assert node.client_of(neighbor).get("/farms").status == 200


def test_copies_of_the_keys_forget_a_person_and_give_a_lost_topic_back(made, tmp_path):
    node = made("node", config=VAST).start()
    neighbor = node.user("vast")
    farm = neighbor.farm()
    person, _ = owner(node)
    node.operate("POST", "/operator/v1/backup", {"directory": str(tmp_path / "keys"), "ownerKeys": "alone"}, 201)
    kept = tmp_path / "keys" / "owner-keys"
    assert (kept / f"{person.id}.key").exists()
    assert erase(node, person.id)["complete"] is True
    assert not (kept / f"{person.id}.key").exists() and (kept / f"{neighbor.id}.key").exists()
    node.stop()
    topic = node.topic.replace(".events", ".owner-keys")
    delete(topic)
    for without_keys in (node, made("fresh", config=VAST, topic=node.topic)):
        without_keys.launch()
        assert without_keys.child.wait(DEADLINE) == 1
        assert "the topic of the owners' keys" in without_keys.tail(), without_keys.tail()
    other = made("other", config=VAST, topic=node.topic)
    other.data.mkdir(mode=0o700)
    shutil.copytree(kept, other.data / "owner-keys")
    other.start()
    assert other.client_of(neighbor).read(f"/farms/{farm['id']}") == farm
    assert not names_the_person(events_of(other, person.id))
    node.start()
    newcomer, _ = owner(other)
    assert names_the_person(events_of(node, newcomer.id)) and names_the_person(events_of(other, newcomer.id))
    assert not names_the_person(raw(node.topic))


def delete(topic):
    assert delete_topic(BROKERS, topic) == 0
    while delete_topic(BROKERS, topic) != UNKNOWN_TOPIC:
        pass


def test_a_history_that_is_not_sealed_is_moved_into_one_that_is(made, tmp_path):
    old, new = made("old", config=VAST, flags=["--unsealed"]).start(), made("new", config=VAST)
    person, user = owner(old)
    assert names_the_person(raw(old.topic))
    reply = old.operator.send("POST", f"/operator/v1/users/{person.id}/erase", {})
    refused(reply, 409, "CONFLICT")
    assert "not sealed" in reply.json["message"]
    old.flags.remove("--unsealed")
    old.restart()
    old.user("vast").farm(name="Amina's")
    assert "Amina's" in json.dumps(raw(old.topic)), "what a history is does not change"
    exported = run("events", "export", "--with-secrets", "--output", tmp_path / "all.jsonl", "--operator",
                   f"http://{old.operator_address}", "--token-file", old.data / "operator.token")
    assert exported.returncode == 0, exported
    new.data.mkdir(mode=0o700)
    shutil.copy(old.data / "key.secret", new.data)
    new.start()
    imported = run("events", "import", tmp_path / "all.jsonl", "--operator", f"http://{new.operator_address}",
                   "--token-file", new.data / "operator.token")
    assert imported.returncode == 0, imported
    assert not names_the_person(raw(new.topic))

    def without_place(events):
        return [{name: value for name, value in event.items() if name not in ("partition", "offset")} for event in events]

    assert without_place(events_of(new, person.id)) == without_place(events_of(old, person.id))
    assert Client(new.address, user.authorization).get("/farms").status == 200
    assert erase(new, person.id)["complete"] is True
    assert files_with_words(new.data) == []
