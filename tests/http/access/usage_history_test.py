"""Usage over time: requests and 429s by API key."""
import re

import pytest

from client import Client
from person import Person
from receiver import eventually
from service import invalid, refused

CONFIG = """
[plans.few]
requests_per_hour = 5
farms = "unlimited"
ai_requests_per_month = "unlimited"
may_mint_keys = true
bytes_per_hour = "unlimited"
"""


@pytest.fixture
def person(tilth):
    return Person(tilth, plan="few").signed_in()


def client(tilth, key):
    return Client(tilth.address, f"Bearer {key['key']}")


def usage(person, **query):
    reply = person.ask("GET", "/api/billing/usage/history?" + "&".join(f"{name}={value}" for name, value in query.items()))
    assert reply.status == 200, reply
    return reply.json


def counts(person, **query):
    return [(each["at"], each["keyId"], each["requests"], each["limited"]) for each in usage(person, **query)["data"]]


def hour_of(time):
    return time[:13] + ":00:00.000Z"


def test_requests_and_429s_are_counted_by_key_and_hour(tilth, person):
    assert usage(person)["data"] == []
    one, other = sorted((person.mint(scopes=["all"], name=name) for name in ("one", "other")), key=lambda key: key["id"])
    for _ in range(7):
        last = client(tilth, one).get("/farms")
    assert last.status == 429
    client(tilth, other).get("/nowhere")
    shown = usage(person)
    hour = hour_of(shown["meta"]["until"])
    assert shown["data"] == [{"at": hour, "keyId": one["id"], "name": one["name"], "requests": 7, "limited": 2},
                             {"at": hour, "keyId": other["id"], "name": other["name"], "requests": 1, "limited": 1}]
    assert shown["meta"]["by"] == "hour" and shown["meta"]["requestsPerHour"] == 5
    tilth.advance("PT1H")
    client(tilth, one).get("/farms")
    assert [each[2:] for each in counts(person)] == [(7, 2), (1, 1), (1, 0)]
    person.ask("DELETE", f"/api/api-keys/{one['id']}")
    assert [each["name"] for each in usage(person)["data"]] == ["one", "other", "one"] \
        or [each["name"] for each in usage(person)["data"]] == ["other", "one", "other"]


def test_days_add_up_hours_and_since_includes_its_day(tilth):
    person = Person(tilth).signed_in()
    robot = client(tilth, person.mint(scopes=["all"]))
    robot.get("/farms")
    first = usage(person)["data"][0]["at"]
    assert counts(person, since="2199-01-01") == []
    tilth.advance("PT25H")
    person.signed_in()  # the session was over
    for _ in range(2):
        robot.get("/farms")
        tilth.advance("PT1H")
    assert sum(each[2] for each in counts(person, by="day")) == 3
    assert all(each[0].endswith("T00:00:00.000Z") for each in counts(person, by="day"))
    assert len(counts(person, by="hour", since=first)) == 3
    assert counts(person, by="day", since=first)[0][0] == first[:10] + "T00:00:00.000Z"
    assert counts(person, by="day", since=first[:10])[0] == counts(person, by="day", since=first)[0]
    assert counts(person, since="2199-01-01") == [] and len(counts(person, since="0001-01-01")) == 3
    assert len(counts(person)) == 2, "24 hours by default"


def test_it_survives_restarts_and_ends_after_35_days(tilth):
    person = Person(tilth).signed_in()
    key = person.mint(scopes=["all"])
    for _ in range(3):
        client(tilth, key).get("/farms")
    tilth.restart()
    robot = client(tilth, key)
    target = "/api/billing/usage/history?by=day&since=2000-01-01"

    def asked():
        return [each["requests"] for each in robot.send("GET", target).data]

    assert asked() == [3] and sum(asked()) == 4, "its own requests count, too, once they are answered"
    tilth.advance("P36D")
    assert asked() == []


def completed_queries(service):
    text = service.operator.send("GET", "/metrics").body.decode()
    return float(re.search(r'^tilth_work_completed_total\{kind="query"\} (\S+)$', text, re.MULTILINE)[1])


def test_it_is_read_on_no_thread_of_the_server(tilth, person):
    before = completed_queries(tilth)
    usage(person)
    eventually(lambda: completed_queries(tilth) > before)


def test_it_needs_a_session_or_the_scope(tilth, person):
    reader = client(tilth, person.mint(scopes=["farms:read"]))
    refused(reader.send("GET", "/api/billing/usage/history"), 403, "INSUFFICIENT_SCOPE")
    payer = client(tilth, person.mint(scopes=["billing:read"]))
    assert payer.send("GET", "/api/billing/usage/history").status == 200
    refused(Client(tilth.address).send("GET", "/api/billing/usage/history"), 401, "MISSING_API_KEY")
    invalid(person.ask("GET", "/api/billing/usage/history?by=week"), "by")
    invalid(person.ask("GET", "/api/billing/usage/history?since=lately"), "since")
    invalid(person.ask("GET", "/api/billing/usage/history?by=day&by=day"), "by")
    assert counts(Person(tilth).signed_in()) == []
