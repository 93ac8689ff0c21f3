"""Many requests in one: each carried out as a request of its own, in order, and none of them twice."""
import json
import pathlib
import re
import threading
import uuid

import pytest

from client import Client
from person import Person
from service import VAST, Service, path_of, refused

CONFIG = VAST + """
[plans.dozen]
requests_per_hour = 12
farms = "unlimited"
ai_requests_per_month = "unlimited"
may_mint_keys = false
bytes_per_hour = "unlimited"
"""


@pytest.fixture
def user(tilth):
    return tilth.user("vast")


def request(method, path, body=None, **more):
    return {"method": method, "path": path, **({} if body is None else {"body": body}), **more}


def farm(name, **more):
    return request("POST", "/v1/farms", {"name": name, "totalArea": 5}, **more)


def batch(user, requests, headers=(), **more):
    return user.post("/batch", {"requests": requests, **more}, headers)


def done(reply):
    assert reply.status == 200, reply
    return reply.data


def statuses(reply):
    return [each["status"] for each in done(reply)]


def codes(reply):
    return [each["body"].get("code") if each["body"] else None for each in done(reply)]


def key():
    return {"Idempotency-Key": str(uuid.uuid4())}


FARM_WITH_ALL = [
    farm("Whole", id="farm"),
    request("POST", "/v1/farms/{$farm}/fields", {"name": "North", "area": 3}, id="field"),
    request("POST", "/v1/crops", {"farmId": "{$farm}", "fieldId": "{$field}", "cropType": "Date palm"}, id="crop"),
    request("POST", "/v1/farms/{$farm}/fields/{$field}/blocks", {"cropId": "{$crop}", "name": "B1"}, id="block")]


def plants(count, block="/v1/farms/{$farm}/fields/{$field}/blocks/{$block}"):
    return [request("POST", f"{block}/plants", {"label": f"P{number}"}) for number in range(count)]


def test_a_farm_is_set_up_in_one_batch(user):
    reply = batch(user, [*FARM_WITH_ALL, *plants(30), request("GET", "/v1/farms/{$farm}", id="again")])
    answers = done(reply)
    assert reply.json["meta"] == {"succeeded": 35, "failed": 0, "notAttempted": 0}
    ids = {each["id"]: each["body"]["data"]["id"] for each in answers if each["id"]}
    assert ids["again"] == ids["farm"]
    made = answers[0]
    assert list(made) == ["id", "status", "headers", "body"]
    assert made["headers"]["Location"] == f"/api/v1/farms/{ids['farm']}"
    assert made["headers"]["ETag"] == user.get(f"/farms/{ids['farm']}").header("ETag")
    assert made["body"] == user.get(f"/farms/{ids['farm']}").json
    block = f"/farms/{ids['farm']}/fields/{ids['field']}/blocks/{ids['block']}"
    assert user.read(block)["cropId"] == ids["crop"]
    labels = [each["label"] for each in user.read(f"{block}/plants")]
    assert sorted(labels) == sorted(f"P{number}" for number in range(30))
    assert reply.header("Tilth-Position") and reply.header("X-Request-Id")


def test_changes_are_made_in_their_order(user):
    made = user.farm()
    names = [f"Name {number}" for number in range(200)]
    reply = batch(user, [request("PUT", "/v1" + path_of(made), {"name": name}) for name in names])
    assert [each["body"]["data"]["name"] for each in done(reply)] == names
    assert user.read(path_of(made))["name"] == names[-1]


def test_a_read_sees_what_is_before_it_and_nothing_after_it(user):
    reply = batch(user, [farm("One"), request("GET", "/v1/farms?limit=5"), farm("Two"),
                         request("GET", "/v1/farms?limit=5&sort=name&order=asc")])
    answers = done(reply)
    assert [each["name"] for each in answers[1]["body"]["data"]] == ["One"]
    assert [each["name"] for each in answers[3]["body"]["data"]] == ["One", "Two"]


