"""Responses are compressed for clients that accept that, and for no others."""
import json
import uuid
import zlib

import pytest
import zstandard

from service import path_of

TITLES = [f"Prune the palms of row {i}" for i in range(60)]


@pytest.fixture(scope="module")
def owner(tilth):
    user = tilth.user()
    farm = user.farm(description="Old palms. " * 180)
    for title in TITLES:
        user.task(farm, title=title)
    return user, path_of(farm)


def decoded(coding, body):
    if coding == "gzip":
        return zlib.decompress(body, zlib.MAX_WBITS | 16)
    with zstandard.ZstdDecompressor().stream_reader(body) as reader:
        return reader.read()


def accepting(client, target, coding, method="GET", **headers):
    return client.send(method, target, headers=[("Accept-Encoding", coding), *headers.items()])


CODINGS = pytest.mark.parametrize("coding", ["gzip", "zstd"])


@CODINGS
@pytest.mark.parametrize("target", ["/api/v1/tasks?limit=100", "/api/v1/events", "/api/v1/tasks?all=true",
                                    "/api/openapi.json", "/", "/assets/app.js", "/assets/style.css"])
def test_the_decoded_body_is_the_plain_one(owner, coding, target):
    user, _ = owner
    plain = user.send("GET", target)
    coded = accepting(user, target, coding)
    assert coded.status == plain.status == 200
    assert plain.header("Content-Encoding") is None and coded.header("Content-Encoding") == coding
    assert plain.header("Vary") == coded.header("Vary") == "Accept-Encoding"
    assert decoded(coding, coded.body) == plain.body
    assert len(coded.body) < len(plain.body) / 2
    assert coded.header("Content-Type") == plain.header("Content-Type")


def test_the_pieces_of_a_history_of_any_length_are_compressed(tilth, owner):
    user, _ = owner
    target = f"/operator/v1/events?owner={user.id}"
    plain = tilth.operator.send("GET", target)
    coded = accepting(tilth.operator, target, "gzip")
    assert coded.header("Content-Encoding") == "gzip" and len(coded.body) < len(plain.body) / 2
    assert decoded("gzip", coded.body) == plain.body
    assert json.loads(plain.body.splitlines()[0])["specversion"] == "1.0"


@pytest.mark.parametrize("accepted", ["identity", "br", "gzip;q=0", "gzip;q=0, zstd;q=0.0", ""])
def test_a_client_that_accepts_no_coding_gets_none(owner, accepted):
    user, _ = owner
    reply = accepting(user, "/api/v1/tasks?limit=100", accepted)
    assert reply.header("Content-Encoding") is None and len(reply.json["data"]) == len(TITLES)


def test_the_client_chooses_the_coding(owner):
    user, _ = owner
    for accepted, coding in [("gzip, deflate, br, zstd", "zstd"), ("zstd;q=0.1, gzip;q=0.9", "gzip"), ("*", "zstd")]:
        assert accepting(user, "/api/v1/tasks?limit=100", accepted).header("Content-Encoding") == coding


def test_a_short_response_stays_as_it_is(owner):
    user, _ = owner
    for target, status in [("/api/v1/tasks?limit=1", 200), (f"/api/v1/tasks/{uuid.uuid4()}", 404)]:
        reply = accepting(user, target, "gzip")
        assert reply.status == status and reply.header("Content-Encoding") is None


@CODINGS
def test_each_coding_has_a_tag_of_its_own_and_any_of_them_is_good_for_a_condition(owner, coding):
    user, path = owner
    target = "/api/v1" + path
    plain, coded = user.send("GET", target), accepting(user, target, coding)
    assert coded.header("Content-Encoding") == coding
    tags = [plain.header("ETag"), coded.header("ETag")]
    assert tags[0] != tags[1]
    for tag in tags:
        unchanged = accepting(user, target, coding, **{"If-None-Match": tag})
        assert unchanged.status == 304 and unchanged.body == b""
        assert unchanged.header("ETag") == tags[1] and unchanged.header("Vary") == "Accept-Encoding"
        assert unchanged.header("Content-Encoding") is None
        assert user.send("GET", target, headers=[("If-None-Match", tag)]).header("ETag") == tags[0]
    changed = user.put(path, {"city": "Medina " + coding}, headers=[("If-Match", tags[1])])
    assert changed.status == 200
    stale = user.put(path, {"city": "Mecca"}, headers=[("If-Match", tags[1])])
    assert stale.status == 412


@CODINGS
def test_head_shows_the_headers_of_get(owner, coding):
    user, path = owner
    for target in ("/api/v1" + path, "/", "/api/openapi.json"):
        get, head = (accepting(user, target, coding, method) for method in ("GET", "HEAD"))
        assert head.body == b""
        for name in ("Content-Encoding", "Content-Length", "ETag", "Vary"):
            assert head.header(name) == get.header(name), name


def test_the_response_to_a_change_is_compressed_as_well(owner):
    user, path = owner
    reply = user.put(path, {"notes": "Dry."}, headers=[("Accept-Encoding", "gzip")])
    assert reply.status == 200 and reply.header("Content-Encoding") == "gzip"
    assert json.loads(decoded("gzip", reply.body))["data"]["id"] in path


def test_a_long_body_is_whole(tilth):
    user = tilth.user()
    farm = user.farm()
    for _ in range(30):
        user.task(farm, notes="\N{EAR OF RICE}" * 5_000)
    plain = user.send("GET", "/api/v1/tasks?limit=100")
    assert len(plain.body) > 400_000
    for coding in ("gzip", "zstd"):
        coded = accepting(user, "/api/v1/tasks?limit=100", coding)
        assert coded.header("Content-Encoding") == coding and decoded(coding, coded.body) == plain.body
