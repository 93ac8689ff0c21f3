"""A request retried with its Idempotency-Key gets the same response and is done once."""
import concurrent.futures
import uuid

import pytest

from service import path_of, refused

FARM = {"name": "Hill", "totalArea": 5}


def fresh():
    return {"Idempotency-Key": str(uuid.uuid4())}


def replayed(first, second):
    assert second.header("Idempotent-Replayed") == "true", second.headers
    assert first.header("Idempotent-Replayed") is None
    assert (second.status, second.body) == (first.status, first.body)
    for name in ("ETag", "Location", "Content-Type"):
        assert second.header(name) == first.header(name), name
    assert second.header("X-Request-Id") != first.header("X-Request-Id")
    counted = [int(reply.header("X-RateLimit-Limit")) - int(reply.header("X-RateLimit-Remaining"))
            for reply in (first, second)]
    assert counted[0] < counted[1]


def test_a_create_is_replayed_and_done_once(user):
    key = fresh()
    first = user.post("/farms", FARM, key)
    assert first.status == 201
    for _ in range(3):
        again = user.post("/farms", FARM, key)
        replayed(first, again)
        assert again.header("Tilth-Position")
    assert user.listed("/farms") == [first.data["id"]]


def test_a_change_is_replayed_as_it_was_answered_whatever_came_later(user):
    farm = user.farm()
    key = fresh()
    first = user.put(path_of(farm), {"name": "Second"}, key)
    assert user.put(path_of(farm), {"name": "Third"}).status == 200
    replayed(first, user.put(path_of(farm), {"name": "Second"}, key))
    assert user.read(path_of(farm))["name"] == "Third"


def test_a_deletion_is_replayed(user):
    farm = user.farm()
    key = fresh()
    first = user.delete(path_of(farm), key)
    assert first.status == 204
    replayed(first, user.delete(path_of(farm), key))
    refused(user.delete(path_of(farm)), 404, "NOT_FOUND")


def test_a_create_is_replayed_after_its_record_was_deleted(user):
    key = fresh()
    first = user.post("/farms", FARM, key)
    assert user.delete(path_of(first.data)).status == 204
    replayed(first, user.post("/farms", FARM, key))
    assert user.listed("/farms") == []


def test_a_change_of_nothing_is_kept_too(user):
    farm = user.farm(name="First")
    key = fresh()
    first = user.put(path_of(farm), {}, key)
    assert user.put(path_of(farm), {"name": "Second"}).status == 200
    replayed(first, user.put(path_of(farm), {}, key))


@pytest.mark.parametrize("method,path,body", [
    ("POST", "/api/v1/farms", b'{"name":"Hill","totalArea":5}'),
    ("POST", "/api/v1/farms", {**FARM, "totalArea": 6}),
    ("POST", "/api/v1/farms?x=1", FARM),
    ("POST", "/api/v1/f%61rms", FARM),
    ("POST", "/api/v1/crops", FARM),
    ("POST", "/api/v1/farms", None),
    ("PUT", "/api/v1/farms/00000000-0000-4000-8000-000000000000", FARM)])
def test_the_same_key_with_another_request_is_a_conflict(user, method, path, body):
    key = fresh()
    first = user.post("/farms", FARM, key)
    for _ in range(2):
        reply = user.send(method, path, body, key)
        refused(reply, 409, "CONFLICT")
        assert reply.header("Idempotent-Replayed") is None
    replayed(first, user.post("/farms", FARM, key))


def test_keys_are_compared_in_lower_case(user):
    key = str(uuid.uuid4())
    first = user.post("/farms", FARM, {"Idempotency-Key": key.upper()})
    replayed(first, user.post("/farms", FARM, {"Idempotency-Key": key}))


@pytest.mark.parametrize("key", ["", "x", "1234", "{%s}" % uuid.uuid4(), uuid.uuid4().hex])
def test_a_key_that_is_no_uuid_is_refused(user, key):
    refused(user.post("/farms", FARM, {"Idempotency-Key": key}), 400, "VALIDATION_ERROR")
    assert user.listed("/farms") == []


def test_two_keys_are_refused_even_if_they_are_the_same(user):
    key = str(uuid.uuid4())
    for other in (key, str(uuid.uuid4())):
        reply = user.post("/farms", FARM, [("Idempotency-Key", key), ("Idempotency-Key", other)])
        refused(reply, 400, "VALIDATION_ERROR", "Idempotency-Key")
    assert user.listed("/farms") == []


def test_reads_ignore_the_key(user):
    for key in ("no uuid", str(uuid.uuid4())):
        for _ in range(2):
            for method, status in (("GET", 200), ("HEAD", 200), ("OPTIONS", 204)):
                reply = user.send(method, "/api/v1/farms", None, {"Idempotency-Key": key})
                assert reply.status == status and reply.header("Idempotent-Replayed") is None