def test_each_request_fails_by_itself(user):
    made = user.farm(name="Taken")
    reply = batch(user, [farm("Taken"), farm("Free"), farm(""), request("PUT", "/v1/farms", {}),
                         request("GET", "/v1/nowhere"), request("GET", "/v1/farms/7"),
                         request("DELETE", "/v1" + path_of(made)), request("GET", "/v1" + path_of(made)),
                         request("POST", "/v1/farms", [1]), request("POST", "/v1/farms")])
    assert statuses(reply) == [409, 201, 400, 405, 404, 400, 204, 404, 400, 400]
    assert codes(reply) == ["CONFLICT", None, "VALIDATION_ERROR", "METHOD_NOT_ALLOWED", "NOT_FOUND", "INVALID_ID",
                            None, "NOT_FOUND", "VALIDATION_ERROR", "VALIDATION_ERROR"]
    assert done(reply)[6]["body"] is None and done(reply)[6]["headers"] == {}
    assert reply.json["meta"] == {"succeeded": 2, "failed": 8, "notAttempted": 0}
    assert set(done(reply)[2]["body"]["details"]) == {"name"}


def test_a_query_may_refer_to_an_id_too(user):
    reply = batch(user, [farm("A", id="a"), farm("B", id="b"), request("GET", "/v1/tasks?farmId={$a}"),
                         request("POST", "/v1/tasks", {"farmId": "{$b}", "title": "Prune", "category": "other"}),
                         request("GET", "/v1/tasks?farmId={$b}")])
    assert [len(done(reply)[place]["body"]["data"]) for place in (2, 4)] == [0, 1]


def test_what_refers_to_a_failed_request_fails_too(user):
    reply = batch(user, [farm("", id="a"), request("GET", "/v1/farms/{$a}", id="b"),
                         request("POST", "/v1/crops", {"farmId": "{$b}"}), farm("Other"),
                         request("GET", "/v1/farms", id="list"), request("GET", "/v1/farms/{$list}")])
    assert statuses(reply) == [400, 424, 424, 201, 200, 424]
    assert codes(reply)[1] == codes(reply)[2] == codes(reply)[5] == "FAILED_DEPENDENCY"
    assert reply.json["meta"] == {"succeeded": 2, "failed": 4, "notAttempted": 0}


@pytest.mark.parametrize("failing", [farm("Taken"), farm(""), request("GET", "/v1/farms/7")])
@pytest.mark.parametrize("headers", [{}, "key"])
def test_it_stops_at_the_first_failure_if_asked_to(user, failing, headers):
    user.farm(name="Taken")
    requests = [farm("First", id="first"), failing, farm("Never"), request("GET", "/v1/farms/{$first}"),
                *[farm(f"Never {number}") for number in range(300)]]
    reply = batch(user, requests, key() if headers else {}, onError="stop")
    assert statuses(reply)[0] == 201 and statuses(reply)[1] in (400, 409)
    assert set(statuses(reply)[2:]) == {424} and set(codes(reply)[2:]) == {"NOT_ATTEMPTED"}
    assert reply.json["meta"] == {"succeeded": 1, "failed": 1, "notAttempted": len(requests) - 2}
    assert len(user.listed("/farms?limit=100")) == 2


def test_a_stopping_batch_says_again_that_its_changes_are_done_though_a_read_fails_now(user):
    requests = [farm("First", id="first"), request("GET", "/v1/farms/{$first}"), farm("Second"),
                request("DELETE", "/v1/farms/{$first}"), request("GET", "/v1/farms/7"), farm("Never")]
    headers = key()
    first, again = (batch(user, requests, headers, onError="stop") for _ in range(2))
    assert statuses(first) == [201, 200, 201, 204, 400, 424]
    assert statuses(again) == [201, 404, 201, 204, 400, 424]
    assert again.json["meta"] == {"succeeded": 3, "failed": 2, "notAttempted": 1}
    assert again.header("Idempotent-Replayed") == "true"
    assert [each["name"] for each in user.get("/farms").data] == ["Second"]


def test_a_string_stands_for_an_id_only_if_it_is_nothing_else(user):
    reply = batch(user, [farm("A", id="a"),
                         request("POST", "/v1/farms", {"name": "see {$a}", "totalArea": 1, "description": "{$a}"}),
                         request("POST", "/v1/farms", {"name": "{$not an id}", "totalArea": "1.50"})])
    first, second, third = [each["body"]["data"] for each in done(reply)]
    assert second["name"] == "see {$a}" and second["description"] == first["id"]
    assert third["name"] == "{$not an id}" and third["totalArea"] == "1.5"


