"""How many bytes of history the changes of an owner add in an hour, which the plan limits."""
import uuid

import pytest

from person import Person
from service import path_of, refused

pytestmark = pytest.mark.embedded_log

CONFIG = """
[plans.summit]
requests_per_hour = 1000
bytes_per_hour = 100000

[plans.seed]
requests_per_hour = 1000
bytes_per_hour = "unlimited"
"""


@pytest.fixture
def clock(tilth):
    """Sets the clock to the beginning of a minute, hours after whatever other tests did."""
    tilth.advance("PT3H")
    tilth.set_clock(tilth.now()[:17] + "00.000Z")


def fill(user, farm):
    """Changes the farm until a change is refused."""
    for _ in range(100):
        reply = user.put(path_of(farm), {"description": "x" * 2000})
        if reply.status != 200:
            return reply
    raise AssertionError("no change is refused")


def test_changes_are_refused_beyond_the_plans_bytes(tilth, clock):
    user = tilth.user()
    farm = user.farm()
    reply = fill(user, farm)
    refused(reply, 429, "RATE_LIMIT_EXCEEDED")
    assert reply.header("Retry-After") == "3660"
    assert reply.header("X-RateLimit-Remaining") == "0"
    tilth.advance("PT1H")
    assert reply.header("X-RateLimit-Reset") > tilth.now()
    refused(user.put(path_of(farm), {"name": "Hill"}), 429, "RATE_LIMIT_EXCEEDED")
    tilth.advance("PT1M")
    assert user.put(path_of(farm), {"name": "Hill"}).status == 200


def test_reads_and_other_owners_go_on(tilth, clock):
    user, other = tilth.user(), tilth.user()
    farm = user.farm()
    fill(user, farm)
    left = int(user.get(path_of(farm)).header("X-RateLimit-Remaining"))
    fill(user, farm)
    assert int(user.get(path_of(farm)).header("X-RateLimit-Remaining")) == left - 1  # a 429 does not count
    assert other.farm()["id"]


def test_refusals_with_an_idempotency_key_add_bytes(tilth, clock):
    user = tilth.user()
    for _ in range(1000):
        reply = user.post("/tasks", {"farmId": "x", "title": "", "category": "x", "priority": "x", "status": "x"},
                          {"Idempotency-Key": str(uuid.uuid4())})
        if reply.status != 400:
            break
    refused(reply, 429, "RATE_LIMIT_EXCEEDED")


def test_what_is_kept_for_a_retry_adds_bytes(tilth, clock):
    user = tilth.user()
    farm = user.farm()
    assert user.put(path_of(farm), {"description": "x" * 2000}).status == 200
    for _ in range(100):
        reply = user.put(path_of(farm), {}, {"Idempotency-Key": str(uuid.uuid4())})
        if reply.status != 200:
            break
    refused(reply, 429, "RATE_LIMIT_EXCEEDED")


def test_requests_at_the_same_time_do_not_get_past_the_limit(tilth, clock):
    user = tilth.user()
    farm = user.farm()
    body = b'{"description": "' + b"x" * 2000 + b'"}'
    head = (f"PUT /api/v1{path_of(farm)} HTTP/1.1\r\nHost: h\r\nAuthorization: {user.authorization}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n").encode()
    connection = user.connection()
    connection.sendall((head + body) * 60)
    answers = b""
    while answers.count(b"HTTP/1.1 ") < 60:
        answers += connection.recv(1 << 16)
    user.close()
    assert 40 <= answers.count(b"HTTP/1.1 200") <= 50


def test_in_a_batch_a_refusal_says_when_to_ask_again(tilth, clock):
    user = tilth.user()
    path = "/v1" + path_of(user.farm())
    fill = {"method": "PUT", "path": path, "body": {"description": "x" * 2000}}
    answers = user.post("/batch", {"requests": [fill] * 60}).data
    assert answers[0]["status"] == 200 and "Retry-After" not in answers[0]["headers"]
    assert (answers[-1]["status"], answers[-1]["headers"]) == (429, {"Retry-After": "3660"})


def test_a_plan_may_have_no_limit(tilth, clock):
    user = tilth.user("seed")
    farm = user.farm()
    for _ in range(100):
        assert user.put(path_of(farm), {"description": "x" * 2000}).status == 200


def test_new_keys_add_bytes_too(tilth, clock):
    person = Person(tilth).signed_in()
    for _ in range(100):
        reply = person.ask("POST", "/api/api-keys", {"name": "k", "scopes": ["all"], "metadata": {"a": "x" * 8000}})
        if reply.status == 429:
            break
        assert person.ask("DELETE", f"/api/api-keys/{reply.data['id']}").status == 200
    refused(reply, 429, "RATE_LIMIT_EXCEEDED")
    assert reply.header("Retry-After") == "3660"
