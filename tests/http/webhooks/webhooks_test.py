"""The resource: its members, limits and secrets, and where it may not lead."""
import base64
import contextlib
import socket
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from receiver import Receiver, eventually
from service import Service, refused

CONFIG = """
[webhooks]
allow_http = true
"""

URL = "https://farm.example/hooks/tilth"
QUIET = {"url": URL, "types": ["nothing"]}  # nothing is ever sent


def test_a_webhook_has_these_members_and_shows_its_secret_once(user):
    reply = user.post("/webhooks", {"url": URL})
    assert reply.status == 201, reply
    made = reply.data
    secret = made.pop("secret")
    assert secret.startswith("whsec_") and len(base64.b64decode(secret[6:], validate=True)) == 32
    assert made == {"id": made["id"], "url": URL, "description": None, "types": ["*"], "isActive": True,
                    "disabledReason": None, "lastSuccessAt": None, "lastFailureAt": None,
                    "createdAt": made["createdAt"], "updatedAt": made["createdAt"]}
    assert reply.header("Location") == f"/api/v1/webhooks/{made['id']}"
    shown = user.get(f"/webhooks/{made['id']}")
    assert shown.data == made and shown.header("ETag") == reply.header("ETag")
    assert user.get("/webhooks").json["data"] == [made]
    assert secret[6:].encode() not in user.get("/events").body


def test_a_repeated_creation_answers_the_same_secret(user):
    headers = {"Idempotency-Key": str(uuid.uuid4())}
    first, second = (user.post("/webhooks", QUIET, headers) for _ in range(2))
    assert first.status == 201 and second.body == first.body
    assert second.header("Idempotent-Replayed") == "true"


def test_secrets_differ(user):
    one, two = (user.made("/webhooks", QUIET) for _ in range(2))
    assert one["secret"] != two["secret"]


@pytest.mark.parametrize("body, paths", [
    ({}, "url"),
    ({"url": "ftp://farm.example/"}, "url"),
    ({"url": "farm.example"}, "url"),
    ({"url": "https://"}, "url"),
    ({"url": "https://farmer:secret@farm.example/"}, "url"),
    ({"url": "https://farmer@farm.example/"}, "url"),
    ({"url": "https://farm.example:0/"}, "url"),
    ({"url": "https://farm.example:65536/"}, "url"),
    ({"url": "https://farm.example:x/"}, "url"),
    ({"url": "https://127%2e0.0.1/"}, "url"),
    ({"url": URL + "x" * 2_048}, "url"),
    ({"url": URL, "types": []}, "types"),
    ({"url": URL, "types": ["*"] * 51}, "types"),
    ({"url": URL, "types": ["ok", "", "with blank"]}, "types.1 types.2"),
    ({"url": URL, "types": "*"}, "types"),
    ({"url": URL, "description": "x" * 201}, "description"),
    ({"url": URL, "isActive": "yes"}, "isActive"),
])
def test_what_is_not_valid_is_refused_and_named(user, body, paths):
    assert refused(user.post("/webhooks", body), 400, "VALIDATION_ERROR", *paths.split())


# Each is refused for the reason that the documentation gives.
PRIVATE = ["169.254.169.254", "[::1]", "0.0.0.0", "2130706433", "0177.0.0.1", "0x7f.1", "127.1", "127.0.0.1.",
           "localhost", "LOCALHOST.", "a.localhost", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1",
           "168.63.129.16", "192.0.0.192", "198.18.0.1", "224.0.0.1", "255.255.255.255", "[::]", "[::127.0.0.1]",
           "[::ffff:127.0.0.1]", "[::ffff:a9fe:a9fe]", "[64:ff9b::7f00:1]", "[64:ff9b::a9fe:a9fe]",
           "[64:ff9b:1::1]", "[2002:7f00:1::]", "[2001:0:1::1]", "[fe80::1]", "[fd00:ec2::254]", "[fc00::1]",
           "[ff02::1]", "[2001:db8::1]"]


@pytest.mark.parametrize("host", PRIVATE)
def test_an_address_that_is_not_public_is_refused(user, host):
    for url in (f"https://{host}/", f"http://{host}:8080/latest/meta-data"):
        assert refused(user.post("/webhooks", {"url": url}), 400, "VALIDATION_ERROR", "url")
    webhook = user.made("/webhooks", QUIET)
    changed = user.put(f"/webhooks/{webhook['id']}", {"url": f"https://{host}/"})
    assert refused(changed, 400, "VALIDATION_ERROR", "url")


