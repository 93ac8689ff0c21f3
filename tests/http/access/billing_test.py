"""A user's usage of the plan, and the subscription."""
import pytest

from client import Client
from person import Person
from service import invalid, refused

pytestmark = pytest.mark.embedded_log

CONFIG = """
[limits]
unauthenticated_per_minute = 100000
"""

USAGE = "/api/billing/usage"


@pytest.fixture
def person(tilth):
    return Person(tilth).signed_in()


def report(tilth, person, status, requested_at=None):
    body = {"status": status} | ({"requestedAt": requested_at} if requested_at else {})
    return tilth.operate("POST", f"/operator/v1/users/{person.id}/ai-requests", body, 201).data


def used(person):
    reply = person.ask("GET", USAGE)
    assert reply.status == 200 and set(reply.json) == {"farmsCount", "aiRequestsThisMonth"}, reply
    return reply.json["farmsCount"], reply.json["aiRequestsThisMonth"]


def test_farms_are_counted_while_they_are_there(tilth, person):
    assert used(person) == (0, 0)
    key = Client(tilth.address, f"Bearer {person.mint()['key']}")
    farms = [key.post("/farms", {"name": name, "totalArea": 1, "status": status}).data
             for name, status in (("a", "active"), ("b", "archived"))]
    assert used(person) == (2, 0)
    assert key.delete(f"/farms/{farms[0]['id']}").status == 204
    assert used(person) == (1, 0)
    assert used(Person(tilth).signed_in()) == (0, 0)


def test_only_what_succeeded_in_this_month_of_utc_is_counted(tilth, person):
    tilth.set_clock("2026-05-15T12:00:00Z")
    person.signed_in()
    for status in ("succeeded", "failed", "pending", "succeeded"):
        report(tilth, person, status)
    for requested_at in ("2026-04-30T23:59:59.999Z", "2026-05-01T02:59:59+03:00", "2025-05-15T12:00:00Z"):
        report(tilth, person, "succeeded", requested_at=requested_at)
    report(tilth, person, "succeeded", requested_at="2026-05-01T00:00:00Z")
    assert used(person) == (0, 3)
    tilth.set_clock("2026-05-31T23:59:59Z")
    assert used(person.signed_in()) == (0, 3)
    tilth.set_clock("2026-06-01T00:00:00Z")
    assert used(person) == (0, 0)


def test_a_report_is_an_event(tilth, person):
    told = report(tilth, person, "failed", "2026-02-01")
    assert (told["userId"], told["status"], told["requestedAt"]) == (person.id, "failed", "2026-02-01T00:00:00.000Z")
    event = tilth.events(type="tilth.ai_request.reported")[-1]
    assert (event["data"], event["subject"], event["actor"]) == (told, "access", "operator")


def test_a_report_that_makes_no_sense_is_refused(tilth, person):
    ask = tilth.operator.send
    path = f"/operator/v1/users/{person.id}/ai-requests"
    invalid(ask("POST", path, {}), "status")
    invalid(ask("POST", path, {"status": "done", "requestedAt": "then"}), "status", "requestedAt")
    refused(ask("POST", path.replace(person.id, "user_1"), {"status": "failed"}), 404, "NOT_FOUND")
    refused(tilth.stranger().send("POST", "/api" + path, {"status": "failed"}), 404, "NOT_FOUND")


def test_a_key_with_the_scope_reads_it_under_the_rules_of_v1(tilth):
    user = tilth.user(scopes=["billing:read"])
    reply = user.send("GET", USAGE)
    assert (reply.status, reply.json) == (200, {"farmsCount": 0, "aiRequestsThisMonth": 0})
    assert (reply.header("X-RateLimit-Limit"), reply.header("X-RateLimit-Remaining")) == ("1000", "999")
    assert user.with_key(scopes=["all"]).send("GET", USAGE).status == 200
    reply = user.with_key(scopes=["farms:read"]).send("GET", USAGE)
    refused(reply, 403, "INSUFFICIENT_SCOPE")
    assert reply.details == {"requiredScope": "billing:read"}
    refused(user.with_key(scopes=["all"], allowedIps=["192.0.2.1"]).send("GET", USAGE), 403, "IP_NOT_ALLOWED")


