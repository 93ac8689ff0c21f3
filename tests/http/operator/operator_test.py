"""The operator API: users, keys, health, status and the clock."""
import http.client
import itertools
import json
import re
import socket
import uuid

import pytest

from client import Client
from service import BROKERS, invalid, refused

USERS = "/operator/v1/users"
_numbers = itertools.count(1)


def email():
    return f"op{next(_numbers)}@example.org"


@pytest.fixture
def ask(tilth):
    return tilth.operator.send


def made(ask, **members):
    reply = ask("POST", USERS, {"email": email(), "plan": "summit", **members})
    assert reply.status == 201, reply
    return reply.data


def minted(ask, user, **members):
    reply = ask("POST", f"{USERS}/{user['id']}/api-keys", {"name": "k", "scopes": ["all"], **members})
    assert reply.status == 201, reply
    return reply.data


@pytest.mark.parametrize("path", ["/operator/v1/users", "/operator/v1/status", "/operator/v1/events",
                                  "/operator/v1/clock", "/operator/v1/users/x"])
@pytest.mark.parametrize("header", [None, "Bearer", "Bearer wrong", "Basic x"])
def test_without_the_token_nothing_is_told(tilth, path, header):
    stranger = Client(tilth.operator_address, header)
    refused(stranger.send("GET", path), 401, "UNAUTHORIZED")
    refused(stranger.send("POST", "/operator/v1/users", {"email": "a@b.c", "plan": "seed"}), 401,
            "UNAUTHORIZED")


@pytest.mark.parametrize("method,path,headers,status", [
    ("POST", "/operator/v1/library", {}, 401), ("POST", USERS, {}, 401), ("PUT", f"{USERS}/user_x", {}, 401),
    ("POST", "/operator/v1/events", {"Authorization": "Bearer wrong"}, 401), ("GET", USERS, {}, 401),
    ("POST", "/operator/v1/nowhere", {}, 404), ("PATCH", USERS, {}, 405), ("POST", "/healthz", {}, 405),
    ("GET", "/healthz", {}, 200), ("OPTIONS", USERS, {}, 204), ("POST", USERS, {"Expect": "100-continue"}, 401)])
@pytest.mark.parametrize("length", [{"Content-Length": "250000000"}, {"Transfer-Encoding": "chunked"}])
def test_what_the_head_decides_is_answered_before_the_body(tilth, method, path, headers, status, length):
    host, port = tilth.operator_address.rsplit(":", 1)
    lines = {"Host": tilth.operator_address, "Content-Type": "application/json", **length, **headers}
    head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    with socket.create_connection((host, int(port)), 30) as connection:
        connection.sendall(head.encode() + b"\r\n")
        answer = http.client.HTTPResponse(connection, method=method)
        answer.begin()
        assert (answer.status, answer.getheader("Connection")) == (status, "close")
        answer.read()
        assert connection.recv(1) == b""


def test_a_body_has_256_mebibytes_at_most(tilth):
    host, port = tilth.operator_address.rsplit(":", 1)
    head = (f"POST /operator/v1/library HTTP/1.1\r\nHost: {tilth.operator_address}\r\nContent-Type: application/json\r\n"
            f"Authorization: {tilth.operator.authorization}\r\nExpect: 100-continue\r\nContent-Length: ")
    for length, answer in ((256 << 20, b"HTTP/1.1 100 "), ((256 << 20) + 1, b"HTTP/1.1 413 ")):
        with socket.create_connection((host, int(port)), 30) as connection:
            connection.sendall(f"{head}{length}\r\n\r\n".encode())
            assert connection.recv(13) == answer


def test_operators_are_not_rate_limited(tilth):
    stranger = Client(tilth.operator_address)
    for _ in range(70):  # more than a client without a key has at the other port
        for client, status in ((stranger, 401), (tilth.operator, 200)):
            reply = client.send("GET", f"{USERS}?limit=1")
            assert reply.status == status and reply.header("X-RateLimit-Limit") is None