def test_refusals_of_every_kind_are_replayed_though_the_reason_is_gone(user):
    taken, farm = user.farm(name="Taken"), user.farm(name="Free")
    missing = f"/farms/{uuid.uuid4()}"
    requests = [(400, "POST", "/farms", {"name": ""}, {}),
                (400, "POST", "/farms", b"{", {}),
                (400, "PUT", "/farms/x", {}, {}),
                (404, "PUT", missing, FARM, {}),
                (404, "DELETE", missing, None, {}),
                (409, "POST", "/farms", {"name": "Taken", "totalArea": 1}, {}),
                (412, "PUT", path_of(farm), {"name": "New"}, {"If-Match": '"x"'})]
    kept = []
    for status, method, path, body, headers in requests:
        headers = headers | fresh()
        first = user.send(method, "/api/v1" + path, body, headers)
        assert first.status == status, first
        kept.append((first, method, path, body, headers))
    assert user.delete(path_of(taken)).status == 204
    for first, method, path, body, headers in kept:
        again = user.send(method, "/api/v1" + path, body, headers)
        replayed(first, again)
        assert again.header("Tilth-Position") is None
        if headers.pop("If-Match", None):
            replayed(first, user.send(method, "/api/v1" + path, body, headers))


def test_the_plan_s_refusal_is_replayed_under_a_larger_plan(tilth):
    user = tilth.user("seed")
    user.farm()
    key = fresh()
    first = user.post("/farms", FARM, key)
    refused(first, 403, "PLAN_LIMIT_EXCEEDED")
    tilth.operate("PUT", f"/operator/v1/users/{user.id}", {"plan": "sprout"})
    replayed(first, user.post("/farms", FARM, key))
    assert user.post("/farms", FARM, fresh()).status == 201


def test_what_is_refused_before_the_key_is_read_is_not_kept(user):
    key = fresh()
    reader = user.with_key(scopes=["farms:read"])
    refused(reader.post("/farms", FARM, key), 403, "INSUFFICIENT_SCOPE")
    refused(user.post("/farms", FARM, key | {"Content-Type": "text/plain"}), 415, "UNSUPPORTED_MEDIA_TYPE")
    refused(user.post("/nowhere", FARM, key), 404, "NOT_FOUND")
    first = user.post("/farms", FARM, key)
    assert first.status == 201
    refused(reader.post("/farms", FARM, key), 403, "INSUFFICIENT_SCOPE")


def test_a_record_holds_for_every_key_of_the_user_and_for_no_other_user(tilth, user):
    key = fresh()
    first = user.post("/farms", FARM, key)
    replayed(first, user.with_key().post("/farms", FARM, key))
    other = tilth.user().post("/farms", FARM, key)
    assert other.status == 201 and other.data["id"] != first.data["id"]


def test_of_racing_duplicates_one_is_done(user):
    for _ in range(5):
        key, body = fresh(), {"name": str(uuid.uuid4()), "totalArea": 5}

        def ask(_):
            client = user.service.stranger()
            return client.post("/farms", body, {**key, "Authorization": user.authorization})

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            replies = list(pool.map(ask, range(8)))
        done = [reply for reply in replies if reply.status == 201]
        assert len({reply.body for reply in done}) == 1
        assert sum(reply.header("Idempotent-Replayed") is None for reply in done) == 1
        for reply in replies:
            if reply.status != 201:
                refused(reply, 409, "CONFLICT")
                assert int(reply.header("Retry-After")) >= 1
    assert len(user.listed("/farms")) == 5


def test_a_record_is_gone_after_24_hours(tilth):
    tilth.set_clock("2026-05-01T12:00:00Z")
    user, key = tilth.user(), fresh()
    first = user.post("/farms", FARM, key)
    tilth.set_clock("2026-05-02T11:59:59.999Z")
    again = user.post("/farms", FARM, key)
    assert (again.body, again.header("Idempotent-Replayed")) == (first.body, "true")
    tilth.set_clock("2026-05-02T12:00:00Z")
    late = user.post("/farms", FARM, key)
    refused(late, 409, "CONFLICT")
    assert late.header("Idempotent-Replayed") is None
    assert user.delete(path_of(first.data)).status == 204
    assert user.post("/farms", FARM, fresh()).status == 201
    # The idempotency record that replaced it is kept for its own 24 hours.
    tilth.set_clock("2026-05-03T11:59:59Z")
    assert user.post("/farms", FARM, key).body == late.body


def test_records_outlive_a_restart(tilth):
    user = tilth.user()
    created, refusal, removal = fresh(), fresh(), fresh()
    farm = user.farm()
    requests = [("POST", "/farms", FARM, created), ("POST", "/farms", {"name": 1}, refusal),
                ("DELETE", path_of(farm), None, removal)]
    first = [user.send(method, "/api/v1" + path, body, key) for method, path, body, key in requests]
    assert [reply.status for reply in first] == [201, 400, 204]
    tilth.restart()
    client = tilth.stranger()
    client.authorization = user.authorization
    for reply, (method, path, body, key) in zip(first, requests):
        replayed(reply, client.send(method, "/api/v1" + path, body, key))
    refused(client.post("/farms", {**FARM, "totalArea": 9}, created), 409, "CONFLICT")