@pytest.mark.parametrize("header,code", [
    (None, "MISSING_API_KEY"), ("Basic x", "INVALID_AUTH_FORMAT"), ("Bearer x", "INVALID_API_KEY_FORMAT"),
    ("Bearer svc_live_" + "0" * 48, "INVALID_API_KEY")])
def test_without_a_session_the_errors_are_those_of_v1(tilth, header, code):
    reply = tilth.stranger().send("GET", USAGE, headers={"Authorization": header} if header else {})
    refused(reply, 401, code)
    assert reply.header("WWW-Authenticate") == "Bearer" and reply.header("X-RateLimit-Limit") == "100000"


def test_a_key_wins_over_a_session(tilth, person):
    user = tilth.user()
    user.farm()
    assert used(person) == (0, 0)
    reply = person.ask("GET", USAGE, headers={"Authorization": user.authorization})
    assert reply.json["farmsCount"] == 1 and reply.header("X-RateLimit-Limit") == "1000"
    refused(person.ask("GET", USAGE, headers={"Authorization": "Bearer x"}), 401, "INVALID_API_KEY_FORMAT")


@pytest.mark.parametrize("plan,status", [("trial", "trialing"), ("seed", "active"), ("summit", "active")])
def test_a_subscription_runs_for_the_month_of_utc(tilth, plan, status):
    tilth.set_clock("2026-12-31T23:59:59.999Z")
    person = Person(tilth, plan).signed_in()
    reply = person.ask("GET", "/api/billing/subscription")
    assert reply.status == 200, reply
    told = reply.json["subscription"]
    assert told.pop("id").startswith("sub_")
    assert told == {"userId": person.id, "plan": plan, "status": status, "cancelAtPeriodEnd": False,
                    "currentPeriodStart": "2026-12-01T00:00:00.000Z", "currentPeriodEnd": "2027-01-01T00:00:00.000Z",
                    "createdAt": person.user["createdAt"], "updatedAt": person.user["updatedAt"]}


def test_who_has_no_plan_has_no_subscription(tilth):
    person = Person(tilth, "expired").signed_in()
    assert person.ask("GET", "/api/billing/subscription").json == {"subscription": None}


def test_the_land_is_shown_to_its_owner(tilth, person):
    key = Client(tilth.address, f"Bearer {person.mint()['key']}")
    made = [key.post("/farms", {"name": name, "totalArea": 1}).data for name in "ab"]
    reply = person.ask("GET", "/api/farms?sort=name&order=asc&limit=1")
    assert reply.json == {"data": [made[0]], "pagination": {"page": 1, "limit": 1, "total": 2, "totalPages": 2}}
    invalid(person.ask("GET", "/api/farms?limit=0"), "limit")
    assert Person(tilth).signed_in().ask("GET", "/api/farms").data == []


def test_tasks_are_shown_to_their_owner_as_of_now(tilth, person):
    key = Client(tilth.address, f"Bearer {person.mint()['key']}")
    farm = key.post("/farms", {"name": "a", "totalArea": 1}).data
    due = tilth.now()[:11] + "23:59:59.999Z"
    made = key.post("/tasks", {"farmId": farm["id"], "title": "Prune", "category": "maintenance", "dueDate": due})
    assert made.status == 201, made
    listed = "/api/tasks?sort=dueDate&order=asc"
    assert person.ask("GET", listed).data == [made.data]
    tilth.advance("P1D")
    person.signed_in()
    assert [task["status"] for task in person.ask("GET", listed).data] == ["overdue"]
    assert len(person.ask("GET", "/api/tasks?status=overdue").data) == 1