def test_the_token_is_taken_as_v1_takes_keys(tilth):
    token = tilth.operator.authorization.removeprefix("Bearer ")
    for shown in (f"bearer {token}", f"BEARER   {token}"):
        assert Client(tilth.operator_address, shown).send("GET", USERS).status == 200
    for shown in (token, f"Bearer{token}", f"Bearer {token} {token}", f"Bearer {token}x", f"Bearer {token[:-1]}",
                  f"Token {token}"):
        refused(Client(tilth.operator_address, shown).send("GET", USERS), 401, "UNAUTHORIZED")
    twice = [("Authorization", f"Bearer {token}")] * 2
    refused(Client(tilth.operator_address).send("GET", USERS, headers=twice), 401, "UNAUTHORIZED")


def test_the_token_is_the_owner_s_alone(tilth):
    assert (tilth.data / "operator.token").stat().st_mode & 0o777 == 0o600


def test_an_api_key_is_no_operator_and_the_token_is_no_key(tilth, user):
    refused(Client(tilth.operator_address, user.authorization).send("GET", USERS), 401, "UNAUTHORIZED")
    reply = tilth.stranger().get("/farms", {"Authorization": tilth.operator.authorization})
    refused(reply, 401, "INVALID_API_KEY_FORMAT")


def test_the_two_ports_keep_to_their_own_routes(tilth, user, ask):
    assert ask("GET", "/api/v1/farms").status == 404
    refused(user.send("GET", USERS), 404, "NOT_FOUND")
    refused(ask("GET", "/operator/v1/nowhere"), 404, "NOT_FOUND")
    reply = ask("DELETE", USERS)
    refused(reply, 405, "METHOD_NOT_ALLOWED")
    assert "GET" in reply.header("Allow") and "POST" in reply.header("Allow")


def test_health_and_readiness_need_no_token(tilth):
    stranger = Client(tilth.operator_address)
    reply = stranger.send("GET", "/healthz")
    assert (reply.status, reply.body.strip()) == (200, b"ok")
    reply = stranger.send("GET", "/readyz")
    assert (reply.status, reply.data["ready"], reply.data["waitsFor"]) == (200, True, None)


def test_metrics_are_in_the_form_of_prometheus(tilth, user):
    user.get("/farms")
    reply = Client(tilth.operator_address).send("GET", "/metrics")
    assert reply.status == 200 and reply.header("Content-Type").startswith("text/plain")
    lines = [line for line in reply.body.decode().splitlines() if line and not line.startswith("#")]
    assert lines and all(re.fullmatch(r"[a-zA-Z_:][\w:]*(\{.*\})? \S+( \d+)?", line) for line in lines)


def test_a_user_is_made_read_listed_and_changed(tilth, ask):
    address = email()
    user = made(ask, email=address, name="Ada", password="correct horse")
    assert set(user) == {"id", "email", "name", "plan", "createdAt", "updatedAt"}
    assert re.fullmatch(r"user_[A-Za-z0-9_-]{21}", user["id"])
    assert (user["email"], user["name"], user["plan"]) == (address, "Ada", "summit")
    path = f"{USERS}/{user['id']}"
    assert ask("GET", path).data == user
    assert ask("GET", f"{USERS}?email={address.replace('@', '%40')}").data == [user]
    assert ask("GET", f"{USERS}?email=nobody@example.org").data == []
    tilth.advance("PT1S")
    changed = ask("PUT", path, {"plan": "grove", "name": "Ada L."}).data
    assert changed == {**user, "plan": "grove", "name": "Ada L.", "updatedAt": tilth.now()}
    assert ask("GET", path).data == changed
    assert "horse" not in json.dumps(tilth.events()) and "horse" not in tilth.tail()


def test_users_are_listed_in_pages(ask):
    for _ in range(3):
        made(ask)
    whole = ask("GET", f"{USERS}?limit=100")
    assert whole.pagination["total"] >= len(whole.data) >= 3
    assert ask("GET", f"{USERS}?limit=1&page=2").data == whole.data[1:2]
    refused(ask("GET", f"{USERS}?limit=0"), 400, "VALIDATION_ERROR", "limit")


