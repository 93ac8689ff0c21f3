"""A user's own API keys, minted and revoked in the dashboard."""
import pytest

from client import Client
from person import Person
from service import invalid, refused

pytestmark = pytest.mark.embedded_log

CONFIG = """
[limits]
unauthenticated_per_minute = 100000
"""

RECORD = {"id", "name", "environment", "scopes", "rateLimit", "metadata", "keyPreview", "usageCount", "lastUsedAt",
          "expiresAt", "revokedAt", "revokedFrom", "isActive", "userId", "allowedIps", "createdAt", "updatedAt"}


@pytest.fixture
def person(tilth):
    return Person(tilth).signed_in()


def keys(person):
    reply = person.ask("GET", "/api/api-keys")
    assert reply.status == 200 and set(reply.json) == {"data"}, reply
    return reply.data


def works(tilth, key):
    return Client(tilth.address, f"Bearer {key['key']}").get("/farms").status == 200


def test_a_key_is_shown_once_and_works_at_once(tilth, person):
    key = person.mint(name="Robot", scopes=["farms:read"], environment="test", rateLimit=7, metadata={"a": [1]},
                      expiresAt="2030-01-01", allowedIps=["127.0.0.0/8"])
    assert set(key) == RECORD | {"key"}
    assert key["key"].startswith("svc_test_") and key["keyPreview"] == f"{key['key'][:12]}...{key['key'][-4:]}"
    assert (key["userId"], key["isActive"], key["usageCount"], key["lastUsedAt"]) == (person.id, True, 0, None)
    assert works(tilth, key)
    shown, = keys(person)
    assert set(shown) == RECORD
    assert shown["usageCount"] == 1 and shown["lastUsedAt"] is not None
    assert {name: shown[name] for name in RECORD - {"usageCount", "lastUsedAt"}} == {
        name: key[name] for name in RECORD - {"usageCount", "lastUsedAt"}}


def test_anyone_who_minted_or_revoked_a_key_is_told_where_that_stands(tilth, person):
    minted = person.ask("POST", "/api/api-keys", {"name": "k", "scopes": ["farms:read"]})
    client = Client(tilth.address, f"Bearer {minted.data['key']}")
    assert client.get("/farms", {"Tilth-Min-Position": minted.header("Tilth-Position")}).status == 200
    revoked = person.ask("DELETE", f"/api/api-keys/{minted.data['id']}")
    assert revoked.status == 200 and revoked.header("Tilth-Position") not in (None, minted.header("Tilth-Position"))


def test_a_bare_key_has_the_defaults(person):
    key = person.mint()
    assert (key["environment"], key["rateLimit"], key["metadata"], key["expiresAt"], key["allowedIps"]) == (
        "live", None, {}, None, None)


def test_the_newest_key_comes_first_and_others_see_none_of_it(tilth, person):
    made = []
    for number in range(8):  # four of each instant
        if number == 4:
            tilth.advance("PT1S")
        made.insert(0, person.mint(name=f"k{number}")["id"])
    assert [key["id"] for key in keys(person)] == made
    listed = tilth.operate("GET", f"/operator/v1/users/{person.id}/api-keys")
    assert [key["id"] for key in listed.data] == made
    assert keys(Person(tilth).signed_in()) == []


def test_a_revoked_key_is_refused_from_then_on_and_listed_no_more(tilth, person):
    key, kept = person.mint(), person.mint()
    reply = person.ask("DELETE", f"/api/api-keys/{key['id']}")
    assert reply.status == 200 and reply.json["success"] is True and isinstance(reply.json["message"], str)
    refused(Client(tilth.address, f"Bearer {key['key']}").get("/farms"), 401, "INVALID_API_KEY")
    assert [each["id"] for each in keys(person)] == [kept["id"]]
    assert works(tilth, kept)
    refused(person.ask("DELETE", f"/api/api-keys/{key['id']}"), 404, "NOT_FOUND")


def test_a_revocation_tells_who_did_it_when_and_from_where(tilth, person):
    key = person.mint()
    person.ask("DELETE", f"/api/api-keys/{key['id']}", headers={"X-Request-Id": "why not"})
    event = tilth.events(type="tilth.api_key.revoked")[-1]
    assert (event["actor"], event["correlationid"]) == (person.id, "why not")
    assert event["data"] == {"keyId": key["id"], "userId": person.id, "revokedAt": event["time"],
                             "revokedFrom": person.source}


def test_what_an_operator_revokes_has_no_address(tilth, person):
    key = person.mint()
    tilth.operate("DELETE", f"/operator/v1/users/{person.id}/api-keys/{key['id']}", status=204)
    event = tilth.events(type="tilth.api_key.revoked")[-1]
    assert (event["actor"], event["data"]["revokedFrom"]) == ("operator", None)


def test_revoked_keys_are_listed_on_request_with_who_ended_them(tilth, person):
    kept, mine, theirs = person.mint(name="kept"), person.mint(name="mine"), person.mint(name="theirs")
    person.ask("DELETE", f"/api/api-keys/{mine['id']}")
    tilth.operate("DELETE", f"/operator/v1/users/{person.id}/api-keys/{theirs['id']}", status=204)
    assert [key["name"] for key in person.ask("GET", "/api/api-keys").data] == ["kept"]
    assert [key["name"] for key in person.ask("GET", "/api/api-keys?revoked=false").data] == [kept["name"]]
    revoked = {key["name"]: key for key in person.ask("GET", "/api/api-keys?revoked=true").data}
    assert {name: key["revokedFrom"] for name, key in revoked.items()} == {"mine": person.source, "theirs": None}
    assert all(key["revokedAt"] and not key["isActive"] and "key" not in key for key in revoked.values())
    invalid(person.ask("GET", "/api/api-keys?revoked=perhaps"), "revoked")


