"""The operators' pages and what they ask: the last hour, the plans, and what owners have of theirs."""
import re

import pytest

from client import Client
from receiver import eventually
from service import BROKERS, invalid, refused

ALLOWED = {"default-src": {"'none'"}, "script-src": {"'self'"}, "base-uri": {"'none'"}, "frame-ancestors": {"'none'"}}
IMPORTED = r"(?:import|from)\s*\(?\"([./][^\"]+)\""


def absolute(path, to):
    if to.startswith("/"):
        return to
    parts = path.split("/")[:-1]
    for part in to.split("/"):
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def parts_of(client):
    """Every page of the port, and what they are made of."""
    seen, left = {}, {"/"}
    while left:
        path = left.pop()
        reply = client.send("GET", path)
        seen[path] = reply
        text = reply.body.decode(errors="replace")
        if reply.header("Content-Type").startswith("text/html"):
            left |= set(re.findall(r"(?:src|href)=\"(/[^\"/][^\"]*)\"", text))
        elif "javascript" in reply.header("Content-Type"):
            left |= {absolute(path, to) for to in re.findall(IMPORTED, text)}
        left -= seen.keys()
    return seen


def test_every_part_of_the_pages_is_there_without_a_token_and_under_the_strict_policy(tilth):
    seen = parts_of(Client(tilth.operator_address))
    assert {"/assets/operators/app.js", "/assets/operators/overview.js", "/assets/operators/ar.js", "/assets/core/ui.js"} <= seen.keys()
    for path, reply in seen.items():
        assert reply.status == 200, path
        policy = {name: set(sources) for name, *sources in map(str.split, reply.header("Content-Security-Policy").split(";"))}
        assert all(policy[name] == sources for name, sources in ALLOWED.items()), path
        assert not any("unsafe" in source or "*" in source for sources in policy.values() for source in sources)
        assert reply.header("X-Content-Type-Options") == "nosniff", path
    page = seen["/"].body.decode()
    assert not re.search(r"\son\w+=|javascript:|<script(?![^>]*src=)", page)


def test_each_port_has_its_own_pages(tilth):
    stranger, operator = tilth.stranger(), Client(tilth.operator_address)
    assert stranger.send("GET", "/").body != operator.send("GET", "/").body
    for path in ("/docs", "/assets/app.js", "/assets/pages/keys.js", "/assets/vendor/leaflet/leaflet.js"):
        assert stranger.send("GET", path).status == 200, path
        refused(operator.send("GET", path), 404, "NOT_FOUND")
    for path in ("/assets/operators/app.js", "/assets/operators/index.html", "/assets/operators/runbook-text.js"):
        assert stranger.send("GET", path).status == 404, path


def test_the_pages_are_for_the_hosts_of_the_port_alone(tilth):
    for path in ("/", "/assets/operators/app.js"):
        refused(Client(tilth.operator_address).send("GET", path, headers={"Host": "evil.example"}), 403, "FOREIGN_ORIGIN")


def test_the_runbook_is_that_of_the_documentation(tilth):
    text = Client(tilth.operator_address).send("GET", "/assets/operators/runbook-text.js").body.decode()
    for anchor in ("a-projection-is-faulted", "a-projection-is-behind", "requests-are-answered-5xx", "the-log-does-not-answer", "files-run-out"):
        assert f'"{anchor}": ' in text
    assert "`tilth projections rebuild` recreates them" in text


@pytest.fixture
def trends(tilth):
    """Those of a moment at which the log has reported its end: a broker on a busy machine may be late."""
    def of_now():
        newest = tilth.operate("GET", "/operator/v1/trends").data
        return newest if series(newest, "logEnd")[-1] is not None else None
    return lambda: eventually(of_now, "an end of the log")


def series(trends, name, of=""):
    return next(each["values"] for each in trends["series"] if (each["name"], each["of"]) == (name, of))


def test_the_last_hour_is_told_up_to_now(tilth, user, trends):
    before = trends()
    farm = user.farm()
    user.get(f"/farms/{farm['id']}")
    user.get("/nowhere")
    after = trends()
    assert after["everySeconds"] == 15 and after["secondsAgo"][-1] == 0
    assert after["secondsAgo"] == sorted(after["secondsAgo"], reverse=True) and 2 <= len(after["secondsAgo"]) <= 241
    assert all(len(each["values"]) == len(after["secondsAgo"]) for each in after["series"])
    assert series(after, "requests", "2xx")[-1] >= series(before, "requests", "2xx")[-1] + 2
    assert series(after, "requests", "4xx")[-1] >= series(before, "requests", "4xx")[-1] + 1
    assert series(after, "logEnd")[-1] == series(before, "logEnd")[-1] + 1
    assert {each["of"] for each in after["series"] if each["name"] == "lagSeconds"} == {"access", "registry", "finance", "market"}
    assert series(after, "memoryBytes")[-1] > 10_000_000 and 0 < series(after, "diskFreeBytes")[-1] <= series(after, "diskBytes")[-1]