@pytest.mark.parametrize("host", ["bücher.example", "１２７.0.0.1"])
def test_a_host_must_be_named_as_the_network_knows_it(user, host):
    reply = user.post("/webhooks", {"url": f"https://{host}/"})
    assert refused(reply, 400, "VALIDATION_ERROR", "url")
    assert "xn--" in reply.details["url"][0]
    user.made("/webhooks", {"url": "https://xn--bcher-kva.example/bücher?ort=Köln"})


@pytest.mark.parametrize("body", ["{bad", "[]", '"x"', b"{\xff}"])
def test_what_is_sent_with_a_deed_that_takes_nothing_must_be_an_object(user, body):
    webhook = user.made("/webhooks", QUIET)
    path = f"/webhooks/{webhook['id']}"
    before = user.get(path).data
    for deed in ("rotate", "test", f"deliveries/{webhook['id']}/resend"):
        assert refused(user.post(f"{path}/{deed}", body), 400, "VALIDATION_ERROR", "body")
    assert user.get(path).data == before
    for fine in (None, {}, {"a": 1}):
        assert user.post(f"{path}/rotate", fine).status == 200


def test_http_needs_leave(tilth, tmp_path_factory):
    strict = Service(tmp_path_factory.mktemp("strict")).start()
    try:
        assert refused(strict.user().post("/webhooks", {"url": "http://farm.example/"}), 400, "VALIDATION_ERROR",
                       "url")
    finally:
        strict.kill()


def test_an_owner_has_twenty_at_most(user):
    webhooks = [user.made("/webhooks", QUIET) for _ in range(20)]
    assert refused(user.post("/webhooks", QUIET), 409, "CONFLICT")
    assert user.delete(f"/webhooks/{webhooks[0]['id']}").status == 204
    assert user.get(f"/webhooks/{webhooks[0]['id']}").status == 404
    user.made("/webhooks", QUIET)


def test_a_webhook_is_changed(user):
    made = user.made("/webhooks", QUIET)
    del made["secret"]
    path = f"/webhooks/{made['id']}"
    before = user.get(path).header("ETag")
    reply = user.put(path, {"description": "Ledger", "types": ["nothing", "at all"[:2]], "isActive": False})
    assert reply.data == {**made, "description": "Ledger", "types": ["nothing", "at"], "isActive": False,
                          "updatedAt": reply.data["updatedAt"]}
    assert user.get(path).data == reply.data and user.get(path).header("ETag") == reply.header("ETag")
    assert refused(user.put(path, {"description": None}, {"If-Match": before}), 412, "PRECONDITION_FAILED")
    assert refused(user.delete(path, {"If-Match": before}), 412, "PRECONDITION_FAILED")
    assert refused(user.put(path, {"url": None}), 400, "VALIDATION_ERROR", "url")
    assert user.put(path, {"description": None}).data["description"] is None
    assert user.put(path, {}).status == 200
    assert user.delete(path, {"If-Match": user.get(path).header("ETag")}).status == 204


def test_another_owners_webhook_is_not_found(tilth, user):
    made, other = user.made("/webhooks", QUIET), tilth.user()
    path = f"/webhooks/{made['id']}"
    for method, at, body in [("GET", path, None), ("PUT", path, {}), ("DELETE", path, None),
                             ("POST", path + "/rotate", {}), ("POST", path + "/test", {}),
                             ("GET", path + "/deliveries", None),
                             ("POST", path + f"/deliveries/{made['id']}/resend", {}),
                             ("POST", path + "/replay", {"since": "2026-01-01"})]:
        assert refused(other.send(method, "/api/v1" + at, body), 404, "NOT_FOUND"), at
        assert refused(user.send(method, "/api/v1" + at.replace(made["id"], "x", 1), body), 400, "INVALID_ID"), at