@pytest.mark.parametrize("key", ["key_V1StGXR8_Z5jdHi6B-myT", "x", "%00", "key_"])
def test_what_is_no_key_of_ones_own_is_not_found(tilth, person, key):
    refused(person.ask("DELETE", f"/api/api-keys/{key}"), 404, "NOT_FOUND")


def test_a_key_of_somebody_else_is_not_found(tilth, person):
    key = Person(tilth).signed_in().mint()
    refused(person.ask("DELETE", f"/api/api-keys/{key['id']}"), 404, "NOT_FOUND")
    assert works(tilth, key)


@pytest.mark.parametrize("plan", ["expired", "seed", "sprout", "trial", "harvest", "grove"])
def test_only_a_plan_that_has_keys_mints_them_whatever_the_body(tilth, plan):
    person = Person(tilth, plan).signed_in()
    for body in ({"name": "k", "scopes": ["all"]}, {}, "no json"):
        refused(person.ask("POST", "/api/api-keys", body), 403, "TIER_INSUFFICIENT")
    assert keys(person) == []


@pytest.mark.parametrize("members,faults", [
    ({"name": None}, ["name"]), ({"name": ""}, ["name"]), ({"name": "x" * 101}, ["name"]),
    ({"environment": "prod"}, ["environment"]), ({"scopes": []}, ["scopes"]), ({"scopes": "all"}, ["scopes"]),
    ({"scopes": ["all", "farms:rea"]}, ["scopes.1"]), ({"scopes": ["all", "all"]}, ["scopes.1"]),
    ({"rateLimit": 0}, ["rateLimit"]), ({"rateLimit": 100001}, ["rateLimit"]), ({"metadata": []}, ["metadata"]),
    ({"metadata": {"a": "x" * 8190}}, ["metadata"]), ({"expiresAt": "2026-03-01T06:30:00Z"}, ["expiresAt"]),
    ({"expiresAt": "2026-03-01T06:30:00Z", "rateLimit": 0, "name": ""}, ["expiresAt", "rateLimit", "name"]),
    ({"expiresAt": "soon"}, ["expiresAt"]), ({"allowedIps": []}, ["allowedIps"]),
    ({"allowedIps": ["10.0.0.0/33"]}, ["allowedIps.0"]), ({"allowedIps": ["10.0.0.1"] * 101}, ["allowedIps"]),
    ({"name": 5, "scopes": ["x"], "rateLimit": -1}, ["name", "scopes.0", "rateLimit"])])
def test_what_is_wrong_with_a_new_key_is_named(person, members, faults):
    body = {"name": "k", "scopes": ["all"], **members}
    body = {name: value for name, value in body.items() if value is not None}
    invalid(person.ask("POST", "/api/api-keys", body), *faults)
    assert keys(person) == []


def test_a_time_that_is_none_is_not_called_past_too(person):
    refusal = person.ask("POST", "/api/api-keys", {"name": "k", "scopes": ["all"], "expiresAt": "soon"})
    assert refusal.details == {"expiresAt": ["must be an ISO 8601 datetime with Z or an offset, or a date"]}


def test_ten_keys_work_at_a_time(tilth, person):
    made = [person.mint() for _ in range(10)]
    refused(person.mint(409), 409, "KEY_LIMIT_EXCEEDED")
    invalid(person.ask("POST", "/api/api-keys", {}), "name", "scopes")
    assert person.ask("DELETE", f"/api/api-keys/{made[0]['id']}").status == 200
    person.mint()
    refused(person.mint(409), 409, "KEY_LIMIT_EXCEEDED")
    operator = tilth.operate("POST", f"/operator/v1/users/{person.id}/api-keys", {"name": "k", "scopes": ["all"]}, 201)
    assert operator.data["isActive"]


def test_a_key_that_has_expired_makes_room(tilth, person):
    for _ in range(9):
        person.mint()
    tilth.advance("PT1H")
    person.mint(expiresAt=tilth.now()[:11] + "23:59:59.999Z")
    refused(person.mint(409), 409, "KEY_LIMIT_EXCEEDED")
    tilth.advance("P1D")
    person.signed_in()
    person.mint()
    assert len(keys(person)) == 11


def test_a_hundred_keys_that_have_expired_must_be_revoked_first(tilth, person):
    soon = tilth.now()[:11] + "23:59:59.999Z"
    for _ in range(100):
        tilth.operate("POST", f"/operator/v1/users/{person.id}/api-keys",
                      {"name": "k", "scopes": ["all"], "expiresAt": soon}, 201)
    tilth.advance("P1D")
    person.signed_in()
    refused(person.mint(409), 409, "KEY_LIMIT_EXCEEDED")
    assert person.ask("DELETE", f"/api/api-keys/{keys(person)[0]['id']}").status == 200
    person.mint()
    refused(person.mint(409), 409, "KEY_LIMIT_EXCEEDED")


def test_answers_with_a_key_are_in_no_cache(person):
    assert person.ask("POST", "/api/api-keys", {"name": "k", "scopes": ["all"]}).header("Cache-Control") == "no-store"