def test_numbers_are_taken_by_their_text(user):
    body = b'{"requests":[{"method":"POST","path":"/v1/farms","body":{"name":"A","totalArea":1.23456789012345678901}}]}'
    assert set(done(user.post("/batch", body))[0]["body"]["details"]) == {"totalArea"}


def test_if_match_holds_or_not_in_its_place(user):
    made = user.farm()
    path = "/v1" + path_of(made)
    tag = user.get(path_of(made)).header("ETag")
    reply = batch(user, [request("PUT", path, {"name": "New"}, ifMatch=tag),
                         request("PUT", path, {"name": "Newer"}, ifMatch=tag),
                         request("DELETE", path, ifMatch='"other"'), request("DELETE", path, ifMatch="*")])
    assert statuses(reply) == [200, 412, 412, 204]


def test_each_request_needs_its_scope(user):
    reader = user.with_key(scopes=["farms:read"])
    reply = batch(reader, [request("GET", "/v1/farms"), farm("No"), request("GET", "/v1/tasks")])
    assert statuses(reply) == [200, 403, 403]
    assert codes(reply)[1:] == ["INSUFFICIENT_SCOPE"] * 2


def test_a_plan_limits_each_request_in_its_place(tilth):
    seed = tilth.user("seed")
    reply = batch(seed, [farm("First", id="first"), farm("Second"), request("DELETE", "/v1/farms/{$first}"), farm("Third")])
    assert statuses(reply) == [201, 403, 204, 201]
    refused_ = done(reply)[1]["body"]
    assert (refused_["code"], refused_["details"]) == ("PLAN_LIMIT_EXCEEDED", {"limit": 1, "current": 1})
    assert [each["name"] for each in seed.get("/farms").data] == ["Third"]


def test_what_goes_with_a_record_is_gone_for_the_requests_after_it(user):
    reply = batch(user, [*FARM_WITH_ALL, *plants(3), request("DELETE", "/v1/farms/{$farm}/fields/{$field}"),
                         request("GET", "/v1/crops/{$crop}"),
                         request("POST", "/v1/farms/{$farm}/fields/{$field}/blocks", {"cropId": "{$crop}", "name": "B2"}),
                         request("GET", "/v1/farms/{$farm}/fields/{$field}/blocks/{$block}/plants"),
                         request("POST", "/v1/farms/{$farm}/fields", {"name": "North", "area": 3})])
    assert statuses(reply)[len(FARM_WITH_ALL) + 3:] == [204, 404, 404, 404, 201]


def test_a_batch_sees_nothing_of_others(tilth, user):
    stranger = tilth.user("vast")
    theirs = stranger.farm(name="Theirs")
    path = f"/v1{path_of(theirs)}"
    reply = batch(user, [
        request("GET", path), request("PUT", path, {"name": "Mine"}), request("DELETE", path),
        request("POST", f"{path}/fields", {"name": "North", "area": 1}),
        request("POST", "/v1/tasks", {"farmId": theirs["id"], "title": "Prune", "category": "other"})])
    assert statuses(reply) == [404] * 5 and set(codes(reply)) == {"NOT_FOUND"}
    assert stranger.read(path_of(theirs))["name"] == "Theirs"


