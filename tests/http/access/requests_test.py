"""The request log: what an owner's API keys asked for lately."""
import uuid

import pytest

from client import Client
from person import Person
from service import invalid, refused

pytestmark = pytest.mark.embedded_log

CONFIG = """
[plans.dozen]
requests_per_hour = 12
farms = "unlimited"
ai_requests_per_month = "unlimited"
may_mint_keys = true
bytes_per_hour = "unlimited"

[plans.summit]
requests_per_hour = 1000000
"""

MEMBERS = ["time", "method", "path", "status", "durationMs", "requestId", "keyId", "address", "idempotentReplayed",
           "traceparent"]


@pytest.fixture
def person(tilth):
    return Person(tilth).signed_in()


def client(tilth, key, source=None):
    return Client(tilth.address, f"Bearer {key['key']}", source=source)


def page(person, **query):
    target = "/api/requests?" + "&".join(f"{name}={value}" for name, value in query.items())
    reply = person.ask("GET", target)
    assert reply.status == 200, reply
    return reply


def log(person, **query):
    return page(person, **query).data


def test_each_request_with_a_key_is_shown_newest_first(tilth, person):
    key = person.mint(scopes=["all"])
    robot = client(tilth, key, source="127.4.5.6")
    once = {"Idempotency-Key": str(uuid.uuid4())}
    made = robot.post("/farms?trace=secret", {"name": "A", "totalArea": 1}, {**once, "X-Request-Id": "mine"})
    robot.post("/farms?trace=secret", {"name": "A", "totalArea": 1}, once)
    robot.get("/nowhere")
    shown = log(person)
    assert [list(each) for each in shown] == [MEMBERS] * 3
    assert [(each["method"], each["path"], each["status"], each["idempotentReplayed"]) for each in shown] == [
        ("GET", "/api/v1/nowhere", 404, False), ("POST", "/api/v1/farms", made.status, True),
        ("POST", "/api/v1/farms", made.status, False)]
    first = shown[-1]
    assert (first["requestId"], first["keyId"], first["address"]) == ("mine", key["id"], "127.4.5.6")
    assert first["durationMs"] >= 0 and first["time"] <= shown[0]["time"]
    assert log(person, requestId="mine") == [first] and log(person, requestId="min") == []
    assert page(person).pagination == {"page": 1, "limit": 20, "total": 3, "totalPages": 1}


def test_it_is_filtered_and_paged(tilth, person):
    one, other = (person.mint(scopes=["all"]) for _ in range(2))
    for number in range(5):
        client(tilth, one).get(f"/farms?limit={number + 1}")
    client(tilth, other).get("/tasks")
    client(tilth, other).get("/farms/none")
    assert {each["keyId"] for each in log(person, key=other["id"])} == {other["id"]}
    assert [each["status"] for each in log(person, status="4xx")] == [400]
    assert len(log(person, status="2xx")) == 6 and log(person, status="5xx") == []
    assert len(log(person, path="/api/v1/farms")) == 6 and len(log(person, path="/api/v1/farms", status="4xx")) == 1
    everything = log(person)
    assert [each for number in range(1, 5) for each in log(person, page=number, limit=2)] == everything
    assert log(person, order="asc") == everything[::-1]
    invalid(person.ask("GET", "/api/requests?status=404"), "status")
    invalid(person.ask("GET", "/api/requests?limit=0"), "limit")


def test_refusals_of_a_valid_key_are_logged(tilth):
    person = Person(tilth, plan="dozen").signed_in()
    reader = person.mint(scopes=["tasks:read"])
    assert client(tilth, reader).get("/farms").status == 403
    elsewhere = person.mint(scopes=["all"], allowedIps=["192.0.2.1"])
    assert client(tilth, elsewhere).get("/farms").status == 403
    for _ in range(13):
        last = client(tilth, reader).get("/tasks")
    assert last.status == 429
    statuses = [each["status"] for each in log(person)]
    assert statuses.count(403) == 2 and statuses[0] == 429


def test_a_batch_is_one_request(tilth, person):
    robot = client(tilth, person.mint(scopes=["all"]))
    robot.post("/batch", {"requests": [{"method": "GET", "path": "/v1/farms"}] * 3})
    assert [each["path"] for each in log(person)] == ["/api/v1/batch"]


def test_it_is_for_its_owner_and_their_operators(tilth, person):
    robot = client(tilth, person.mint(scopes=["all"]))
    robot.get("/farms")
    assert log(Person(tilth).signed_in()) == []
    refused(Client(tilth.address).send("GET", "/api/requests"), 401, "UNAUTHENTICATED")
    shown = tilth.operate("GET", f"/operator/v1/users/{person.id}/requests", None, 200).data
    assert shown == log(person)
    refused(tilth.operator.send("GET", "/operator/v1/users/user_none/requests"), 404, "NOT_FOUND")


def test_requests_without_a_valid_key_are_not_logged(tilth, person):
    key = person.mint(scopes=["all"])
    revoked = person.mint(scopes=["all"])
    person.ask("DELETE", f"/api/api-keys/{revoked['id']}")
    assert client(tilth, revoked).get("/farms").status == 401
    assert Client(tilth.address, f"Bearer {key['key'][:-1]}x").get("/farms").status == 401
    person.ask("GET", "/api/farms")
    assert log(person) == []


def test_it_keeps_the_last_thousand_for_seven_days_over_restarts(tilth):
    person = Person(tilth).signed_in()
    key = person.mint(scopes=["all"])
    robot = client(tilth, key)
    for number in range(1_010):
        robot.send("GET", f"/api/v1/farms/{number}")
    assert page(person, limit=1).pagination["total"] == 1_000
    assert log(person, limit=1)[0]["path"] == "/api/v1/farms/1009"
    assert log(person, limit=1, order="asc")[0]["path"] == "/api/v1/farms/10"
    tilth.restart()
    target = f"/operator/v1/users/{person.id}/requests?limit=1"
    assert tilth.operate("GET", target, None, 200).data[0]["path"] == "/api/v1/farms/1009"
    tilth.advance("P6D")
    assert tilth.operate("GET", target, None, 200).pagination["total"] == 1_000
    tilth.advance("P1DT1H")
    assert tilth.operate("GET", target, None, 200).pagination["total"] == 0


def test_a_long_path_is_cut(tilth, person):
    robot = client(tilth, person.mint(scopes=["all"]))
    robot.send("GET", "/api/v1/" + "x" * 2_000)
    assert log(person)[0]["path"] == "/api/v1/" + "x" * 492
