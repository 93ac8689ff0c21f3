"""An owner's own history: JSON lines that end, and server-sent events that continue."""
import datetime
import json
import threading
import urllib.parse
import uuid

import pytest

from client import Client
from service import invalid, path_of, refused
from sse import EventSource

CONFIG = """
[plans.summit]
requests_per_hour = 100000
"""
EVENTS = "/api/v1/events"


def lines_of(reply):
    assert reply.status == 200, reply
    assert reply.header("Content-Type") == "application/x-ndjson"
    return [json.loads(line) for line in reply.body.splitlines()]


def history(user, **filters):
    return lines_of(user.get("/events?" + urllib.parse.urlencode(filters)))


def instant_after(instant, **span):
    later = datetime.datetime.fromisoformat(instant.replace("Z", "+00:00")) + datetime.timedelta(**span)
    return later.strftime("%Y-%m-%dT%H:%M:%SZ")


def follow(user, headers=(), **filters):
    return EventSource(user, f"{EVENTS}?" + urllib.parse.urlencode(filters), headers)


@pytest.fixture(scope="module")
def farmer(tilth):
    user = tilth.user()
    farm, field, *_ = user.land()
    tilth.user().land()
    tilth.advance("PT1H")
    user.put(path_of(field), {"notes": "wet"})
    tilth.advance("PT1H")
    user.post("/farms", {"name": 1}, {"Idempotency-Key": str(uuid.uuid4())})
    return user


def test_it_holds_what_operators_see_of_the_owner(tilth, farmer):
    whole = tilth.events(farmer.id)
    own = history(farmer)
    for event in own:
        assert isinstance(event.pop("position"), str)
    for event in whole:
        del event["partition"], event["offset"], event["accepted"]
    assert own == whole
    assert own[-1]["type"] == "tilth.request.refused"


def test_no_one_else_reads_it(tilth, farmer):
    stranger = tilth.user()
    assert history(stranger) == []
    stranger.farm()
    assert {event["subject"] for event in history(stranger)} == {stranger.id}


def test_it_takes_its_own_scope(tilth):
    user = tilth.user(scopes=["events:read"])
    assert history(user) == []
    refused(tilth.user(scopes=["farms:read", "tasks:read"]).get("/events"), 403, "INSUFFICIENT_SCOPE")


def test_it_is_filtered_by_type(farmer):
    whole = history(farmer)
    for pattern in ("*", "tilth.*", "tilth.farm.*", "tilth.f*", "tilth.plough.*"):
        wanted = [event for event in whole if event["type"].startswith(pattern[:-1])]
        assert history(farmer, type=pattern) == wanted
    assert history(farmer, type="tilth.field.amended") == [
        event for event in whole if event["type"] == "tilth.field.amended"]
    assert history(farmer, type="tilth.field") == []
    assert history(farmer, type="") == []


def test_it_is_filtered_by_time(farmer):
    whole = history(farmer)
    middle, last = whole[-2]["time"], whole[-1]["time"]
    assert history(farmer, since=middle) == whole[-2:]
    assert history(farmer, until=middle) == whole[:-2]
    assert history(farmer, since=middle, until=last) == whole[-2:-1]


def test_it_goes_on_after_a_position(farmer):
    whole = history(farmer)
    for index, event in enumerate(whole):
        assert history(farmer, after=event["position"]) == whole[index + 1:]
    assert history(farmer, after=whole[1]["position"], limit=2) == whole[2:4]
    assert history(farmer, after=whole[1]["position"], type="tilth.field.*") == [
        event for event in whole[2:] if event["type"].startswith("tilth.field.")]


def test_its_length_is_limited(tilth):
    user = tilth.user()
    farm = user.farm()
    for number in range(1, 1_030):
        assert user.put(path_of(farm), {"description": str(number)}).status == 200
    assert len(history(user)) == 1_000
    assert len(history(user, limit=1)) == 1
    assert len(history(user, limit=1_010)) == 1_010
    assert len(history(user, limit=10 ** 30)) == 1_030
    versions = [event["streamversion"] for event in history(user, limit=10_000)]
    assert versions == list(range(1_030))


