"""Everything of /api/v1 with a session: the same records, under the same checks, for anyone who is signed in."""
import collections
import json
import uuid

import pytest

from client import Client
from person import Person
from routes import ROUTES, filled
from service import refused


@pytest.fixture
def person(tilth):
    return Person(tilth).signed_in()


def test_every_route_of_v1_is_there_for_a_session(tilth, person):
    for method, path, _ in ROUTES:
        target = "/api" + filled(path, collections.defaultdict(lambda: str(uuid.uuid4())))
        refused(tilth.stranger().send(method, target), 401, "UNAUTHENTICATED")
        reply = person.ask(method, target, {} if method in ("POST", "PUT") else None)
        assert reply.status in (200, 400, 404) and reply.header("Cache-Control") == "no-store", (method, target, reply)


def test_what_a_person_makes_a_key_sees_and_the_event_names_the_person(tilth, person):
    farm = person.ask("POST", "/api/farms", {"name": "Oasis", "totalArea": 1})
    assert farm.status == 201 and farm.header("Location") == f"/api/farms/{farm.data['id']}"
    key = Client(tilth.address, f"Bearer {person.mint()['key']}")
    assert key.get(f"/farms/{farm.data['id']}").data == farm.data
    line, = [json.loads(each) for each in person.ask("GET", "/api/events?type=tilth.farm.*").body.splitlines()]
    assert (line["actor"], line["data"]["name"]) == (person.id, "Oasis")
    assert person.ask("GET", "/api/events", headers={"Accept": "text/event-stream"}).header("Content-Type") == "application/x-ndjson"


def test_nobody_reaches_another_persons_records(tilth, person):
    farm = person.ask("POST", "/api/farms", {"name": "Oasis", "totalArea": 1}).data
    other = Person(tilth).signed_in()
    for method, body in (("GET", None), ("PUT", {"name": "Mine"}), ("DELETE", None)):
        refused(other.ask(method, f"/api/farms/{farm['id']}", body), 404, "NOT_FOUND")


def test_another_sites_page_changes_nothing(person):
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "same-site"}):
        refused(person.ask("POST", "/api/farms", {"name": "Oasis", "totalArea": 1}, headers), 403, "FOREIGN_ORIGIN")
    farm = person.ask("POST", "/api/farms", {"name": "Oasis", "totalArea": 1}).data
    refused(person.ask("DELETE", f"/api/farms/{farm['id']}", headers={"Sec-Fetch-Site": "cross-site"}), 403, "FOREIGN_ORIGIN")
    assert len(person.ask("GET", "/api/farms").data) == 1


def test_the_second_editor_is_refused_and_a_repeated_request_is_done_once(person):
    headers = {"Idempotency-Key": str(uuid.uuid4())}
    replies = [person.ask("POST", "/api/farms", {"name": "Oasis", "totalArea": 1}, headers) for _ in range(2)]
    assert [reply.status for reply in replies] == [201, 201] and replies[0].data == replies[1].data
    assert replies[1].header("Idempotent-Replayed") == "true"
    path = f"/api/farms/{replies[0].data['id']}"
    tag = person.ask("GET", path).header("ETag")
    assert person.ask("PUT", path, {"city": "Medina"}, {"If-Match": tag}).status == 200
    refused(person.ask("PUT", path, {"city": "Mecca"}, {"If-Match": tag}), 412, "PRECONDITION_FAILED")


def test_the_plan_limits_what_a_person_may_do(tilth):
    person = Person(tilth, plan="seed").signed_in()
    limit = person.ask("GET", "/api/billing/plan").json["plan"]["farms"]
    for number in range(limit):
        assert person.ask("POST", "/api/farms", {"name": f"Farm {number}", "totalArea": 1}).status == 201
    refused(person.ask("POST", "/api/farms", {"name": "One more", "totalArea": 1}), 403, "PLAN_LIMIT_EXCEEDED")


def test_a_farm_is_shown_as_it_was(tilth, person):
    farm = person.ask("POST", "/api/farms", {"name": "Oasis", "totalArea": 1}).data
    tilth.advance("PT1M")
    person.ask("PUT", f"/api/farms/{farm['id']}", {"name": "Renamed"})
    past = person.ask("GET", f"/api/farms/{farm['id']}", headers={"Tilth-As-Of": farm["createdAt"]})
    assert past.data["name"] == "Oasis" and past.header("ETag") is None


def test_a_page_of_one_user_does_not_act_for_another(tilth, person):
    other = Person(tilth).signed_in()
    assert person.ask("GET", "/api/me", headers={"Tilth-User": person.id}).status == 200
    for method, path, body in (("GET", "/api/farms", None), ("POST", "/api/farms", {"name": "Oasis", "totalArea": 1}),
                               ("POST", "/api/api-keys", {"name": "k", "scopes": ["all"]})):
        refused(other.ask(method, path, body, {"Tilth-User": person.id}), 401, "UNAUTHENTICATED")
    assert other.ask("GET", "/api/farms").data == [] and other.ask("GET", "/api/api-keys").data == []