def test_an_email_is_one_user_s_whatever_its_case(ask):
    address = email()
    made(ask, email=address)
    for other in (address, address.upper()):
        refused(ask("POST", USERS, {"email": other, "plan": "seed"}), 409, "CONFLICT")


@pytest.mark.parametrize("members,paths", [
    ({}, ["email", "plan"]), ({"email": 7, "plan": "gold"}, ["email", "plan"]),
    ({"email": "a@b.example", "plan": None}, ["plan"]), ({"email": "", "plan": "seed"}, ["email"]),
    ({"email": "no-at-sign", "plan": "seed"}, ["email"]),
    ({"email": "p@b.example", "plan": "seed", "password": "x" * 7}, ["password"]),
    ({"email": "p@b.example", "plan": "seed", "password": "x" * 201}, ["password"])])
def test_a_wrong_user_is_refused(ask, members, paths):
    invalid(ask("POST", USERS, members), *paths)


def test_a_password_has_8_to_200_characters(ask):
    for length in (8, 200):
        user = made(ask, password="\u00e9" * length)
        assert ask("PUT", f"{USERS}/{user['id']}", {"password": "x" * length}).status == 200
        for wrong in ("x" * 7, "x" * 201, 12345678):
            invalid(ask("PUT", f"{USERS}/{user['id']}", {"password": wrong}), "password")


def test_a_user_that_is_not_there_is_not_found(ask):
    missing = "user_" + "x" * 21
    for method, path, body in [("GET", "", None), ("PUT", "", {"plan": "seed"}), ("GET", "/api-keys", None),
                               ("POST", "/api-keys", {"name": "k", "scopes": ["all"]}),
                               ("DELETE", "/api-keys/key_" + "x" * 21, None)]:
        refused(ask(method, f"{USERS}/{missing}{path}", body), 404, "NOT_FOUND")
    invalid(ask("PUT", f"{USERS}/{made(ask)['id']}", {"plan": "gold"}), "plan")


KEY = {"id", "name", "environment", "scopes", "rateLimit", "metadata", "keyPreview", "usageCount",
       "lastUsedAt", "expiresAt", "revokedAt", "revokedFrom", "isActive", "userId", "updatedAt", "allowedIps", "createdAt"}


def test_a_key_is_told_once(tilth, ask):
    user = made(ask)
    key = minted(ask, user, scopes=["farms:read", "tasks:write"], metadata={"team": {"size": 3}})
    assert set(key) == KEY | {"key"}
    assert re.fullmatch(r"key_[A-Za-z0-9_-]{21}", key["id"])
    assert re.fullmatch(r"svc_live_[a-f0-9]{48}", key["key"])
    assert key["keyPreview"] == f"{key['key'][:12]}...{key['key'][-4:]}"
    listed = ask("GET", f"{USERS}/{user['id']}/api-keys").data
    assert listed == [{name: value for name, value in key.items() if name != "key"}]
    wanted = {"name": "k", "environment": "live", "scopes": ["farms:read", "tasks:write"], "rateLimit": None,
              "metadata": {"team": {"size": 3}}, "usageCount": 0, "lastUsedAt": None, "expiresAt": None,
              "revokedAt": None, "revokedFrom": None, "isActive": True, "userId": user["id"], "allowedIps": None}
    assert wanted.items() <= listed[0].items()
    assert key["key"] not in json.dumps(tilth.events()) and key["key"] not in tilth.tail()


def test_a_key_keeps_what_it_was_given(ask):
    user = made(ask)
    given = {"name": "n" * 100, "environment": "test", "rateLimit": 100000, "allowedIps": ["10.0.0.0/8", "::1"],
             "expiresAt": "2030-01-01T01:00:00+01:00"}
    key = minted(ask, user, **given)
    assert {**given, "expiresAt": "2030-01-01T00:00:00.000Z"}.items() <= key.items()
    assert key["metadata"] == {} and key["key"].startswith("svc_test_")