def test_a_test_is_of_the_webhook_as_it_is_after_a_position(user):
    reply = user.post("/webhooks", {"url": "https://farm.invalid/"})
    path = f"/webhooks/{reply.data['id']}/test"
    tested = user.post(path, None, {"Tilth-Min-Position": reply.header("Tilth-Position")})
    assert tested.status == 200 and tested.data["status"] is None and tested.data["error"], tested
    wrong = {"Tilth-Min-Position": "x", "Idempotency-Key": "x"}
    refused(user.post(path, None, wrong), 400, "VALIDATION_ERROR", "Tilth-Min-Position")
    del wrong["Tilth-Min-Position"]
    refused(user.post(path, None, wrong), 400, "VALIDATION_ERROR", "Idempotency-Key")


def test_its_scopes_are_needed(user):
    made = user.made("/webhooks", QUIET)
    reader, writer = (user.with_key(scopes=[f"webhooks:{what}"]) for what in ("read", "write"))
    path = f"/webhooks/{made['id']}"
    assert reader.get(path).status == 200 and refused(writer.get(path), 403, "INSUFFICIENT_SCOPE")
    assert refused(reader.put(path, {}), 403, "INSUFFICIENT_SCOPE") and writer.put(path, {}).status == 200
    assert refused(reader.post(path + "/rotate"), 403, "INSUFFICIENT_SCOPE")
    assert refused(user.with_key(scopes=["events:read"]).get(path), 403, "INSUFFICIENT_SCOPE")


def test_a_name_that_leads_to_this_machine_is_refused_when_it_is_connected_to(user):
    name = socket.gethostname()
    try:
        socket.getaddrinfo(name, 80)
    except OSError:
        pytest.skip("this machine's name does not resolve")
    with Receiver() as receiver:
        made = user.made("/webhooks", {"url": f"http://{name}:{receiver.port}/", "types": ["tilth.farm.*"]})
        tested = user.post(f"/webhooks/{made['id']}/test")
        assert tested.status == 200, tested
        assert tested.data["status"] is None and tested.data["body"] == ""
        assert "private" in tested.data["error"]
        user.farm()
        path = f"/webhooks/{made['id']}/deliveries"
        failed = eventually(lambda: user.get(path).data)[0]
        assert failed["status"] == "pending" and failed["error"] == tested.data["error"]
        assert not receiver.received


def test_webhooks_are_seen_as_they_were(tilth, user):
    made = user.made("/webhooks", QUIET)
    then = tilth.now()
    tilth.advance("PT1H")
    user.put(f"/webhooks/{made['id']}", {"description": "later"})
    past = user.get(f"/webhooks/{made['id']}", {"Tilth-As-Of": then})
    assert past.data["description"] is None


@contextlib.contextmanager
def hanging_receiver():
    """One that answers when the test has ended."""
    over = threading.Event()
    with Receiver(lambda number, one: over.wait(60) and 204) as receiver:
        try:
            yield receiver
        finally:
            over.set()


@pytest.fixture(scope="module")
def open_service(tmp_path_factory):
    """One whose webhooks may lead to this machine."""
    service = Service(tmp_path_factory.mktemp("open"), config=CONFIG + "allow_private = true\n").start()
    yield service
    service.kill()


def begin_tests(pool, user, receiver, count):
    """Tests that the receiver has got, and that are answered later."""
    path = f"/webhooks/{user.made('/webhooks', {**QUIET, 'url': receiver.url})['id']}/test"
    begun = [pool.submit(user.service.client_of(user).post, path) for _ in range(count)]
    receiver.first(count)
    return path, begun


def test_an_owner_has_four_tests_under_way_and_keeps_no_other_owner_from_testing(open_service):
    user, other = open_service.user(), open_service.user()
    with ThreadPoolExecutor() as pool, hanging_receiver() as hanging, Receiver() as receiver:
        path, begun = begin_tests(pool, user, hanging, 4)
        fifth = user.post(path)
        assert refused(fifth, 503, "SERVICE_UNAVAILABLE") and fifth.header("Retry-After") == "1"
        webhook = other.made("/webhooks", {**QUIET, "url": receiver.url})
        assert other.post(f"/webhooks/{webhook['id']}/test").data["status"] == 204
    assert [one.result().status for one in begun] == [200] * 4


def test_a_test_under_way_is_answered_when_the_service_stops(open_service):
    user = open_service.user()
    with ThreadPoolExecutor() as pool, hanging_receiver() as receiver:
        _, (tested,) = begin_tests(pool, user, receiver, 1)
        open_service.stop()
        assert refused(tested.result(), 503, "SERVICE_UNAVAILABLE")
