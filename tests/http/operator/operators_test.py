"""Named operators: their tokens and roles, and the audit trail of what they did."""
import itertools
import json

import pytest

from client import Client
from service import BROKERS, Service, invalid, refused

OPERATORS, AUDIT, USERS = "/operator/v1/operators", "/operator/v1/audit", "/operator/v1/users"
_numbers = itertools.count(1)


def added(tilth, role="operate"):
    """A new operator's name and client."""
    name = f"amina-{next(_numbers)}"
    made = tilth.operate("POST", OPERATORS, {"name": name, "role": role}, 201).data
    assert (made["name"], made["role"], made["removedAt"]) == (name, role, None)
    return name, client(tilth, made["token"])


def client(tilth, token):
    return Client(tilth.operator_address, f"Bearer {token}")


def audit(tilth, query=""):
    return tilth.operate("GET", f"{AUDIT}?limit=100{query}").data


def user_body():
    return {"email": f"named{next(_numbers)}@example.org", "plan": "seed"}


def test_an_operator_works_with_a_token_of_their_own(tilth):
    name, amina = added(tilth, "administer")
    assert amina.send("GET", "/operator/v1/me").data == {"name": name, "role": "administer"}
    assert tilth.operate("GET", "/operator/v1/me").data == {"name": "operator", "role": "administer"}
    user = amina.send("POST", USERS, user_body()).data
    event, = [each for each in tilth.events("access") if each["data"].get("userId") == user["id"]]
    assert event["actor"] == f"operator:{name}"
    tilth.operate("POST", USERS, user_body(), 201)
    assert tilth.events("access")[-1]["actor"] == "operator"


def test_the_token_is_shown_once_and_only_its_digest_is_kept(tilth):
    made = tilth.operate("POST", OPERATORS, {"name": "shown-once", "role": "read"}, 201).data
    token = made["token"]
    assert token.startswith("svc_operator_") and len(token) == 61
    listed = tilth.operate("GET", f"{OPERATORS}?limit=100").data
    row, = [each for each in listed if each["name"] == "shown-once"]
    assert sorted(row) == ["createdAt", "id", "name", "removedAt", "role", "updatedAt"]
    assert token not in json.dumps(tilth.events()) and token not in tilth.tail()


@pytest.mark.parametrize("role,may", [("read", [200, 403, 403]), ("operate", [200, 200, 403]),
                                      ("administer", [200, 200, 201])])
def test_a_role_includes_those_below_it_and_nothing_above(tilth, role, may):
    _, amina = added(tilth, role)
    asked = [amina.send("GET", USERS), amina.send("POST", "/operator/v1/projections/market/resume", {}),
             amina.send("POST", USERS, user_body())]
    assert [reply.status for reply in asked] == may, asked


def test_a_role_that_is_too_small_is_named(tilth):
    name, amina = added(tilth, "read")
    reply = amina.send("POST", "/operator/v1/backup", {"directory": "/nowhere"})
    refused(reply, 403, "INSUFFICIENT_SCOPE", "requiredRole")
    assert reply.json["message"] == f"The operator {name} has the role read; this needs the role operate."
    refused(amina.send("POST", OPERATORS, {"name": "x", "role": "read"}), 403, "INSUFFICIENT_SCOPE", "requiredRole")


def test_a_new_role_holds_at_once(tilth):
    name, amina = added(tilth, "read")
    refused(amina.send("POST", USERS, user_body()), 403, "INSUFFICIENT_SCOPE", "requiredRole")
    assert tilth.operate("PUT", f"{OPERATORS}/{name}", {"role": "administer"}).data["role"] == "administer"
    assert amina.send("POST", USERS, user_body()).status == 201
    before = len(tilth.events("access"))
    assert tilth.operate("PUT", f"{OPERATORS}/{name}", {"role": "administer"}).data["name"] == name
    assert len(tilth.events("access")) == before
    assert tilth.operate("PUT", f"{OPERATORS}/{name}", {"role": "read"}).data["role"] == "read"
    assert amina.send("POST", USERS, user_body()).status == 403