@pytest.mark.parametrize("body,paths", [
    (b"", {"requests"}), (b"[]", {"body"}), (b"{", {"body"}), ({"requests": []}, {"requests"}),
    ({"requests": {}}, {"requests"}), ({"requests": [farm("A")] * 1001}, {"requests"}),
    ({"requests": [1]}, {"requests.0"}), ({"requests": [{}]}, {"requests.0.method", "requests.0.path"}),
    ({"requests": [farm("A"), request("PATCH", "/v1/farms")]}, {"requests.1.method"}),
    ({"requests": [request("get", "/v1/farms")]}, {"requests.0.method"}),
    ({"requests": [request("GET", "/v1/farms", id=5)]}, {"requests.0.id"}),
    ({"requests": [farm("A")], "onError": None}, {"onError"}),
    ({"requests": [request("GET", "/api/v1/farms")]}, {"requests.0.path"}),
    ({"requests": [request("GET", "/v1/farms x")]}, {"requests.0.path"}),
    ({"requests": [request("POST", "/v1/batch", {})]}, {"requests.0.path"}),
    ({"requests": [request("GET", "/v1/events?limit=1")]}, {"requests.0.path"}),
    ({"requests": [request("GET", "/v1/%65vents")]}, {"requests.0.path"}),
    ({"requests": [farm("A", id="a b")]}, {"requests.0.id"}), ({"requests": [farm("A", id="")]}, {"requests.0.id"}),
    ({"requests": [farm("A", id="x" * 65)]}, {"requests.0.id"}),
    ({"requests": [farm("A", id="a"), farm("B", id="a")]}, {"requests.1.id"}),
    ({"requests": [farm("A", ifMatch=5)]}, {"requests.0.ifMatch"}),
    ({"requests": [farm("A")], "onError": "halt"}, {"onError"}),
    ({"requests": [request("GET", "/v1/farms/{$a}", id="a")]}, {"requests.0.path"}),
    ({"requests": [request("GET", "/v1/farms/{$b}"), farm("B", id="b")]}, {"requests.0.path"}),
    ({"requests": [farm("A", id="a"), request("POST", "/v1/crops", {"x": [1, {"y": "{$none}"}]})]},
     {"requests.1.body.x.1.y"})])
def test_a_batch_of_the_wrong_form_is_refused_whole(user, body, paths):
    refused(user.post("/batch", body), 400, "VALIDATION_ERROR", *paths)
    assert user.listed("/farms") == []


def test_a_batch_has_no_as_of(user):
    refused(batch(user, [request("GET", "/v1/farms")], {"Tilth-As-Of": "2026-01-01T00:00:00Z"}), 400,
            "VALIDATION_ERROR", "Tilth-As-Of")


def test_a_thousand_requests_are_carried_out(user):
    reply = batch(user, [farm("F", id="f"), *[request("GET", "/v1/farms/{$f}")] * 999])
    assert set(statuses(reply)) == {201, 200} and reply.json["meta"]["succeeded"] == 1000


def test_bodies_have_limits(user):
    large = farm("Large")
    large["body"]["notes"] = "x" * (1 << 20)
    assert statuses(batch(user, [large, farm("Small")])) == [413, 201]
    many = json.dumps({"requests": [farm("A")], "more": "x" * (8 << 20)})
    refused(user.post("/batch", many), 413, "PAYLOAD_TOO_LARGE")
    refused(user.post("/farms", "x" * ((1 << 20) + 1)), 413, "PAYLOAD_TOO_LARGE")
    padded = farm("Padded")
    padded["body"]["description"] = "x" * 1000
    text = json.dumps({"requests": [padded]})
    assert statuses(user.post("/batch", text + " " * ((8 << 20) - len(text)))) == [201]
    refused(user.post("/batch", text + " " * ((8 << 20) - len(text) + 1)), 413, "PAYLOAD_TOO_LARGE")


def test_its_answers_have_a_limit_together(user):
    block = user.block(user.crop(user.field(user.farm())))
    path = f"{path_of(block)}/plants"
    for start in range(0, 3000, 1000):
        reply = batch(user, [request("POST", "/v1" + path, {"label": f"{start + each}", "notes": "n" * 900})
                             for each in range(1000)])
        assert reply.json["meta"]["succeeded"] == 1000
    reply = batch(user, [request("GET", "/v1" + path)] * 40)
    answered = statuses(reply)
    assert answered[0] == 200 and answered[-1] == 413 and len(reply.body) < 17 << 20
    assert answered == sorted(answered)


def counted(reply):
    return int(reply.header("X-RateLimit-Limit")) - int(reply.header("X-RateLimit-Remaining"))


@pytest.mark.parametrize("size,cost", [(1, 1), (100, 1), (101, 2), (200, 2), (1000, 10)])
def test_a_hundred_requests_count_as_one(tilth, size, cost):
    reply = batch(tilth.user("dozen"), [request("GET", "/v1/nowhere")] * size)
    assert reply.status == 200 and counted(reply) == cost