@pytest.mark.parametrize("members,paths", [
    ({"name": ...}, ["name"]), ({"name": ""}, ["name"]), ({"name": "n" * 101}, ["name"]),
    ({"scopes": ...}, ["scopes"]), ({"scopes": []}, ["scopes"]), ({"scopes": "all"}, ["scopes"]),
    ({"scopes": ["all", "farms"]}, ["scopes.1"]), ({"scopes": ["tasks:read", "x", "tasks:read"]},
                                                  ["scopes.1", "scopes.2"]),
    ({"scopes": [7]}, ["scopes.0"]), ({"environment": "prod"}, ["environment"]),
    ({"environment": None}, ["environment"]), ({"rateLimit": 0}, ["rateLimit"]),
    ({"rateLimit": 100001}, ["rateLimit"]), ({"metadata": []}, ["metadata"]),
    ({"metadata": {"x": "y" * 8192}}, ["metadata"]), ({"expiresAt": "soon"}, ["expiresAt"]),
    ({"expiresAt": "2020-01-01T00:00:00Z"}, ["expiresAt"]), ({"allowedIps": []}, ["allowedIps"]),
    ({"allowedIps": ["10.0.0.0/33", "::1"]}, ["allowedIps.0"]), ({"allowedIps": ["::1", "x"]}, ["allowedIps.1"]),
    ({"allowedIps": ["10.0.0.1"] * 101}, None), ({"name": 1, "rateLimit": "x"}, ["name", "rateLimit"])])
def test_a_wrong_key_is_refused(ask, members, paths):
    body = {"name": "k", "scopes": ["all"], **members}
    body = {name: value for name, value in body.items() if value is not ...}
    reply = ask("POST", f"{USERS}/{made(ask)['id']}/api-keys", body)
    invalid(reply, *paths) if paths else refused(reply, 400, "VALIDATION_ERROR")


def test_a_key_may_not_expire_now(tilth, ask):
    reply = ask("POST", f"{USERS}/{made(ask)['id']}/api-keys",
                {"name": "k", "scopes": ["all"], "expiresAt": tilth.now()})
    invalid(reply, "expiresAt")


def test_a_key_is_revoked_once_and_stays_in_the_list(tilth, ask):
    user = made(ask)
    key, other = minted(ask, user), minted(ask, user)
    path = f"{USERS}/{user['id']}/api-keys"
    refused(ask("DELETE", f"{USERS}/{made(ask)['id']}/api-keys/{key['id']}"), 404, "NOT_FOUND")
    reply = ask("DELETE", f"{path}/{key['id']}")
    assert (reply.status, reply.body) == (204, b"")
    refused(ask("DELETE", f"{path}/{key['id']}"), 404, "NOT_FOUND")
    keys = {record["id"]: record for record in ask("GET", path).data}
    assert set(keys) == {key["id"], other["id"]}
    revoked = keys[key["id"]]
    assert revoked["isActive"] is False
    assert revoked["revokedAt"] == revoked["updatedAt"] == tilth.now()
    assert keys[other["id"]]["isActive"] is True and keys[other["id"]]["revokedAt"] is None


def test_operators_may_mint_for_any_plan_and_as_many_as_they_like(ask):
    user = made(ask, plan="expired")
    assert len({minted(ask, user)["id"] for _ in range(12)}) == 12


def test_the_status_names_the_log_and_every_projection(tilth, ask, user):
    user.farm()
    status = ask("GET", "/operator/v1/status").data
    assert set(status) == {"node", "version", "roles", "log", "projections", "nodes", "ready", "waitsFor"}
    assert status["waitsFor"] is None
    assert status["log"]["kind"] == ("kafka" if BROKERS else "embedded")
    if BROKERS:
        assert (status["log"]["topic"], status["log"]["otherNodes"]) == (tilth.topic, False)
        assert ",".join(status["log"]["brokers"]) == BROKERS
    assert len(status["log"]["partitions"]) == (12 if BROKERS else 1)
    assert all(set(row) == {"partition", "first", "end"} for row in status["log"]["partitions"])
    assert sum(row["end"] - row["first"] for row in status["log"]["partitions"]) == len(tilth.events())
    assert status["projections"]
    for row in status["projections"]:
        assert {"name", "generation", "state", "reason", "positions", "lagEvents", "lagSeconds",
                "eventsPerSecond", "etaSeconds"} <= set(row)
        assert (row["state"], row["lagEvents"], row["lagSeconds"], row["etaSeconds"]) == ("running", 0, 0, None)
        assert row["eventsPerSecond"] > 0