def test_a_replaced_or_removed_token_is_not_taken(tilth):
    name, amina = added(tilth)
    rotated = tilth.operate("POST", f"{OPERATORS}/{name}/rotate", {}).data
    refused(amina.send("GET", USERS), 401, "UNAUTHORIZED")
    amina = client(tilth, rotated["token"])
    assert amina.send("GET", USERS).status == 200
    tilth.operate("DELETE", f"{OPERATORS}/{name}", status=204)
    refused(amina.send("GET", USERS), 401, "UNAUTHORIZED")
    row, = [each for each in tilth.operate("GET", f"{OPERATORS}?limit=100").data if each["name"] == name]
    assert row["removedAt"]
    for method, path, body in [("DELETE", name, None), ("POST", f"{name}/rotate", {}), ("PUT", name, {"role": "read"}),
                               ("DELETE", "nobody", None)]:
        refused(tilth.operator.send(method, f"{OPERATORS}/{path}", body), 404, "NOT_FOUND")
    refused(tilth.operator.send("POST", OPERATORS, {"name": name, "role": "read"}), 409, "CONFLICT")


@pytest.mark.parametrize("body,wrong", [({}, ["name", "role"]), ({"name": "Amina", "role": "read"}, ["name"]),
                                        ({"name": "a b", "role": "read"}, ["name"]), ({"name": "x", "role": "all"}, ["role"]),
                                        ({"name": "x" * 65, "role": "read"}, ["name"])])
def test_an_operator_has_a_name_and_a_role(tilth, body, wrong):
    invalid(tilth.operator.send("POST", OPERATORS, body), *wrong)


@pytest.mark.parametrize("name", ["operator", "twice"])
def test_a_name_is_of_one_operator(tilth, name):
    tilth.operator.send("POST", OPERATORS, {"name": name, "role": "read"})
    refused(tilth.operator.send("POST", OPERATORS, {"name": name, "role": "read"}), 409, "CONFLICT")


def test_a_comparison_of_rows_with_the_log_adds_nothing_to_it(tilth):
    lines = tilth.operate("GET", "/operator/v1/events").body
    for row in tilth.operate("POST", "/operator/v1/projections/all/verify").data:
        assert row["differences"] == [], row
    assert tilth.operate("GET", "/operator/v1/events").body == lines


def test_a_change_is_in_the_audit_trail_when_it_is_answered(tilth):
    name, amina = added(tilth, "administer")
    made = amina.send("POST", USERS, user_body(), {"X-Request-Id": f"request of {name}"}).data
    entry = audit(tilth)[0]
    assert {member: entry[member] for member in entry if member not in ("id", "at")} == {
        "operator": name, "role": "administer", "action": "Make a user", "method": "POST", "target": USERS,
        "created": made["id"], "status": 201, "requestId": f"request of {name}", "address": "127.0.0.1"}
    event = tilth.events("audit")[-1]
    assert (event["type"], event["actor"], event["correlationid"]) == ("tilth.audit.recorded", f"operator:{name}",
                                                                     entry["requestId"])
    assert event["data"]["auditId"] == entry["id"] and event["data"]["operator"] == name


def test_what_is_refused_and_what_the_built_in_operator_does_is_recorded_too(tilth):
    name, amina = added(tilth, "read")
    tilth.operate("DELETE", "/operator/v1/sessions?user=nobody", status=404)
    amina.send("DELETE", "/operator/v1/sessions?user=nobody")
    invalid(tilth.operator.send("POST", USERS, {}), "email", "plan")
    told = [(entry["operator"], entry["target"], entry["status"], entry["created"]) for entry in audit(tilth)[:3]]
    assert told == [("operator", USERS, 400, None), (name, "/operator/v1/sessions?user=nobody", 403, None),
                    ("operator", "/operator/v1/sessions?user=nobody", 404, None)]


def test_reading_and_strangers_leave_no_entry(tilth):
    before = tilth.operate("GET", AUDIT).pagination["total"]
    for path in (USERS, "/operator/v1/status", AUDIT, "/operator/v1/me", "/operator/v1/events"):
        tilth.operate("GET", path)
    refused(client(tilth, "svc_operator_" + "0" * 48).send("POST", USERS, user_body()), 401, "UNAUTHORIZED")
    refused(client(tilth, "wrong").send("DELETE", f"{OPERATORS}/x"), 401, "UNAUTHORIZED")
    assert tilth.operate("GET", AUDIT).pagination["total"] == before


