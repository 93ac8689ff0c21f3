"""What the head of a request decides is answered before its body arrives."""
import http.client
import socket

import pytest

from client import Client, Reply
from service import VAST, path_of

CONFIG = VAST
VOLATILE = {"date", "connection", "x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset"}


def head(client, method, target, *headers):
    """A request whose body of 1,000 bytes is announced and not sent."""
    lines = [f"{method} {target} HTTP/1.1", f"Host: {client.address[0]}", "Content-Length: 1000", *headers]
    if client.authorization:
        lines.append(f"Authorization: {client.authorization}")
    return "\r\n".join([*lines, "", ""]).encode()


def answer(client, method, request):
    """The response, and whether the server closes the connection after it."""
    with socket.create_connection(client.address, 30, source_address=(client.source or "", 0)) as connection:
        connection.sendall(request)
        response = http.client.HTTPResponse(connection, method=method)
        response.begin()
        reply = Reply(response)
        connection.shutdown(socket.SHUT_WR)
        return reply, response.will_close and connection.recv(1) == b""


def same_without_the_body(client, method, target, *headers):
    early, closes = answer(client, method, head(client, method, target, *headers))
    assert closes, "what follows on this connection would be the body"
    named = [tuple(part.strip() for part in each.split(":", 1)) for each in headers]
    whole = client.send(method, target, b"x" * 1000, named)
    assert (early.status, early.body) == (whole.status, whole.body)
    kept = [[(k, v) for k, v in reply.headers if k.lower() not in VOLATILE] for reply in (early, whole)]
    assert kept[0] == kept[1]
    return early, whole


def remaining(reply):
    return int(reply.header("X-RateLimit-Remaining"))


@pytest.mark.parametrize("authorization,code", [
    (None, "MISSING_API_KEY"), ("Bearer x", "INVALID_API_KEY_FORMAT"),
    ("Bearer tilth_live_" + "0" * 43, None)])
def test_without_a_valid_key(tilth, authorization, code):
    stranger = tilth.stranger()
    stranger.authorization = authorization
    early, whole = same_without_the_body(stranger, "POST", "/api/v1/farms")
    assert early.status == 401 and code in (None, early.json["code"])
    assert remaining(early) == remaining(whole) + 1, "each counts once"


def test_without_the_scope(tilth):
    reader = tilth.user(scopes=["farms:read"])
    early, whole = same_without_the_body(reader, "POST", "/api/v1/farms")
    assert (early.status, early.json["code"]) == (403, "INSUFFICIENT_SCOPE")
    assert remaining(early) == remaining(whole) + 1, "each counts once"


def test_from_another_address_than_the_key_s(tilth):
    early, _ = same_without_the_body(tilth.user(allowedIps=["192.0.2.7"]), "POST", "/api/v1/farms")
    assert (early.status, early.json["code"]) == (403, "IP_NOT_ALLOWED")


@pytest.mark.parametrize("method,target,status", [
    ("POST", "/api/v1/nowhere", 404), ("PUT", "/api/v1/farms", 405), ("OPTIONS", "/api/v1/farms", 204),
    ("POST", "/nowhere", 404), ("POST", "/docs", 405)])
def test_without_a_route(user, method, target, status):
    early, whole = same_without_the_body(user, method, target)
    assert early.status == status
    if target.startswith("/api/v1"):
        assert remaining(early) == remaining(whole) + 1, "each counts once"


def test_beyond_the_rate_limit(tilth):
    user = tilth.user("expired")
    for _ in range(3):
        assert user.get("/farms").status == 200
    early, _ = same_without_the_body(user, "POST", "/api/v1/farms")
    assert (early.status, early.json["code"]) == (429, "RATE_LIMIT_EXCEEDED")


def test_beyond_a_stranger_s_rate_limit(tilth):
    stranger = tilth.stranger()
    for _ in range(60):
        assert stranger.get("/farms").status == 401
    early, _ = same_without_the_body(stranger, "POST", "/api/auth/sign-in")
    assert early.status == 429


def test_from_another_site(tilth):
    early, _ = same_without_the_body(tilth.stranger(), "POST", "/api/auth/sign-in", "Origin: https://other.example")
    assert (early.status, early.json["code"]) == (403, "FOREIGN_ORIGIN")


def test_a_body_that_is_too_large(user):
    request = head(user, "POST", "/api/v1/farms").replace(b"Length: 1000", b"Length: 1048577")
    early, closes = answer(user, "POST", request)
    assert (early.status, early.json["code"], closes) == (413, "PAYLOAD_TOO_LARGE", True)


def test_nothing_is_continued_that_is_refused(tilth):
    stranger = tilth.stranger()
    request = head(stranger, "POST", "/api/v1/farms", "Expect: 100-continue")
    early, closes = answer(stranger, "POST", request)
    assert (early.status, closes) == (401, True)


def test_operators_too(tilth):
    operator = Client(tilth.operator_address)
    for target, status in (("/operator/v1/users", 401), ("/nowhere", 404), ("/healthz", 405)):
        assert same_without_the_body(operator, "POST", target)[0].status == status


def test_the_connection_goes_on_if_the_body_has_come_along(tilth, user):
    stranger = tilth.stranger()
    for client, status in ((stranger, 401), (user, 404)):
        client.send("POST", "/api/v1/nowhere", b"x" * 1000)
        connection = client.socket
        for _ in range(3):
            assert client.send("POST", "/api/v1/nowhere", b"x" * 1000).status == status
        assert client.socket is connection


def test_what_is_admitted_still_waits_for_its_body(user):
    with socket.create_connection(user.address, 30) as connection:
        body = b'{"name": "Slow", "totalArea": 1}'
        request = head(user, "POST", "/api/v1/farms").replace(b"1000", str(len(body)).encode())
        connection.sendall(request)
        connection.sendall(body[:10])
        assert user.get("/farms").status == 200
        connection.sendall(body[10:])
        response = http.client.HTTPResponse(connection)
        response.begin()
        assert response.status == 201


def test_bodies_of_reads_are_dropped_as_they_come(user):
    farm = user.farm()
    with socket.create_connection(user.address, 30) as connection:
        connection.sendall(head(user, "GET", "/api/v1" + path_of(farm)))
        for _ in range(2):
            connection.sendall(b"x" * 500)
        response = http.client.HTTPResponse(connection)
        response.begin()
        assert (response.status, response.will_close) == (200, False)