def test_a_node_that_is_alone_tells_of_itself(tilth, ask):
    node, = ask("GET", "/operator/v1/nodes").data
    status = ask("GET", "/operator/v1/status").data
    assert (node["node"], node["version"], node["roles"]) == (status["node"], status["version"], status["roles"])
    assert (node["self"], node["state"], node["ready"], node["lagEvents"]) == (True, "live", True, 0)
    assert (node["address"], node["operatorAddress"]) == (tilth.address, tilth.operator_address)
    assert [(each["partition"], each["next"]) for each in node["partitions"]] == [
        (each["partition"], each["end"]) for each in status["log"]["partitions"]]
    assert node["warnings"] == [] and node["startedAt"] <= node["heardAt"] == tilth.now()


def test_a_node_with_a_paused_projection_is_not_listed_as_ready(ask):
    ask("POST", "/operator/v1/projections/market/pause", {})
    try:
        node, = ask("GET", "/operator/v1/nodes").data
        assert ask("GET", "/readyz").status == 503
    finally:
        ask("POST", "/operator/v1/projections/market/resume", {})
    assert (node["ready"], node["stopped"], node["state"]) == (False, ["market"], "live")
    assert node["warnings"] == ["It is not ready: of its projections, these do not go on: market."]
    node, = ask("GET", "/operator/v1/nodes").data
    assert (node["ready"], node["stopped"], node["warnings"]) == (True, [], [])


def test_it_says_where_it_listens(tilth, ask):
    assert ask("GET", "/operator/v1/addresses").data == {"listen": tilth.address,
                                                         "operatorListen": tilth.operator_address}


def test_the_clock_moves_forward_only(tilth, ask):
    clock = "/operator/v1/clock"
    tilth.set_clock("2027-01-31T12:00:00Z")
    assert tilth.now() == "2027-01-31T12:00:00.000Z"
    for duration, expected in [("PT24H", "2027-02-01T12:00:00.000Z"), ("P30D", "2027-03-03T12:00:00.000Z"),
                               ("P28DT1M30S", "2027-03-31T12:01:30.000Z"), ("P1M", "2027-04-30T12:01:30.000Z")]:
        reply = ask("POST", clock, {"advance": duration})
        assert (reply.status, reply.data) == (200, {"now": expected})
    refused(ask("POST", clock, {"now": "2027-01-01T00:00:00Z"}), 409, "CONFLICT")
    for wrong, member in [({}, "now"), ({"advance": "PT1H", "now": "2028-01-01T00:00:00Z"}, "now"),
                          ({"advance": "an hour"}, "advance"), ({"advance": "-PT1H"}, "advance"), ({"now": "later"}, "now"),
                          ({"advance": 5}, "advance"), ({"advance": "P8000Y"}, "advance")]:
        invalid(ask("POST", clock, wrong), member)
    assert tilth.now() == "2027-04-30T12:01:30.000Z"


def test_bodies_are_checked_as_in_v1(ask):
    invalid(ask("POST", USERS, b"{"), "body")
    refused(ask("POST", USERS, "{}", {"Content-Type": "text/plain"}), 415, "UNSUPPORTED_MEDIA_TYPE")
    assert ask("POST", USERS, {"email": email(), "plan": "seed", "pad": "x" * (2 << 20)}).status == 201
    assert uuid.UUID(ask("GET", USERS).header("X-Request-Id"))
