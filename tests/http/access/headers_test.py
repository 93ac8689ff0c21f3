"""What every response tells browsers: to store nothing, to guess no type, and to come back through TLS."""
import pytest

from client import Client
from person import COOKIE, Person, set_cookie
from service import refused

pytestmark = pytest.mark.embedded_log

CONFIG = """
[limits]
unauthenticated_per_minute = 100000

[http]
trusted_proxies = ["127.0.0.1/32"]
"""

HTTPS = {"X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "farms.example.org"}


@pytest.fixture
def person(tilth):
    return Person(tilth)


@pytest.fixture
def behind(tilth):
    """A person whose browser is connected to a proxy in front of the service, through TLS."""
    return Person(tilth, source="127.0.0.1")


def private(reply):
    assert (reply.header("Cache-Control"), reply.header("X-Content-Type-Options")) == ("no-store", "nosniff"), reply
    return reply


def test_what_is_private_is_stored_by_no_one(tilth, person):
    farmer = tilth.user()
    farm = private(farmer.post("/farms", {"name": "Oasis", "totalArea": 1})).data
    shown = private(farmer.get(f"/farms/{farm['id']}"))
    assert private(farmer.exchange("GET", b"no request\r\n\r\n")).status == 400
    for path in ("/farms", f"/farms/{farm['id']}/fields", "/nowhere", "/tasks?status=x", "/events"):
        private(farmer.get(path))
    private(farmer.put(f"/farms/{farm['id']}", {"name": "Palm"}))
    private(farmer.delete(f"/farms/{farm['id']}"))
    private(tilth.stranger().get("/farms"))
    for path in ("/api/me", "/api/api-keys", "/api/farms", "/api/auth", "/api/auth/sessions"):
        private(person.ask("GET", path))
    private(person.try_to_sign_in())
    private(person.ask("GET", "/api/me"))
    private(person.ask("POST", "/api/auth/sign-out"))
    for path in ("/operator/v1/users", "/operator/v1/status", "/readyz", "/metrics"):
        private(tilth.operator.send("GET", path))
    assert shown.header("ETag")


def test_what_is_private_can_still_be_asked_for_again_by_its_tag(tilth):
    farmer = tilth.user()
    farm = farmer.farm()
    tag = farmer.get(f"/farms/{farm['id']}").header("ETag")
    reply = private(farmer.get(f"/farms/{farm['id']}", {"If-None-Match": tag}))
    assert (reply.status, reply.body, reply.header("ETag")) == (304, b"", tag)


@pytest.mark.parametrize("path", ["/", "/docs", "/api/openapi.json"])
def test_what_is_public_may_be_kept_and_asked_for_again(tilth, path):
    stranger = tilth.stranger()
    reply = stranger.send("GET", path)
    assert (reply.status, reply.header("Cache-Control"), reply.header("X-Content-Type-Options")) == (200, "no-cache", "nosniff")
    same = stranger.send("GET", path, headers={"If-None-Match": reply.header("ETag")})
    assert (same.status, same.header("Cache-Control")) == (304, "no-cache")


def test_browsers_behind_tls_are_told_to_stay_there(tilth, person, behind):
    transport = "Strict-Transport-Security"
    for path in ("/", "/api/me", "/api/v1/farms", "/api/nowhere"):
        assert behind.ask("GET", path, headers=HTTPS).header(transport) == "max-age=31536000"
        assert behind.ask("GET", path).header(transport) is None
        assert behind.ask("GET", path, headers={**HTTPS, "X-Forwarded-Proto": "https, http"}).header(transport) is None
        assert person.ask("GET", path, headers=HTTPS).header(transport) is None  # from an address that is no proxy's


def test_behind_tls_the_cookie_is_this_host_s_alone(behind):
    reply = behind.try_to_sign_in(headers=HTTPS)
    assert reply.header("Set-Cookie").startswith(f"__Host-{COOKIE}=")
    value, attributes = set_cookie(reply)
    assert attributes == {"path=/", "httponly", "samesite=lax", "max-age=43200", "secure"}
    private(reply)
    me = lambda name, headers: behind.ask("GET", "/api/me", headers={**headers, "Cookie": f"{name}={value}"})
    assert me(f"__Host-{COOKIE}", HTTPS).status == 200
    refused(me(COOKIE, HTTPS), 401, "UNAUTHENTICATED")  # a neighbouring host can set that one
    refused(me(f"__Host-{COOKIE}", {}), 401, "UNAUTHENTICATED")
    out = behind.ask("POST", "/api/auth/sign-out", headers={**HTTPS, "Cookie": f"__Host-{COOKIE}={value}"})
    assert out.header("Set-Cookie").startswith(f"__Host-{COOKIE}=;")
    refused(me(f"__Host-{COOKIE}", HTTPS), 401, "UNAUTHENTICATED")


# The operators' port.

@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/operator/v1/status", "/nowhere"])
def test_a_name_that_was_made_to_lead_here_is_told_nothing(tilth, path):
    port = tilth.operator_address.rsplit(":", 1)[1]
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "10.0.0.1", "localhost.evil.example", "x"):
        refused(tilth.operator.send("GET", path, headers={"Host": host}), 403, "FOREIGN_ORIGIN")
    for host in (f"127.0.0.1:{port}", "localhost", "LOCALHOST:1", "[::1]:8081"):
        assert tilth.operator.send("GET", path, headers={"Host": host}).status in (200, 404)


def test_the_public_port_answers_to_any_name(tilth):
    assert tilth.stranger().send("GET", "/api/auth", headers={"Host": "farms.example.org"}).status == 200


def test_an_operator_names_further_hosts(tmp_path):
    from service import Service
    service = Service(tmp_path, ["--operator-hosts", "tilth-1.internal,10.0.0.7"])
    try:
        service.start()
        for host, status in (("Tilth-1.internal:8081", 200), ("10.0.0.7", 200), ("localhost", 200),
                             ("tilth-2.internal", 403), ("10.0.0.8", 403)):
            reply = Client(service.operator_address).send("GET", "/metrics", headers={"Host": host})
            assert reply.status == status, (host, reply)
        service.stop()
    finally:
        service.kill()


def test_an_operator_port_that_others_may_reach_is_warned_about(tmp_path):
    from service import Service
    service = Service(tmp_path, operator_listen="0.0.0.0:0")
    try:
        service.start()
        port = service.operator_address.rsplit(":", 1)[1]
        client = Client(f"127.0.0.1:{port}")
        for host, status in (("10.1.2.3:8081", 200), ("[2001:db8::1]", 200), ("localhost", 200), ("evil.example", 403)):
            assert client.send("GET", "/readyz", headers={"Host": host}).status == status
        assert "The operator API listens on 0.0.0.0:0" in service.tail()
        service.stop()
    finally:
        service.kill()