def test_operators_own_requests_are_not_among_them(trends):
    before = series(trends(), "requests", "2xx")[-1]
    assert series(trends(), "requests", "2xx")[-1] == before


def test_a_paused_projection_is_seen_to_lag(tilth, user, trends):
    tilth.operate("POST", "/operator/v1/projections/market/pause", {})
    try:
        user.farm()
        assert series(trends(), "lagEvents", "market")[-1] >= 1
    finally:
        tilth.operate("POST", "/operator/v1/projections/market/resume", {})


def test_plans_are_listed(tilth):
    plans = {plan["name"]: plan for plan in tilth.operate("GET", "/operator/v1/plans").data}
    assert plans["seed"] == {"name": "seed", "requestsPerHour": 25, "farms": 1, "aiRequestsPerMonth": 50, "bytesPerHour": 64_000_000,
                             "mayMintKeys": False}
    assert plans["summit"]["farms"] is None and plans["summit"]["mayMintKeys"]


def test_the_scopes_are_those_that_a_key_can_have(tilth):
    scopes = tilth.operate("GET", "/operator/v1/scopes").data
    assert scopes[-1] == "all" and "webhooks:read" in scopes
    user = tilth.user()
    key = tilth.operate("POST", f"/operator/v1/users/{user.id}/api-keys", {"name": "each", "scopes": scopes[:-1]}, 201).data
    assert key["scopes"] == scopes[:-1]


def test_what_a_user_has_of_their_plan(tilth, user):
    path = f"/operator/v1/users/{user.id}/usage"
    assert tilth.operate("GET", path).data == {"farms": 0, "aiRequestsThisMonth": 0, "events": 0}
    user.field(user.farm())
    tilth.operate("POST", f"/operator/v1/users/{user.id}/ai-requests", {"status": "succeeded"}, 201)
    used = tilth.operate("GET", path).data
    assert (used["farms"], used["aiRequestsThisMonth"], used["events"]) == (1, 1, 2)
    refused(tilth.operator.send("GET", "/operator/v1/users/user_x/usage"), 404, "NOT_FOUND")


def test_users_are_found_by_a_part_of_their_email_or_name(tilth):
    ids = []
    for name in ("Müller", "Mulloy", "Zoë"):
        body = {"email": f"{name.lower()}@find.example.org", "plan": "seed", "name": name}
        ids.append(tilth.operate("POST", "/operator/v1/users", body, 201).data["id"])
        tilth.advance("PT1S")

    def found(search, **more):
        query = "&".join(f"{name}={value}" for name, value in {"search": search, "order": "asc", **more}.items())
        return tilth.operate("GET", f"/operator/v1/users?{query}")
    assert {user["id"] for user in found("mull").data} == set(ids[:2])
    assert [user["id"] for user in found("ZOE").data] == ids[2:]
    assert [user["id"] for user in found("FIND.example").data] == ids
    assert [user["id"] for user in found(ids[1]).data] == [ids[1]]
    assert found("nobody%20at%20all").data == []
    second = found("find.example", limit=2, page=2)
    assert [user["id"] for user in second.data] == ids[2:]
    assert (second.pagination["total"], second.pagination["totalPages"]) == (3, 2)
    assert [user["id"] for user in found("mull", email="mulloy@find.example.org").data] == [ids[1]]
    invalid(tilth.operator.send("GET", "/operator/v1/users?search=a&search=b"), "search")


@pytest.mark.parametrize("path", ["/operator/v1/trends", "/operator/v1/plans", "/operator/v1/scopes", "/operator/v1/users/user_x/usage", "/operator/v1/users?search=a"])
def test_none_of_it_is_told_without_the_token(tilth, path):
    refused(Client(tilth.operator_address).send("GET", path), 401, "UNAUTHORIZED")


def test_the_status_names_what_is_skipped_and_where_it_is_faulted(tilth):
    for row in tilth.operate("GET", "/operator/v1/status").data["projections"]:
        assert row["faultedAt"] is None and row["skipped"] == [] and (BROKERS or len(row["positions"]) == 1)
