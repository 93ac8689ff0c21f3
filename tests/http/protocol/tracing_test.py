"""Request ids, and read-your-writes by position."""
import uuid

import pytest

from service import path_of, refused


@pytest.mark.parametrize("given", ["a", "x" * 128, "with blanks, \"quotes\" and ~", "!", str(uuid.uuid4())])
def test_a_request_id_is_the_caller_s_own(tilth, user, given):
    for reply in (user.get("/farms", {"X-Request-Id": given}), user.get("/nowhere", {"X-Request-Id": given}),
                  tilth.stranger().get("/farms", {"X-Request-Id": given}),
                  user.post("/farms", b"{", {"X-Request-Id": given})):
        assert reply.header("X-Request-Id") == given


@pytest.mark.parametrize("status,rest", [
    (400, "Host: again\r\n\r\n"), (400, "Content-Length: five\r\n\r\n"), (400, "no header\r\n\r\n"),
    (417, "Expect: luck\r\n\r\n"), (431, "Pad: " + "x" * 40000), (400, "Transfer-Encoding: gzip, chunked\r\n\r\n")])
def test_what_is_no_request_keeps_its_request_id_too(tilth, status, rest):
    head = f"POST /api/v1/farms HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine 1\r\n{rest}"
    reply = tilth.stranger().exchange("POST", head.encode())
    assert (reply.status, reply.header("X-Request-Id")) == (status, "mine 1")


@pytest.mark.parametrize("given", [None, "", "x" * 129, "tab\tbed", "na\u00efve", "\x7f"])
def test_any_other_is_replaced_by_a_new_uuid(user, given):
    ids = [user.get("/farms", {"X-Request-Id": given}).header("X-Request-Id") for _ in range(2)]
    assert ids[0] != ids[1]
    assert all(str(uuid.UUID(id_)) == id_ for id_ in ids)


def test_the_event_keeps_the_request_id(tilth, user):
    made = user.post("/farms", {"name": "x", "totalArea": 1}, {"X-Request-Id": "from the test"})
    named = user.put(path_of(made.data), {"name": "y"}).header("X-Request-Id")
    kept = [event["correlationid"] for event in tilth.events(user.id, type="tilth.farm.*")]
    assert kept == ["from the test", named]


def test_every_mutation_says_its_position_and_a_read_can_ask_for_it(tilth, user):
    made = user.post("/farms", {"name": "x", "totalArea": 1})
    path = path_of(made.data)
    replies = [made, user.put(path, {"name": "y"}), user.put(path, {}), user.delete(path)]
    positions = [reply.header("Tilth-Position") for reply in replies]
    assert all(positions), positions
    for position in positions:
        assert user.get("/farms", {"Tilth-Min-Position": position}).status == 200
        assert tilth.user().get("/farms", {"Tilth-Min-Position": position}).status == 200
        reply = user.post("/farms", {"name": position[:99], "totalArea": 1}, {"Tilth-Min-Position": position})
        assert reply.status in (201, 409)


@pytest.mark.parametrize("position", ["", "not a position!", "-1", "x" * 5000])
def test_a_malformed_position_is_refused(user, position):
    refused(user.get("/farms", {"Tilth-Min-Position": position}), 400, "VALIDATION_ERROR")
    reply = user.post("/farms", {"name": "x", "totalArea": 1}, {"Tilth-Min-Position": position})
    refused(reply, 400, "VALIDATION_ERROR")
    assert user.listed("/farms") == []


def test_a_position_that_does_not_come_is_not_waited_for_longer_than_two_seconds(user):
    headers = {"Tilth-Min-Position": "p0.999999999"}
    for reply in (user.get("/farms", headers), user.post("/farms", {"name": "x", "totalArea": 1}, headers)):
        refused(reply, 503, "SERVICE_UNAVAILABLE")
        assert int(reply.header("Retry-After")) >= 1
    assert user.listed("/farms") == []


def test_refusals_have_no_position(user):
    for reply in (user.post("/farms", {}), user.delete(f"/farms/{uuid.uuid4()}"), user.get("/farms/x")):
        assert reply.header("Tilth-Position") is None


def test_a_read_after_a_write_sees_it_every_time(user):
    farm = user.farm()
    for number in range(100):
        user.put(path_of(farm), {"address": str(number)})
        assert user.read(path_of(farm))["address"] == str(number)
    assert user.get("/farms").data[0]["address"] == "99"
