"""A history moves from the embedded log to Kafka and back, and to a topic of more partitions, and nothing of it changes
but its positions."""
import json

import pytest

import service
from service import Service, path_of

LINES = {"Content-Type": "application/x-ndjson"}


def export(node):
    return [json.loads(line) for line in node.operate("GET", "/operator/v1/events").body.splitlines()]


def import_into(node, events):
    body = "".join(json.dumps(event) + "\n" for event in events).encode()
    reply = node.operator.send("POST", "/operator/v1/events", body, LINES)
    assert reply.status == 200 and reply.data == {"events": len(events)}, reply


def without_places(events):
    """The events by stream, in their order."""
    streams = {}
    for event in events:
        told = {name: value for name, value in event.items() if name not in ("partition", "offset")}
        streams.setdefault(event["subject"], []).append(told)
    return streams


def documented_partition(stream, partitions=12):
    """FNV-1a, 64 bits."""
    number = 0xCBF29CE484222325
    for byte in stream.encode():
        number = (number ^ byte) * 0x100000001B3 % 2**64
    return number % partitions


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Creates nodes, each on its own log or on a topic that exists, with the key secret of `like`."""
    made = []

    def make(kafka, like=None, **settings):
        if not kafka:
            monkeypatch.setattr(service, "BROKERS", None)
        directory = tmp_path / f"node-{len(made)}"
        directory.mkdir()
        node = Service(directory, **settings)
        monkeypatch.undo()
        if like:
            node.data.mkdir()
            (node.data / "key.secret").write_bytes((like.data / "key.secret").read_bytes())
            (node.data / "key.secret").chmod(0o600)
        made.append(node)
        return node.start()

    yield make
    for node in made:
        node.kill()


def test_a_history_moves_to_kafka_and_back(place):
    embedded = place(kafka=False)
    users = [embedded.user() for _ in range(5)]
    lands = [user.land() for user in users]
    for user, land in zip(users, lands):
        user.put(path_of(land[0]), {"totalArea": "12.5"})
    before = export(embedded)

    kafka = place(kafka=True, like=embedded)
    import_into(kafka, before)
    there = export(kafka)
    assert without_places(there) == without_places(before)
    assert all(event["partition"] == documented_partition(event["subject"]) for event in there)
    for user, land in zip(users, lands):
        for record in land:
            here, copy = user.get(path_of(record)), kafka.client_of(user).get(path_of(record))
            assert copy.status == 200 and copy.body == here.body and copy.header("ETag") == here.header("ETag")
    assert kafka.client_of(users[0]).put(path_of(lands[0][0]), {"name": "Goes on"}).status == 200

    kafka.restart()
    back = place(kafka=False, like=embedded)
    import_into(back, export(kafka))
    assert without_places(export(back)) == without_places(export(kafka))
    assert back.client_of(users[0]).get(path_of(lands[0][0])).data["name"] == "Goes on"


def test_a_history_moves_to_a_topic_of_more_partitions(place):
    old = place(kafka=True)
    users = [old.user() for _ in range(5)]
    lands = [user.land() for user in users]
    old.stop()
    # As the guide says: reads go on, and changes are refused, while the history moves.
    old.flags += ["--roles", "query,project"]
    old.start()
    user = old.client_of(users[0])
    assert user.put(path_of(lands[0][0]), {"name": "Too late"}).status == 503
    assert user.read(path_of(lands[0][0])) == lands[0][0]

    new = place(kafka=True, like=old, config="[kafka]\npartitions = 29\n")
    import_into(new, export(old))
    there = export(new)
    assert without_places(there) == without_places(export(old))
    assert all(event["partition"] == documented_partition(event["subject"], 29) for event in there)

    joins = place(kafka=True, topic=new.topic)  # with an empty data directory
    for user, land in zip(users, lands):
        assert joins.client_of(user).read(path_of(land[0])) == land[0]
    assert joins.client_of(users[0]).put(path_of(lands[0][0]), {"name": "Goes on"}).status == 200
