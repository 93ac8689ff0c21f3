"""Signing in with a password: sessions, their cookies, the login throttle, and what other sites may not do."""
import collections
import http.client
import uuid

import pytest

from client import Client, encoded
from person import COOKIE, Person, cookie_of, set_cookie
from routes import ROUTES, filled
from service import Service, invalid, refused

pytestmark = pytest.mark.embedded_log

CONFIG = """
[limits]
unauthenticated_per_minute = 100000

[http]
trusted_proxies = ["127.0.0.1/32"]
"""


@pytest.fixture
def person(tilth):
    return Person(tilth)


def test_signing_in_answers_who_one_is_and_so_does_me(person):
    reply = person.try_to_sign_in()
    shown = {name: person.user[name] for name in ("id", "email", "name", "plan")}
    assert (reply.status, reply.json) == (200, {"user": shown})
    person.cookie = cookie_of(reply)
    assert person.ask("GET", "/api/me").json == {"user": shown}


def test_the_email_is_taken_in_any_case(person):
    assert person.try_to_sign_in(email=person.email.upper()).status == 200


def test_the_cookie_is_for_this_site_alone_and_no_script_reads_it(person):
    value, attributes = set_cookie(person.try_to_sign_in())
    assert attributes == {"path=/", "httponly", "samesite=lax", "max-age=43200"}
    behind = {"X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "http, https"}
    person.source = "127.0.0.1"
    person.close()
    assert "secure" in set_cookie(person.try_to_sign_in(headers=behind))[1]


def test_every_sign_in_is_a_session_of_its_own(person):
    values = {cookie_of(person.try_to_sign_in()) for _ in range(3)}
    assert len(values) == 3
    for person.cookie in values:
        assert person.ask("GET", "/api/me").status == 200


def test_a_session_that_a_stranger_chose_is_not_taken_up(person):
    person.cookie = "a" * 64
    reply = person.ask("POST", "/api/auth/sign-in", {"email": person.email, "password": person.password})
    assert cookie_of(reply) != person.cookie
    refused(person.ask("GET", "/api/me"), 401, "UNAUTHENTICATED")


def test_signing_out_ends_the_session_for_good(person):
    person.signed_in()
    reply = person.ask("POST", "/api/auth/sign-out")
    assert reply.status == 204 and reply.body == b""
    value, attributes = set_cookie(reply)
    assert value == "" and "max-age=0" in attributes
    refused(person.ask("GET", "/api/me"), 401, "UNAUTHENTICATED")
    assert person.ask("POST", "/api/auth/sign-out").status == 204
    assert Person(person.service).ask("POST", "/api/auth/sign-out").status == 204


def test_a_page_signs_out_the_user_whom_it_shows_alone(person):
    person.signed_in()
    other = Person(person.service)
    reply = person.ask("POST", "/api/auth/sign-out", headers={"Tilth-User": other.id})
    refused(reply, 401, "UNAUTHENTICATED")
    assert reply.header("Set-Cookie") is None
    assert person.ask("GET", "/api/me").status == 200
    assert person.ask("POST", "/api/auth/sign-out", headers={"Tilth-User": person.id}).status == 204
    refused(person.ask("GET", "/api/me"), 401, "UNAUTHENTICATED")
    assert person.ask("POST", "/api/auth/sign-out", headers={"Tilth-User": other.id}).status == 204


def test_a_wrong_password_and_an_unknown_email_are_answered_alike(person):
    wrong, unknown = person.try_to_sign_in("wrong password"), person.try_to_sign_in(email="no@example.com")
    refused(wrong, 401, "INVALID_CREDENTIALS")
    assert (unknown.status, unknown.json) == (wrong.status, wrong.json)
    assert wrong.header("Set-Cookie") is None


@pytest.mark.parametrize("password", ["", "x", "seven77", "x" * 201, "x" * 100_000])
def test_a_wrong_password_of_any_length_is_wrong(person, password):
    reply = person.send("POST", "/api/auth/sign-in", {"email": person.email, "password": password})
    refused(reply, 401, "INVALID_CREDENTIALS")


def test_who_has_no_password_cannot_sign_in_with_one(tilth, person):
    user = tilth.operate("POST", "/operator/v1/users", {"email": "bare@example.com", "plan": "seed"}, 201).data
    refused(person.try_to_sign_in(email=user["email"]), 401, "INVALID_CREDENTIALS")


@pytest.mark.parametrize("body,members", [
    ({}, ["email", "password"]), ({"email": "a@b.c"}, ["password"]), ({"email": 5, "password": []}, ["email", "password"])])
def test_what_is_no_email_or_no_password_is_named(person, body, members):
    invalid(person.send("POST", "/api/auth/sign-in", body), *members)


def test_a_body_that_is_no_json_is_refused(person):
    refused(person.send("POST", "/api/auth/sign-in", "a=b", {"Content-Type": "application/x-www-form-urlencoded"}),
            415, "UNSUPPORTED_MEDIA_TYPE")
    invalid(person.send("POST", "/api/auth/sign-in", "a=b"), "body")


def test_after_ten_failures_for_one_email_even_the_right_password_is_refused(tilth, person):
    for _ in range(10):
        refused(person.try_to_sign_in("wrong password"), 401, "INVALID_CREDENTIALS")
    elsewhere = Person(tilth)
    reply = elsewhere.try_to_sign_in(person.password, person.email)
    refused(reply, 429, "RATE_LIMIT_EXCEEDED")
    assert 0 < int(reply.header("Retry-After")) <= 900
    assert reply.header("X-RateLimit-Limit") == "100000"
    assert elsewhere.try_to_sign_in().status == 200
    tilth.advance("PT15M")
    assert person.try_to_sign_in().status == 200


def test_a_restart_forgets_no_failures(tmp_path):
    service = Service(tmp_path)
    try:
        person = Person(service.start())
        for _ in range(9):
            refused(person.try_to_sign_in("wrong password"), 401, "INVALID_CREDENTIALS")
        service.restart()
        person.move_to(service.address)
        refused(person.try_to_sign_in("wrong password"), 401, "INVALID_CREDENTIALS")
        service.restart()
        person.move_to(service.address)
        refused(person.try_to_sign_in(), 429, "RATE_LIMIT_EXCEEDED")
        elsewhere = Person(service)
        refused(elsewhere.try_to_sign_in(person.password, person.email), 429, "RATE_LIMIT_EXCEEDED")
        refused(person.try_to_sign_in(elsewhere.password, elsewhere.email), 429, "RATE_LIMIT_EXCEEDED")
        assert elsewhere.try_to_sign_in().status == 200
        assert not any(person.email.encode() in file.read_bytes()
                       for file in (service.data / "usage").iterdir() if file.is_file())
        service.advance("PT15M")
        service.restart()
        person.move_to(service.address)
        assert person.try_to_sign_in().status == 200
        service.stop()
    finally:
        service.kill()


def test_after_ten_failures_from_one_address_no_one_signs_in_from_there(tilth, person):
    for number in range(10):
        refused(person.try_to_sign_in(email=f"nobody{number}@example.com"), 401, "INVALID_CREDENTIALS")
    refused(person.try_to_sign_in(), 429, "RATE_LIMIT_EXCEEDED")
    assert Person(tilth).try_to_sign_in(person.password, person.email).status == 200


def known_cookie(reply):
    """The value of the cookie by which a browser is recognised, and its attributes."""
    lines = [value for name, value in reply.headers if name.lower() == "set-cookie"]
    value, *attributes = next(line for line in lines if line.startswith("tilth_known=")).split("; ")
    return value, {attribute.lower() for attribute in attributes}


def fails(person, times, email=None, headers=()):
    for _ in range(times):
        refused(person.try_to_sign_in("wrong password", email, headers), 401, "INVALID_CREDENTIALS")


def test_a_browser_in_which_one_has_signed_in_is_recognised_for_a_year(person):
    value, attributes = known_cookie(person.try_to_sign_in())
    assert attributes == {"path=/", "httponly", "samesite=lax", "max-age=31536000"}
    assert person.id not in value and person.email not in value
    again = known_cookie(person.try_to_sign_in(headers={"Cookie": value}))[0]
    assert again.split(".")[1] == value.split(".")[1], "it keeps its name"
    assert known_cookie(person.try_to_sign_in())[0].split(".")[1] != value.split(".")[1], "another one has another"


def test_strangers_lock_no_one_out_of_a_browser_they_have_signed_in_with(tilth, person):
    known = {"Cookie": known_cookie(person.try_to_sign_in())[0]}
    fails(Person(tilth), 10, person.email)  # for the email
    fails(person, 10, "nobody@example.com")  # for the address
    refused(person.try_to_sign_in(), 429, "RATE_LIMIT_EXCEEDED")
    refused(Person(tilth).try_to_sign_in(person.password, person.email), 429, "RATE_LIMIT_EXCEEDED")
    assert person.try_to_sign_in(headers=known).status == 200


def test_a_known_browser_has_ten_failures_of_its_own(tilth, person):
    known = {"Cookie": known_cookie(person.try_to_sign_in())[0]}
    fails(person, 10, headers=known)
    reply = person.try_to_sign_in(headers=known)
    refused(reply, 429, "RATE_LIMIT_EXCEEDED")
    assert 0 < int(reply.header("Retry-After")) <= 900
    assert person.try_to_sign_in().status == 200
    assert Person(tilth).try_to_sign_in(person.password, person.email).status == 200
    tilth.advance("PT15M")
    assert person.try_to_sign_in(headers=known).status == 200


def test_the_cookie_of_one_account_is_of_no_use_for_another(tilth, person):
    other = Person(tilth)
    known = {"Cookie": known_cookie(other.try_to_sign_in())[0]}
    fails(other, 10, person.email, known)
    refused(Person(tilth).try_to_sign_in(person.password, person.email), 429, "RATE_LIMIT_EXCEEDED")


@pytest.mark.parametrize("cookie", ["", "x", ".", "a.b.c", "1.2." + "0" * 64, "9" * 3000])
def test_a_cookie_that_is_not_signed_is_ignored(person, cookie):
    assert person.try_to_sign_in(headers={"Cookie": f"tilth_known={cookie}"}).status == 200


def test_failures_of_one_ipv6_network_count_together(tilth, person):
    person.source = "127.0.0.1"
    person.close()
    for host in range(10):
        headers = {"X-Forwarded-For": f"2001:db8:5:6::{host + 1:x}"}
        refused(person.try_to_sign_in(email="nobody@example.com", headers=headers), 401, "INVALID_CREDENTIALS")
    refused(person.try_to_sign_in(headers={"X-Forwarded-For": "2001:db8:5:6:ffff::"}), 429, "RATE_LIMIT_EXCEEDED")
    assert person.try_to_sign_in(headers={"X-Forwarded-For": "2001:db8:5:7::1"}).status == 200


def answer_of(connection):
    response = http.client.HTTPResponse(connection, method="POST")
    response.begin()
    return response.status


def test_a_flood_of_sign_ins_leaves_places_for_others(tilth, person):
    known = {"Cookie": known_cookie(person.try_to_sign_in())[0]}
    flooders = [Client(tilth.address, source=f"127.7.0.{number}") for number in range(1, 121)]
    for number, flooder in enumerate(flooders):
        body = encoded({"email": f"nobody{number}@example.com", "password": "a wrong password"})
        head = f"POST /api/auth/sign-in HTTP/1.1\r\nHost: {tilth.address}\r\nContent-Length: {len(body)}\r\n\r\n"
        flooder.connection().sendall(head.encode() + body)
    answers = [person.try_to_sign_in(headers=known).status, Person(tilth).try_to_sign_in().status]
    statuses = collections.Counter(answer_of(flooder.socket) for flooder in flooders)
    assert answers == [200, 200]
    assert set(statuses) == {401, 503}, statuses


def test_attempts_that_were_refused_otherwise_are_no_failures(person):
    for _ in range(11):
        invalid(person.send("POST", "/api/auth/sign-in", {"email": person.email}), "password")
        refused(person.try_to_sign_in(headers={"Origin": "https://evil.example"}), 403, "FOREIGN_ORIGIN")
    assert person.try_to_sign_in().status == 200


def own_origin(person):
    return f"http://{person.address[0]}:{person.address[1]}"


@pytest.mark.parametrize("headers", [
    {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": ""}, {"Origin": "http://127.0.0.1"},
    {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": ""},
    {"Origin": "own", "Sec-Fetch-Site": "cross-site"}, {"Origin": "evil", "Sec-Fetch-Site": "same-origin"},
    {"Origin": "https"}, {"X-Forwarded-Host": "evil.example", "Origin": "http://evil.example"}])
def test_another_site_changes_nothing(person, headers):
    person.signed_in()
    own = own_origin(person)
    spelled = {"own": own, "evil": "http://evil.example", "https": own.replace("http:", "https:")}
    headers = {name: spelled.get(value, value) for name, value in headers.items()}
    for method, path, body in (("POST", "/api/api-keys", {"name": "k", "scopes": ["all"]}),
                               ("DELETE", "/api/api-keys/key_x", None), ("POST", "/api/auth/sign-out", None),
                               ("POST", "/api/auth/sign-in", {"email": person.email, "password": person.password})):
        refused(person.ask(method, path, body, headers), 403, "FOREIGN_ORIGIN")
    assert person.ask("GET", "/api/me", headers=headers).status == 200
    assert person.ask("GET", "/api/api-keys").data == []


@pytest.mark.parametrize("headers", [
    {}, {"Origin": "own"}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"},
    {"Origin": "own", "Sec-Fetch-Site": "same-origin"}])
def test_ones_own_page_and_programs_may(person, headers):
    headers = {name: own_origin(person) if value == "own" else value for name, value in headers.items()}
    assert person.try_to_sign_in(headers=headers).status == 200


def test_behind_a_trusted_proxy_its_own_origin_counts(tilth):
    person = Person(tilth, source="127.0.0.1")
    proxied = {"X-Forwarded-For": "192.0.2.44", "X-Forwarded-Proto": "http,https",
               "X-Forwarded-Host": "inner, farms.example.org"}
    for origin, status in (("https://farms.example.org", 200), ("https://FARMS.example.org:443", 200),
                           ("http://farms.example.org", 403), (own_origin(person), 403), ("https://inner", 403)):
        assert person.try_to_sign_in(headers={**proxied, "Origin": origin}).status == status, origin


def test_sessions_end_after_twelve_hours_and_outlive_a_restart(tmp_path):
    service = Service(tmp_path)
    try:
        person = Person(service.start()).signed_in()
        service.advance("PT11H59M59S")
        service.restart()
        person.move_to(service.address)
        assert person.ask("GET", "/api/me").status == 200
        service.advance("PT1S")
        refused(person.ask("GET", "/api/me"), 401, "UNAUTHENTICATED")
        assert all("session" not in event["type"] for event in service.events())
        service.stop()
    finally:
        service.kill()


def test_a_session_that_was_ended_does_not_come_back_after_a_restart(tmp_path):
    service = Service(tmp_path)
    try:
        person = Person(service.start()).signed_in()
        person.ask("POST", "/api/auth/sign-out")
        service.restart()
        person.move_to(service.address)
        refused(person.ask("GET", "/api/me"), 401, "UNAUTHENTICATED")
        service.stop()
    finally:
        service.kill()


def test_a_person_may_ask_six_hundred_times_a_minute_and_their_keys_are_not_concerned(tilth, person):
    person.signed_in()
    reply = person.ask("GET", "/api/me")
    assert (reply.header("X-RateLimit-Limit"), reply.header("X-RateLimit-Remaining")) == ("600", "599")
    for _ in range(599):
        assert person.ask("GET", "/api/me").status == 200
    reply = person.ask("GET", "/api/me")
    refused(reply, 429, "RATE_LIMIT_EXCEEDED")
    assert reply.header("X-RateLimit-Remaining") == "0" and reply.header("Retry-After") == "60"
    key = tilth.operate("POST", f"/operator/v1/users/{person.id}/api-keys", {"name": "k", "scopes": ["all"]}, 201).data
    reply = person.get("/farms", {"Authorization": f"Bearer {key['key']}"})
    assert (reply.status, reply.header("X-RateLimit-Remaining")) == (200, "999")
    tilth.advance("PT1M")
    assert person.ask("GET", "/api/me").status == 200


SESSION_ROUTES = [("GET", "/api/me"), ("GET", "/api/api-keys"), ("POST", "/api/api-keys"),
                  ("DELETE", "/api/api-keys/key_V1StGXR8_Z5jdHi6B-myT"), ("GET", "/api/billing/subscription"),
                  ("POST", "/api/auth/password"), ("GET", "/api/auth/sessions"), ("DELETE", "/api/auth/sessions"),
                  ("DELETE", "/api/auth/sessions/session_x"),
                  ("GET", "/api/billing/plan"), ("GET", "/api/scopes"), ("GET", "/api/farms")]


@pytest.mark.parametrize("method,path", SESSION_ROUTES)
def test_a_key_opens_nothing_of_the_dashboard(tilth, method, path):
    user = tilth.user()
    refused(user.send(method, path, {} if method == "POST" else None), 401, "UNAUTHENTICATED")
    refused(tilth.stranger().send(method, path), 401, "UNAUTHENTICATED")


def test_a_session_opens_nothing_of_v1(person):
    person.signed_in()
    for method, path, _ in ROUTES:
        target = "/api/v1" + filled(path, collections.defaultdict(lambda: str(uuid.uuid4())))
        refused(person.ask(method, target), 401, "MISSING_API_KEY")


@pytest.mark.parametrize("path,allowed", [
    ("/api/auth/sign-in", {"POST"}), ("/api/auth/sign-out", {"POST"}), ("/api/me", {"GET", "HEAD"}),
    ("/api/api-keys", {"GET", "HEAD", "POST"}), ("/api/api-keys/x", {"DELETE"}),
    ("/api/billing/usage", {"GET", "HEAD"}), ("/api/billing/subscription", {"GET", "HEAD"})])
def test_the_route_comes_before_who_asks(tilth, path, allowed):
    stranger = tilth.stranger()
    reply = stranger.send("PATCH", path)
    refused(reply, 405, "METHOD_NOT_ALLOWED")
    assert set(reply.header("Allow").split(", ")) == allowed | {"OPTIONS"}
    assert stranger.send("OPTIONS", path).status == 204
    refused(stranger.send("GET", path + "/no/where"), 404, "NOT_FOUND")


def test_a_cookie_among_others_is_found(person):
    person.signed_in()
    for cookies in (f"a=b; {COOKIE}={person.cookie}", f"{COOKIE}={person.cookie};x", f"{COOKIE}=bad; {COOKIE}={person.cookie}"):
        assert person.ask("GET", "/api/me", headers={"Cookie": cookies}).status == 200
    for cookies in (f"x{COOKIE}={person.cookie}", f"{COOKIE}={person.cookie}0", f"{COOKIE}="):
        refused(person.ask("GET", "/api/me", headers={"Cookie": cookies}), 401, "UNAUTHENTICATED")