def test_no_secret_is_in_the_trail(tilth):
    made = tilth.operate("POST", USERS, {**user_body(), "password": "a horse that is correct"}, 201).data
    key = tilth.operate("POST", f"{USERS}/{made['id']}/api-keys", {"name": "k", "scopes": ["all"]}, 201).data
    told = json.dumps(audit(tilth))
    assert key["id"] in told and key["key"] not in told and "horse" not in told


def test_the_trail_is_listed_by_page_operator_and_time(tilth):
    name, amina = added(tilth, "administer")
    begun = tilth.now()
    tilth.advance("PT1H")
    later = tilth.now()
    for _ in range(3):
        amina.send("POST", USERS, user_body())
    tilth.operate("POST", USERS, user_body(), 201)
    page = tilth.operate("GET", f"{AUDIT}?operator={name}&page=2&limit=2")
    assert page.pagination == {"page": 2, "limit": 2, "total": 3, "totalPages": 2} and len(page.data) == 1
    assert len(audit(tilth, f"&since={later}")) == 4
    assert len(audit(tilth, f"&since={later}&operator={name}")) == 3
    assert audit(tilth, f"&since={begun}&until={begun}") == []
    assert all(entry["at"] < later for entry in audit(tilth, f"&until={later}"))
    assert audit(tilth, "&order=asc")[::-1] == audit(tilth)
    invalid(tilth.operator.send("GET", f"{AUDIT}?since=yesterday"), "since")
    invalid(tilth.operator.send("GET", f"{AUDIT}?since={later}&until={begun}"), "until")


def test_what_could_not_be_recorded_follows_with_the_next_change(tilth):
    tilth.operate("POST", "/operator/v1/projections/access/pause", {})
    tilth.operate("POST", "/operator/v1/projections/access/resume", {})
    told = [(entry["target"], entry["status"]) for entry in tilth.operate("GET", f"{AUDIT}?limit=2&order=desc").data]
    assert sorted(told) == [("/operator/v1/projections/access/pause", 200),
                            ("/operator/v1/projections/access/resume", 200)]


def test_the_log_lines_name_the_operator(tilth):
    name, amina = added(tilth)
    amina.send("POST", "/operator/v1/projections/market/pause", {})
    amina.send("POST", "/operator/v1/projections/market/resume", {})
    lines = [json.loads(line) for line in tilth.errors.read_text().splitlines() if line.startswith("{")]
    said = [line for line in lines if line.get("operator") == name]
    assert {line.get("projection") for line in said} >= {"market"}
    assert {line.get("action") for line in said} >= {"Stand still", "Go on"}


def test_metrics_count_the_trail(tilth):
    tilth.operate("POST", USERS, user_body(), 201)
    lines = tilth.operate("GET", "/metrics").body.decode().splitlines()
    value, = [float(line.split()[1]) for line in lines if line.startswith("tilth_audit_entries_total ")]
    assert value >= 1
    assert "tilth_audit_waiting 0" in lines and "tilth_audit_lost_total 0" in lines


def test_operators_and_the_trail_outlive_a_restart(tmp_path):
    service = Service(tmp_path)
    try:
        service.start()
        _, amina = added(service, "administer")
        gone, _ = added(service, "administer")
        service.operate("DELETE", f"{OPERATORS}/{gone}", status=204)
        before = audit(service)
        token = amina.authorization.removeprefix("Bearer ")
        service.restart()
        assert audit(service) == before
        assert client(service, token).send("POST", USERS, user_body()).status == 201
        service.operate("POST", "/operator/v1/projections/access/rebuild", {}, 202)
        assert client(service, token).send("GET", "/operator/v1/me").data["role"] == "administer"
    finally:
        service.kill()


@pytest.mark.skipif(not BROKERS, reason="needs a broker")
def test_every_node_knows_the_operators(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    one = Service(tmp_path / "one")
    two = Service(tmp_path / "two", topic=one.topic)
    try:
        one.start(), two.start()
        name, amina = added(one, "read")
        token = amina.authorization.removeprefix("Bearer ")
        there = client(two, token)
        assert there.send("GET", USERS).status == 200
        one.operate("DELETE", f"{OPERATORS}/{name}", status=204)
        refused(there.send("GET", USERS), 401, "UNAUTHORIZED")
    finally:
        one.kill(), two.kill()
