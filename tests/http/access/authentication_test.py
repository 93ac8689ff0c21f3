"""Who may call: a key, its form, expiry, revocation, scopes and addresses."""
import pytest

from routes import RESEND, ROUTES, body_for, filled, ids_of
from service import refused

UNKNOWN = "svc_live_" + "0123456789abcdef" * 3


def unauthorized(client, header):
    headers = {} if header is None else {"Authorization": header}
    reply = client.get("/farms", headers)
    assert reply.header("WWW-Authenticate") == "Bearer", reply.headers
    return reply


@pytest.fixture
def stranger(tilth):
    return tilth.stranger()


def test_a_request_without_a_key_is_told_that_it_is_missing(stranger):
    refused(unauthorized(stranger, None), 401, "MISSING_API_KEY")


@pytest.mark.parametrize("header", [
    "", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", UNKNOWN, f"Token {UNKNOWN}", f"Bearer:{UNKNOWN}",
    f"Bearer {UNKNOWN} again", f"Bearer{UNKNOWN}", f"Bearer {UNKNOWN}, Bearer {UNKNOWN}"])
def test_a_header_that_is_not_one_bearer_token_is_told_so(stranger, header):
    refused(unauthorized(stranger, header), 401, "INVALID_AUTH_FORMAT")


@pytest.mark.parametrize("token", [
    "x", "svc_live_", UNKNOWN[:-1], UNKNOWN + "0", UNKNOWN.upper(), UNKNOWN.replace("a", "A"),
    UNKNOWN.replace("live", "prod"), UNKNOWN.replace("svc", "key"), UNKNOWN.replace("f", "g")])
def test_a_token_that_does_not_look_like_a_key_is_told_so(stranger, token):
    refused(unauthorized(stranger, f"Bearer {token}"), 401, "INVALID_API_KEY_FORMAT")


@pytest.mark.parametrize("key", [UNKNOWN, UNKNOWN.replace("live", "test")])
def test_a_key_that_was_never_minted_is_invalid(stranger, key):
    refused(unauthorized(stranger, f"Bearer {key}"), 401, "INVALID_API_KEY")


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER ", "bEaReR    "])
def test_the_scheme_is_read_in_any_case_and_before_any_blanks(user, scheme):
    assert user.get("/farms", {"Authorization": scheme + user.key}).status == 200


def test_a_key_has_the_form_that_its_environment_asks_for(user):
    live, test = user.key, user.with_key(environment="test").key
    assert live.startswith("svc_live_") and test.startswith("svc_test_")
    assert all(len(key) == 57 and set(key[9:]) <= set("0123456789abcdef") for key in (live, test))


def test_another_environment_with_the_same_digits_is_another_key(user, stranger):
    other = user.key.replace("svc_live_", "svc_test_")
    refused(unauthorized(stranger, f"Bearer {other}"), 401, "INVALID_API_KEY")


def revoke(user):
    user.service.operate("DELETE", f"/operator/v1/users/{user.id}/api-keys/{user.key_id}", None, 204)


def test_a_revoked_key_stops_at_once_and_takes_no_other_with_it(user):
    second = user.with_key()
    assert second.get("/farms").status == 200
    revoke(second)
    refused(unauthorized(second, second.authorization), 401, "INVALID_API_KEY")
    assert user.get("/farms").status == 200


def test_a_key_expires_at_the_very_instant_that_was_said(tilth):
    tilth.set_clock("2026-03-02T00:00:00Z")
    user = tilth.user(expiresAt="2026-03-02T01:00:00Z")
    tilth.set_clock("2026-03-02T00:59:59.999Z")
    assert user.get("/farms").status == 200
    tilth.set_clock("2026-03-02T01:00:00Z")
    refused(unauthorized(user, user.authorization), 401, "EXPIRED_API_KEY")
    revoke(user)
    refused(unauthorized(user, user.authorization), 401, "INVALID_API_KEY")


@pytest.fixture(scope="module")
def owner(tilth):
    user = tilth.user()
    return user, user.land()


SCOPES = [f"{family}:{right}" for family in ("farms", "crops", "fields", "tasks", "library", "market",
                                            "finance", "webhooks") for right in ("read", "write")]
SCOPES += ["analytics:read", "billing:read", "events:read"]


@pytest.mark.parametrize("method,path,scope", ROUTES)
def test_every_route_asks_for_its_own_scope_and_no_other(owner, method, path, scope):
    user, land = owner
    ids = ids_of(land, path)
    target = filled(path, ids)
    without = user.with_key(scopes=[other for other in SCOPES if other != scope])
    body = body_for(method, path, ids)
    reply = without.send(method, "/api/v1" + target, body)
    refused(reply, 403, "INSUFFICIENT_SCOPE")
    assert reply.details["requiredScope"] == scope
    # A precondition that cannot hold keeps the authorised request from changing the record.
    guard = {"If-Match": '"never"'} if method in ("PUT", "DELETE") else {}
    reply = user.with_key(scopes=[scope]).send(method, "/api/v1" + target, body, guard)
    # Faults of the body or the query are reported only after the scope is checked.
    expected = (404,) if (method, path) == ("POST", RESEND[0]) else (200, 201, 202, 400, 409)
    assert reply.status in ((412,) if guard else expected), reply


def test_head_asks_for_the_scope_of_get(user):
    assert user.with_key(scopes=["farms:write"]).send("HEAD", "/api/v1/farms").status == 403
    assert user.with_key(scopes=["farms:read"]).send("HEAD", "/api/v1/farms").status == 200


@pytest.mark.parametrize("allowed", [
    ["127.0.0.1"], ["127.0.0.0/8"], ["0.0.0.0/0"], ["10.0.0.0/8", "127.0.0.1/32"], ["::1", "127.0.0.1"]])
def test_a_key_works_from_the_addresses_it_allows(user, allowed):
    assert user.with_key(allowedIps=allowed).get("/farms").status == 200


@pytest.mark.parametrize("allowed", [["10.0.0.0/8"], ["127.0.0.2"], ["127.0.0.2/31"], ["::1"], ["::/0"]])
def test_a_key_is_refused_from_any_other_address(user, allowed):
    refused(user.with_key(allowedIps=allowed).get("/farms"), 403, "IP_NOT_ALLOWED")


def test_the_address_is_the_connection_s_own(tilth, user):
    bound = user.with_key(allowedIps=["127.7.7.7"])
    refused(bound.get("/farms"), 403, "IP_NOT_ALLOWED")
    refused(bound.get("/farms", {"X-Forwarded-For": "127.7.7.7"}), 403, "IP_NOT_ALLOWED")
    bound.close()
    bound.source = "127.7.7.7"
    assert bound.get("/farms").status == 200


def test_a_key_of_one_user_sees_nothing_of_another(tilth, user):
    user.farm()
    other = tilth.user()
    assert other.listed("/farms") == []


def test_a_restart_forgets_no_key_and_no_revocation(tilth):
    user = tilth.user()
    gone = user.with_key()
    revoke(gone)
    user.close()
    gone.close()
    tilth.restart()
    back = tilth.stranger()
    assert back.get("/farms", {"Authorization": user.authorization}).status == 200
    refused(unauthorized(back, gone.authorization), 401, "INVALID_API_KEY")
