"""The rate limits of a user, a key and a stranger, and how responses report them."""
import concurrent.futures
import datetime
import itertools
import re

import pytest

from service import path_of, refused

_days = itertools.count(1)


class Clock:
    """Moves the service's clock to offsets from an instant that no other test uses."""

    def __init__(self, service):
        self.service = service
        self.start = datetime.datetime(2026, 4, 1) + datetime.timedelta(days=next(_days))
        self.at(0)

    def instant(self, seconds):
        moment = self.start + datetime.timedelta(milliseconds=round(seconds * 1000))
        return moment.isoformat(timespec="milliseconds") + "Z"

    def at(self, seconds):
        self.service.set_clock(self.instant(seconds))


@pytest.fixture
def clock(tilth):
    return Clock(tilth)


def window(reply):
    return (int(reply.header("X-RateLimit-Limit")), int(reply.header("X-RateLimit-Remaining")),
            reply.header("X-RateLimit-Reset"))


def exhausted(reply, retry_after, reset):
    refused(reply, 429, "RATE_LIMIT_EXCEEDED")
    assert reply.header("Retry-After") == str(retry_after), reply.headers
    assert window(reply)[1:] == (0, reset), reply.headers


def set_plan(user, plan):
    user.service.operate("PUT", f"/operator/v1/users/{user.id}", {"plan": plan})


@pytest.mark.parametrize("plan,limit", [("expired", 3), ("seed", 25), ("sprout", 50), ("trial", 100),
                                        ("harvest", 100), ("grove", 200), ("summit", 1000)])
def test_each_plan_has_its_own_limit(tilth, plan, limit):
    assert window(tilth.user(plan).get("/farms"))[:2] == (limit, limit - 1)


def test_every_answer_says_what_is_left(tilth, user):
    farm = user.farm()
    path = path_of(farm)
    etag = user.get(path).header("ETag")
    left = window(user.get(path))[1]
    answers = [
        (200, user.get("/farms")), (201, user.post("/farms", {"name": "x", "totalArea": 1})),
        (304, user.get(path, {"If-None-Match": etag})), (400, user.get("/farms/x")),
        (404, user.get("/nowhere")), (405, user.put("/farms", {})), (409, user.post(
            "/farms", {"name": "x", "totalArea": 1})), (412, user.put(path, {}, {"If-Match": '"x"'})),
        (413, user.post("/farms", b"x" * ((1 << 20) + 1))), (400, user.post("/farms", b"{")),
        (415, user.post("/farms", "{}", {"Content-Type": "text/plain"})),
        (200, user.send("HEAD", "/api/v1/farms")), (204, user.send("OPTIONS", "/api/v1/farms")),
        (204, user.delete(path)), (404, user.get(path)),
        (403, user.with_key(scopes=["tasks:read"]).get("/farms")),
        (403, user.with_key(allowedIps=["10.0.0.1"]).get("/farms"))]
    for count, (status, reply) in enumerate(answers, 1):
        assert reply.status == status, reply
        limit, remaining, reset = window(reply)
        assert (limit, remaining) == (1000, left - count), reply
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", reset)
    stranger = tilth.stranger()
    for path in ("/api/v1/farms", "/nowhere"):
        assert window(stranger.send("GET", path))[0] == 60


def test_the_window_slides_exactly(tilth, clock):
    user = tilth.user("expired")
    for number, at in enumerate((0, 1200, 2400.5)):
        clock.at(at)
        assert window(user.get("/farms")) == (3, 2 - number, clock.instant(3600))
    clock.at(2401)
    exhausted(user.get("/farms"), 1199, clock.instant(3600))
    clock.at(3599.999)
    exhausted(user.get("/farms"), 1, clock.instant(3600))
    clock.at(3600)
    assert window(user.get("/farms")) == (3, 0, clock.instant(4800))
    exhausted(user.get("/farms"), 1200, clock.instant(4800))
    clock.at(4800)
    assert window(user.get("/farms")) == (3, 0, clock.instant(6000.5))
    clock.at(10000)
    assert window(user.get("/farms")) == (3, 2, clock.instant(13600))


def test_a_refusal_for_the_limit_does_not_count(tilth, clock):
    user = tilth.user("expired")
    for _ in range(10):
        user.get("/farms")
    clock.at(3600)
    assert window(user.get("/farms")) == (3, 2, clock.instant(7200))


def test_replays_count(tilth, clock):
    user = tilth.user("expired")
    headers = {"Idempotency-Key": "7e57ab1e-0000-4000-8000-000000000001"}
    left = [window(user.post("/farms", {"name": "x", "totalArea": 1}, headers))[1] for _ in range(3)]
    assert left == [2, 1, 0]
    reply = user.post("/farms", {"name": "x", "totalArea": 1}, headers)
    exhausted(reply, 3600, clock.instant(3600))