def test_a_position_of_a_change_is_one_of_its_history(tilth):
    user = tilth.user()
    position = user.post("/farms", {"name": "A", "totalArea": 1}).header("Tilth-Position")
    user.farm()
    assert [event["type"] for event in history(user, after=position)] == ["tilth.farm.registered"]


@pytest.mark.parametrize("query", [
    "limit=0", "limit=-1", "limit=x", "limit=1.5", "since=yesterday", "until=x", "since=2026-03-02&until=2026-03-01",
    "type=*.farm", "type=tilth.*.removed", "after=x", "after=", "after=p0", "after=p0.99999999", "after=p99.0",
    "limit=1&limit=2"])
def test_a_senseless_question_is_refused(farmer, query):
    invalid(farmer.get(f"/events?{query}"), query.split("=")[0] if "since=2026" not in query else "until")


def test_a_mark_of_another_owner_is_refused(tilth, farmer):
    other = tilth.user()
    other.farm()
    mark = history(other)[0]["position"]
    invalid(farmer.get(f"/events?after={mark}"), "after")
    with follow(farmer, {"Last-Event-ID": mark}) as source:
        assert source.status == 400


def test_it_answers_of_now_only(farmer):
    invalid(farmer.get("/events", {"Tilth-As-Of": "2026-03-01T00:00:00Z"}), "Tilth-As-Of")


def test_head_answers_as_get(farmer):
    reply = farmer.send("HEAD", EVENTS)
    assert reply.status == 200 and reply.body == b""
    assert reply.header("Content-Type") == "application/x-ndjson"
    assert reply.header("Content-Length") is None  # the length is not known yet


def test_head_is_refused_as_get(farmer):
    reply = farmer.send("HEAD", f"{EVENTS}?after=p0.999999999")
    assert (reply.status, reply.body) == (400, b"")
    follows = {"Accept": "text/event-stream", "Last-Event-ID": "none"}
    assert farmer.send("HEAD", EVENTS, headers=follows).status == 400


def test_a_request_counts_once(tilth):
    user = tilth.user()
    user.farm()
    before = int(user.get("/events").header("X-RateLimit-Remaining"))
    with follow(user) as source:
        assert int(source.header("X-RateLimit-Remaining")) == before - 1
        assert source.next()
        user.farm()
        assert source.next()
    assert int(user.get("/events").header("X-RateLimit-Remaining")) == before - 3


def test_an_event_source_gives_what_is_there_and_then_what_comes(farmer):
    whole = history(farmer)
    with follow(farmer) as source:
        assert source.status == 200
        assert source.header("Content-Type") == "text/event-stream"
        for event in whole:
            sent = source.next()
            assert sent == {"id": event["position"], "event": event["type"], "data": sent["data"]}
            assert json.loads(sent["data"]) == event
        farm = farmer.farm()
        assert json.loads(source.next()["data"])["data"]["farmId"] == farm["id"]


def test_an_event_source_goes_on_without_gap_or_repeat(tilth):
    user = tilth.user()
    for number in range(5):
        user.farm(name=f"Farm {number}")
    whole = history(user)
    seen, last = [], None
    for _ in range(5):
        with follow(user, {"Last-Event-ID": last} if last else {}) as source:
            sent = source.next()
            seen.append(json.loads(sent["data"]))
            last = sent["id"]
    assert seen == whole
    with follow(user, {"Last-Event-ID": whole[1]["position"]}, after=whole[3]["position"]) as source:
        assert json.loads(source.next()["data"]) == whole[2]


def test_nothing_is_lost_while_others_write(tilth):
    user = tilth.user()
    farm = user.farm()

    def write():
        client = tilth.client_of(user)
        for number in range(150):
            assert client.put(path_of(farm), {"description": str(number)}).status == 200

    with follow(user) as source:
        writers = [threading.Thread(target=write) for _ in range(3)]
        for writer in writers:
            writer.start()
        versions = [json.loads(source.next()["data"])["streamversion"] for _ in range(451)]
        for writer in writers:
            writer.join()
    assert versions == list(range(451))


