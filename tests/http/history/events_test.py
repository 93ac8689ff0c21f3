"""The history as operators export it: every event once, in order, filtered and followed."""
import http.client
import json
import socket
import threading
import time
import urllib.parse
import uuid
import zlib

import pytest

from client import Client
from service import VAST, path_of, refused

CONFIG = VAST
EVENTS = "/operator/v1/events"


@pytest.fixture(scope="module")
def owner(tilth):
    user = tilth.user()
    farm, field, crop, block, plant, *_ = user.land()
    tilth.advance("PT1H")
    user.put(path_of(field), {"notes": "wet"})
    user.put(path_of(field), {})
    tilth.advance("PT1H")
    user.delete(path_of(plant))
    tilth.user().land()
    return user, (farm, field, crop, block, plant)


def test_every_deed_is_one_event(tilth, owner):
    user, _ = owner
    kinds = [event["type"].split(".")[1] for event in tilth.events(user.id) if
             event["type"].split(".")[1] in ("farm", "field", "crop", "block", "plant")]
    assert kinds == ["farm", "field", "crop", "block", "plant", "field", "plant"]


def test_an_event_is_a_cloud_event(tilth, owner):
    user, _ = owner
    members = {"specversion", "id", "source", "type", "subject", "time", "datacontenttype", "data",
               "streamversion", "schemaversion", "correlationid", "actor", "partition", "offset", "accepted"}
    for event in tilth.events(user.id, type="tilth.field.*"):
        assert members <= set(event), event
        assert event["specversion"] == "1.0" and event["datacontenttype"] == "application/json"
        assert event["accepted"] is True and isinstance(event["data"], dict)
        assert "idempotencykey" not in event
    events = tilth.events(user.id)
    assert len({event["id"] for event in events}) == len(events)
    assert len({event["subject"] for event in events}) == 1
    versions = [event["streamversion"] for event in events]
    assert versions == list(range(versions[0], versions[0] + len(events)))


def test_a_keyed_refusal_is_an_event_and_another_refusal_is_none(tilth):
    user, key = tilth.user(), str(uuid.uuid4())
    before = len(tilth.events(user.id))
    user.post("/farms", {"name": 1})
    assert len(tilth.events(user.id)) == before
    user.post("/farms", {"name": 1}, {"Idempotency-Key": key.upper()})
    last = tilth.events(user.id)[-1]
    assert last["type"] == "tilth.request.refused" and last["idempotencykey"].startswith(key)


def test_a_change_of_nothing_is_no_event(tilth):
    user = tilth.user()
    farm = user.farm()
    before = len(tilth.events())
    user.put(path_of(farm), {})
    user.put(path_of(farm), {"id": 7, "unknown": True})
    user.delete(f"/farms/{uuid.uuid4()}")
    assert len(tilth.events()) == before


def test_events_are_filtered_by_type(tilth, owner):
    user, _ = owner
    whole = tilth.events(user.id)
    for pattern, prefix in [("tilth.farm.*", "tilth.farm."), ("tilth.*", "tilth."), ("*", "")]:
        assert tilth.events(user.id, type=pattern) == [
            event for event in whole if event["type"].startswith(prefix)]
    one = whole[-1]["type"]
    assert tilth.events(user.id, type=one) == [event for event in whole if event["type"] == one]
    ending = one.rsplit(".", 1)[1]
    assert tilth.events(user.id, type=f"*.{ending}") == [
        event for event in whole if event["type"].endswith(f".{ending}")]
    assert tilth.events(user.id, type="tilth.plough.*") == []


def test_events_are_filtered_by_time(tilth, owner):
    user, _ = owner
    whole = tilth.events(user.id)
    middle = whole[-2]["time"]
    assert tilth.events(user.id, since=middle) == whole[-2:]
    assert tilth.events(user.id, until=middle) == whole[:-2]
    assert tilth.events(user.id, since=middle, until=whole[-1]["time"]) == whole[-2:-1]


def test_partitions_follow_one_another_and_can_be_cut(tilth, owner):
    whole = tilth.events()
    places = [(event["partition"], event["offset"]) for event in whole]
    assert places == sorted(places) and len(set(places)) == len(places)
    partition = next(event["partition"] for event in whole if event["subject"] == owner[0].id)
    inside = [event for event in whole if event["partition"] == partition]
    assert tilth.events(partition=partition) == inside
    first, last = inside[1]["offset"], inside[-1]["offset"]
    assert tilth.events(**{"partition": partition, "from": first, "to": last}) == inside[1:-1]
    assert tilth.events(limit=3) == whole[:3]


@pytest.mark.parametrize("query", [
    "from=0", "to=5", "partition=x", "partition=-1", "partition=0&from=x", "partition=0&from=5&to=4", "limit=0",
    "limit=x", "since=yesterday", "since=2026-03-02T00:00:00Z&until=2026-03-01T00:00:00Z"])
def test_a_senseless_question_is_refused(tilth, query):
    refused(tilth.operator.send("GET", f"{EVENTS}?{query}"), 400, "VALIDATION_ERROR")