def test_a_key_s_own_limit_is_a_second_window(tilth, clock):
    user = tilth.user()
    narrow = user.with_key(rateLimit=2)
    assert window(narrow.get("/farms")) == (2, 1, clock.instant(3600))
    clock.at(60)
    assert window(narrow.get("/farms")) == (2, 0, clock.instant(3600))
    exhausted(narrow.get("/farms"), 3540, clock.instant(3600))
    assert window(user.get("/farms"))[:2] == (1000, 997)
    clock.at(3600)
    assert window(narrow.get("/farms")) == (2, 0, clock.instant(3660))


def test_the_headers_show_the_window_with_less_left_and_on_a_tie_the_plan_s(tilth, clock):
    user = tilth.user("seed")
    key = user.with_key(rateLimit=22)
    assert window(key.get("/farms"))[:2] == (22, 21)
    assert [window(user.get("/farms"))[1] for _ in range(3)] == [23, 22, 21]
    assert window(key.get("/farms"))[:2] == (25, 20)
    clock.at(1)
    assert window(user.get("/farms"))[:2] == (25, 19)
    assert window(key.get("/farms"))[:2] == (25, 18)


def test_of_two_used_up_windows_the_one_that_ends_later_is_shown(tilth, clock):
    user = tilth.user("expired")
    key = user.with_key(rateLimit=1)
    user.get("/farms")
    clock.at(600)
    user.get("/farms")
    clock.at(1200)
    key.get("/farms")
    exhausted(user.get("/farms"), 2400, clock.instant(3600))
    reply = key.get("/farms")
    exhausted(reply, 3600, clock.instant(4800))
    assert window(reply)[0] == 1


def test_a_change_of_plan_holds_at_once_and_keeps_the_counts(tilth, clock):
    user = tilth.user("seed")
    for _ in range(25):
        assert user.get("/farms").status == 200
    assert user.get("/farms").status == 429
    set_plan(user, "sprout")
    assert window(user.get("/farms"))[:2] == (50, 24)
    set_plan(user, "expired")
    reply = user.get("/farms")
    refused(reply, 429, "RATE_LIMIT_EXCEEDED")
    assert window(reply)[:2] == (3, 0)


def test_racing_requests_are_counted_one_by_one(tilth, clock):
    user = tilth.user("seed")

    def ask(_):
        client = user.service.stranger()
        return [client.get("/farms", {"Authorization": user.authorization}) for _ in range(5)]

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        replies = list(itertools.chain.from_iterable(pool.map(ask, range(8))))
    passed = [window(reply)[1] for reply in replies if reply.status == 200]
    assert sorted(passed) == list(range(25))
    assert sum(reply.status == 429 for reply in replies) == 15


def test_a_stranger_is_limited_by_address(tilth, clock):
    stranger, other = tilth.stranger(), tilth.stranger()
    for left in reversed(range(60)):
        reply = stranger.get("/farms") if left % 2 else stranger.send("GET", "/nowhere")
        assert reply.status in (401, 404)
        assert window(reply) == (60, left, clock.instant(60))
    clock.at(59.5)
    for reply in (stranger.get("/farms"), stranger.send("GET", "/nowhere"),
                  stranger.send("OPTIONS", "/api/v1/farms")):
        exhausted(reply, 1, clock.instant(60))
    assert window(other.get("/farms"))[1] == 59
    clock.at(60)
    assert window(stranger.get("/farms"))[1] == 59


def test_a_good_key_works_from_an_address_that_is_used_up(tilth, clock):
    stranger, user = tilth.stranger(), tilth.user()
    for _ in range(61):
        reply = stranger.get("/farms", {"Authorization": "Bearer x"})
    refused(reply, 429, "RATE_LIMIT_EXCEEDED")
    assert stranger.get("/farms", {"Authorization": user.authorization}).status == 200


def test_what_a_user_does_leaves_the_address_alone(tilth, clock):
    stranger, user = tilth.stranger(), tilth.user()
    for _ in range(5):
        stranger.get("/farms", {"Authorization": user.authorization})
    assert window(stranger.get("/farms"))[1] == 59


def test_counts_outlive_a_restart(tilth, clock):
    user, narrow = tilth.user("seed"), None
    narrow = user.with_key(rateLimit=10)
    for _ in range(4):
        user.get("/farms")
    clock.at(5)
    narrow.get("/farms")
    tilth.restart()
    again = tilth.stranger()
    reply = again.get("/farms", {"Authorization": user.authorization})
    assert window(reply) == (25, 19, clock.instant(3600))
    reply = again.get("/farms", {"Authorization": narrow.authorization})
    assert window(reply) == (10, 8, clock.instant(3605))