def test_a_batch_that_does_not_fit_the_rate_limit_is_not_carried_out_and_not_counted(tilth):
    user = tilth.user("dozen")
    assert counted(batch(user, [request("GET", "/v1/nowhere")] * 1000)) == 10
    reply = batch(user, [farm(f"F{number}") for number in range(300)])
    refused(reply, 429, "RATE_LIMIT_EXCEEDED")
    assert int(reply.header("Retry-After")) > 0
    assert counted(user.get("/farms")) == 11
    assert user.listed("/farms") == []


def test_a_batch_that_never_fits_the_rate_limit_says_so(tilth):
    reply = batch(tilth.user("dozen").with_key(rateLimit=2), [request("GET", "/v1/nowhere")] * 300)
    refused(reply, 429, "RATE_LIMIT_EXCEEDED")
    assert reply.header("X-RateLimit-Limit") == "2" and "smaller ones" in reply.json["message"]


def test_the_same_batch_is_done_once(user):
    once = key()
    requests = [*FARM_WITH_ALL, *plants(20), farm("Whole"), farm(""), request("DELETE", "/v1/farms/{$farm}")]
    first = batch(user, requests, once)
    again = batch(user, requests, once)
    assert statuses(first)[-3:] == [409, 400, 204]
    assert again.body == first.body and again.status == 200
    assert again.header("Idempotent-Replayed") == "true" and first.header("Idempotent-Replayed") is None
    assert again.header("Tilth-Position")
    refused(batch(user, requests[:-1], once), 409, "CONFLICT")
    refused(user.post("/farms", {"name": "X", "totalArea": 1}, once), 409, "CONFLICT")


def test_a_refused_form_is_replayed(user):
    once = key()
    first = user.post("/batch", {"requests": []}, once)
    again = user.post("/batch", {"requests": []}, once)
    assert first.status == again.status == 400 and again.body == first.body
    assert again.header("Idempotent-Replayed") == "true"
    refused(batch(user, [farm("A")], once), 409, "CONFLICT")
    refused(batch(user, [farm("A")], {"Idempotency-Key": "7"}), 400, "VALIDATION_ERROR", "Idempotency-Key")


def test_it_is_replayed_after_a_restart(user, tilth):
    once = key()
    requests = [*FARM_WITH_ALL, *plants(5)]
    first = batch(user, requests, once)
    tilth.restart()
    again = batch(tilth.client_of(user), requests, once)
    assert again.body == first.body


@pytest.mark.parametrize("wait", [0.0, 0.004, 0.01, 0.02, 0.04])
def test_a_batch_cut_short_by_a_kill_carries_on(tmp_path, wait):
    service = Service(tmp_path, config=VAST)
    try:
        user = service.start().user("vast")
        once, requests = key(), [*FARM_WITH_ALL, *plants(900)]
        killer = threading.Timer(wait, service.kill)
        killer.start()
        try:
            batch(user, requests, once)
        except (OSError, Exception):  # the service is gone
            pass
        killer.join()
        again = service.start().client_of(user)
        reply = batch(again, requests, once)
        assert reply.json["meta"] == {"succeeded": 904, "failed": 0, "notAttempted": 0}
        kinds = [event["type"] for event in service.events(user.id)]
        assert kinds.count("tilth.farm.registered") == 1
        assert sum(".plant." in kind for kind in kinds) == 900
        assert batch(again, requests, once).body == reply.body
    finally:
        service.kill()


def test_a_client_that_leaves_ends_its_batch(user, tilth):
    once, requests = key(), [*FARM_WITH_ALL, *plants(900)]
    leaving = Client(tilth.address, user.authorization)
    body = json.dumps({"requests": requests}).encode()
    head = "".join(f"{name}: {value}\r\n" for name, value in {
        "host": "x", "authorization": user.authorization, "content-type": "application/json",
        "content-length": len(body), **once}.items())
    leaving.connection().sendall(f"POST /api/v1/batch HTTP/1.1\r\n{head}\r\n".encode() + body)
    leaving.close()
    reply = batch(user, requests, once)
    while reply.status == 409:
        reply = batch(user, requests, once)
    assert reply.json["meta"]["succeeded"] == 904