def test_an_event_source_is_filtered_and_limited(farmer):
    whole = [event for event in history(farmer) if event["type"].startswith("tilth.field.")]
    with follow(farmer, type="tilth.field.*", limit=len(whole)) as source:
        assert [json.loads(source.next()["data"]) for _ in whole] == whole
        assert source.ended_within(30)


def test_an_event_source_ends_when_nothing_more_can_match(tilth, farmer):
    with follow(farmer, until=tilth.now()) as source:
        while source.next():
            pass


def test_an_event_source_gives_what_happened_before_it_ended(tilth):
    user = tilth.user()
    field = user.field(user.farm())
    for _ in range(600):
        user.put(path_of(field), {"notes": "\U0001f33e" * 5_000})
    until = instant_after(tilth.now(), hours=1)
    with EventSource(user, f"{EVENTS}?until={until}", window=4_096) as source:  # it is not read …
        user.put(path_of(field), {"notes": "The last"})
        tilth.set_clock(until)
        events = [json.loads(event["data"]) for event in iter(source.next, None)]  # … until now
    assert [event["streamversion"] for event in events] == list(range(603))


def test_an_event_source_says_that_it_is_there(tilth):
    with follow(tilth.user()) as source:
        assert source.comment().startswith(":")


def test_an_event_source_that_accepts_codings_gets_each_event_when_it_happens(tilth):
    user = tilth.user()
    with follow(user, {"accept-encoding": "gzip, zstd"}) as source:
        assert source.header("Content-Encoding") is None
        farm = user.farm()
        assert json.loads(source.next()["data"])["data"]["farmId"] == farm["id"]


def test_an_event_source_ends_when_its_key_is_revoked(tilth):
    user = tilth.user()
    with follow(user) as source, follow(user.with_key()) as other:
        tilth.operate("DELETE", f"/operator/v1/users/{user.id}/api-keys/{user.key_id}", status=204)
        assert source.ended_within(10)
        assert other.comment()


def test_an_event_source_ends_when_its_key_expires(tilth):
    user = tilth.user()
    short = user.with_key(expiresAt=tilth.now().replace("2026", "2027"))
    with follow(short) as source:
        user.farm()
        assert source.next()
        tilth.advance("P1Y")
        assert source.ended_within(10)


@pytest.mark.parametrize("accept", ["text/event-stream", "TEXT/Event-Stream", "application/json, text/event-stream;q=0.5",
                                    "text/event-stream, application/x-ndjson"])
def test_who_asks_for_events_gets_them(farmer, accept):
    with follow(farmer, {"accept": accept}) as source:
        assert source.header("Content-Type") == "text/event-stream"


@pytest.mark.parametrize("accept", ["*/*", "application/json", "text/event-stream;q=0", "text/event-streams",
                                    "application/x-ndjson, text/event-stream;q=0.1"])
def test_who_does_not_gets_lines(farmer, accept):
    assert farmer.get("/events", {"Accept": accept}).header("Content-Type") == "application/x-ndjson"


def test_a_slow_reader_hinders_no_one(tilth):
    user = tilth.user()
    farm = user.farm()
    for _ in range(300):
        user.put(path_of(farm), {"description": "x" * 2_000})
    sources = [follow(user) for _ in range(30)]  # that are not read
    try:
        for _ in range(20):
            assert tilth.client_of(user).get("/farms").status == 200
        assert len(history(user)) == 301
    finally:
        for source in sources:
            source.close()


def test_a_stop_ends_those_who_follow(tilth):
    user = tilth.user()
    user.farm()
    with follow(user) as source:
        assert source.next()
        tilth.restart()
        source.socket.settimeout(10)
        try:
            assert source.next() is None
        except OSError:
            pass  # the connection was cut
    again = Client(tilth.address, user.authorization)
    assert len(lines_of(again.get("/events"))) == 1