def test_events_are_json_lines(tilth, owner):
    reply = tilth.operator.send("GET", EVENTS)
    assert reply.header("Content-Type") == "application/x-ndjson"
    assert reply.body.endswith(b"\n") and all(json.loads(line) for line in reply.body.splitlines())


class Follower(threading.Thread):
    """Reads a followed history until the service ends it."""

    def __init__(self, tilth, **filters):
        super().__init__()
        query = urllib.parse.urlencode({"follow": "true", **filters})
        self.client = Client(tilth.operator_address, tilth.operator.authorization)
        self.target = f"{EVENTS}?{query}"
        self.start()

    def run(self):
        self.reply = self.client.send("GET", self.target)

    def events(self):
        self.join(60)
        assert not self.is_alive()
        return [json.loads(line) for line in self.reply.body.splitlines() if line]


def test_following_gives_what_is_there_and_then_what_comes(tilth):
    user = tilth.user()
    user.farm()
    there = tilth.events(user.id)
    follower = Follower(tilth, owner=user.id, limit=len(there) + 3)
    for _ in range(3):
        user.farm()
    assert follower.events() == tilth.events(user.id)
    assert len(tilth.events(user.id)) == len(there) + 3


def test_following_only_what_is_new_gives_nothing_that_is_there(tilth):
    user, other = tilth.user(), tilth.user()
    user.farm()
    host, port = tilth.operator_address.rsplit(":", 1)
    connection = http.client.HTTPConnection(host, int(port), timeout=60)
    connection.request("GET", f"{EVENTS}?follow=new&type=tilth.farm.*&limit=2", headers={"Authorization": tilth.operator.authorization})
    response = connection.getresponse()  # once it has begun, what comes is new
    made = [each.farm()["id"] for each in (user, other)]
    assert {json.loads(line)["data"]["farmId"] for line in response.read().splitlines() if line} == set(made)
    connection.close()
    for query in ("follow=new&partition=0&from=1", "follow=new&partition=0&to=1", "follow=newer"):
        refused(tilth.operator.send("GET", f"{EVENTS}?{query}"), 400, "VALIDATION_ERROR", "follow")
    other_word = tilth.operator.send("GET", f"{EVENTS}?follow=maybe").json
    assert other_word["details"]["follow"] == ["must be true, false or new"], other_word


def test_following_ends_when_nothing_more_can_match(tilth):
    user = tilth.user()
    user.farm()
    event = tilth.events(user.id)[-1]
    bounded = {"partition": event["partition"], "from": event["offset"], "to": event["offset"] + 1}
    assert Follower(tilth, **bounded).events() == [event]


@pytest.mark.parametrize("coding", [None, "gzip"])
def test_a_stream_has_an_empty_line_every_fifteen_seconds_and_each_event_when_it_happens(tilth, coding):
    user = tilth.user()
    host, port = tilth.operator_address.rsplit(":", 1)
    connection = http.client.HTTPConnection(host, int(port), timeout=60)
    connection.request("GET", f"{EVENTS}?follow=true&owner={user.id}", headers={
        "Authorization": tilth.operator.authorization, "Accept-Encoding": coding or "identity"})
    response = connection.getresponse()
    assert response.getheader("Content-Encoding") == coding
    decoder = zlib.decompressobj(zlib.MAX_WBITS | 16)

    def next_line():
        """With its end, of whatever size the pieces are in which it comes."""
        line = b""
        while not line.endswith(b"\n"):
            piece = response.read1()
            assert piece, "the stream has ended"
            line += decoder.decompress(piece) if coding else piece
        return line

    began = time.monotonic()
    assert next_line() == b"\n" and time.monotonic() - began > 14
    for _ in range(2):
        farm = user.farm()
        assert json.loads(next_line())["data"]["farmId"] == farm["id"]
    connection.close()


def test_following_gives_what_happened_before_it_ended(tilth):
    user = tilth.user("vast")
    field = user.field(user.farm())
    for _ in range(1_100):
        user.put(path_of(field), {"notes": "\U0001f33e" * 5_000})
    tilth.set_clock("2027-01-01T00:00:00Z")
    until = "2027-01-01T01:00:00Z"
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        connection.settimeout(60)
        connection.connect(tilth.operator.address)
        target = f"{EVENTS}?follow=true&owner={user.id}&until={until}"
        head = f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: {tilth.operator.authorization}\r\n\r\n"
        connection.sendall(head.encode())
        response = http.client.HTTPResponse(connection, method="GET")
        response.begin()  # the body is not read …
        user.put(path_of(field), {"notes": "The last"})
        tilth.set_clock(until)
        events = [json.loads(line) for line in response.read().splitlines() if line]  # … until now
    assert [event["streamversion"] for event in events] == list(range(1_103))


def test_a_restart_changes_no_byte_of_the_history(tilth, owner):
    before = tilth.operator.send("GET", EVENTS).body
    tilth.restart()
    assert tilth.operator.send("GET", EVENTS).body == before