@pytest.mark.parametrize("wait", [0.0, 0.01, 0.03])
def test_a_stop_in_the_middle_is_orderly_and_the_batch_carries_on(tmp_path, wait):
    service = Service(tmp_path, config=VAST)
    try:
        user = service.start().user("vast")
        once, requests = key(), [*FARM_WITH_ALL, *plants(900)]
        replies = []

        def send():
            try:
                replies.append(batch(user, requests, once))
            except OSError:  # it came too late
                pass
        sender = threading.Thread(target=send)
        sender.start()
        sender.join(wait)
        service.stop()
        sender.join()
        assert all(reply.status in (200, 503) for reply in replies), replies
        again = service.start().client_of(user)
        assert batch(again, requests, once).json["meta"]["succeeded"] == 904
        assert sum(".plant." in event["type"] for event in service.events(user.id)) == 900
    finally:
        service.kill()


def test_a_person_sends_batches_too(tilth):
    person = Person(tilth).signed_in()
    reply = person.ask("POST", "/api/batch", {"requests": [
        farm("Oasis", id="farm"), request("POST", "/v1/farms/{$farm}/fields", {"name": "North", "area": 1}),
        request("GET", "/v1/api-keys"), request("GET", "/v1/me"), request("GET", "/v1/billing/usage"),
        request("POST", "/v1/webhooks", {"url": "https://farm.invalid/"}, id="hook"),
        request("POST", "/v1/webhooks/{$hook}/test")]})
    assert statuses(reply) == [201, 201, 404, 404, 404, 201, 200]
    made = done(reply)[0]
    assert made["headers"]["Location"] == f"/api/farms/{made['body']['data']['id']}"
    assert counted(person.ask("POST", "/api/batch", {"requests": [request("GET", "/v1/nowhere")] * 300})) == 4
    refused(person.ask("POST", "/api/batch", {"requests": [farm("A")]}, {"Origin": "https://evil.example"}), 403,
            "FOREIGN_ORIGIN")
    refused(tilth.stranger().send("POST", "/api/batch", {}), 401, "UNAUTHENTICATED")


def test_the_checks_of_a_batch_come_in_order(tilth, user):
    refused(tilth.stranger().post("/batch", {}), 401, "MISSING_API_KEY")
    refused(user.get("/batch"), 405, "METHOD_NOT_ALLOWED")
    refused(user.post("/batch", b"x", {"Content-Type": "text/plain"}), 415, "UNSUPPORTED_MEDIA_TYPE")


def test_a_batch_reads_its_own_position(user):
    position = user.post("/farms", {"name": "A", "totalArea": 1}).header("Tilth-Position")
    reply = batch(user, [request("GET", "/v1/farms")], {"Tilth-Min-Position": position})
    assert len(done(reply)[0]["body"]["data"]) == 1
    refused(batch(user, [request("GET", "/v1/farms")], {"Tilth-Min-Position": "x"}), 400, "VALIDATION_ERROR",
            "Tilth-Min-Position")


def test_the_examples_are_accepted_as_printed(user, tilth):
    described = tilth.stranger().send("GET", "/api/openapi.json").json["paths"]["/api/v1/batch"]["post"]
    example = described["requestBody"]["content"]["application/json"]["example"]
    assert set(statuses(user.post("/batch", example))) == {201}
    page = (pathlib.Path(__file__).resolve().parents[3] / "docs/api.md").read_text()
    printed = re.search(r"api/v1/batch -H.*? -d '(.*?)'\n", page, re.DOTALL).group(1)
    assert set(statuses(tilth.user("vast").post("/batch", printed))) == {201}


def test_a_batch_is_counted(user, tilth):
    batch(user, [farm("A"), farm("A"), farm("B")], onError="stop")
    metrics = tilth.operator.send("GET", "/metrics").body.decode()
    for outcome in ("succeeded", "failed", "not_attempted"):
        assert f'tilth_batch_requests_total{{outcome="{outcome}"}}' in metrics
