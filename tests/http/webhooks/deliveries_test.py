"""Events arrive at webhooks: signed, retried, listed, sent again, and given up."""
import json
import ssl
import subprocess
import threading
import time

import pytest

from receiver import Receiver, eventually, is_signed, raw
from service import VAST, Service, refused

CONFIG = """
[webhooks]
allow_http = true
allow_private = true
""" + VAST


def hook(user, receiver, **members):
    return user.made("/webhooks", {"url": receiver.url, **members})


def deliveries(user, webhook, **filters):
    query = "&".join(f"{name}={value}" for name, value in filters.items())
    reply = user.get(f"/webhooks/{webhook['id']}/deliveries?{query}")
    assert reply.status == 200, reply
    return reply.data


def settled(user, webhook, count=1, **filters):
    """The deliveries, once there are so many of that kind."""
    return eventually(lambda: (found := deliveries(user, webhook, **filters)) and len(found) >= count and found)


def test_an_event_arrives_as_the_history_shows_it_and_is_signed(user):
    with Receiver() as receiver:
        webhook = hook(user, receiver)
        farm = user.farm()
        one, = receiver.first(1)
    shown = json.loads(user.get("/events?type=tilth.farm.registered").body)
    assert one.json == shown and one.json["data"]["farmId"] == farm["id"]
    assert one.headers["content-type"] == "application/cloudevents+json"
    assert one.id == one.json["id"]
    assert abs(int(one.headers["webhook-timestamp"]) - time.time()) < 60
    assert is_signed(one, webhook["secret"])
    delivery, = settled(user, webhook, status="delivered")
    assert delivery == {"id": delivery["id"], "eventId": one.id, "type": "tilth.farm.registered", "attempt": 1,
                        "status": "delivered", "httpStatus": 204, "error": None,
                        "durationMs": delivery["durationMs"], "at": delivery["at"], "nextAttemptAt": None}
    shown = user.get(f"/webhooks/{webhook['id']}").data
    assert shown["lastSuccessAt"] == delivery["at"] and shown["lastFailureAt"] is None


def test_a_delivery_changes_the_tag_of_its_webhook(tilth, user):
    with Receiver() as receiver:
        path = f"/webhooks/{hook(user, receiver, types=['tilth.farm.*'])['id']}"
        before = user.get(path).header("ETag")
        tilth.advance("PT1H")
        user.farm()
        eventually(lambda: user.get(path).data["lastSuccessAt"])
        assert user.get(path, {"If-None-Match": before}).status == 200
        assert refused(user.put(path, {"description": "Ledger"}, {"If-Match": before}), 412, "PRECONDITION_FAILED")
        assert user.put(path, {"description": "Ledger"}, {"If-Match": user.get(path).header("ETag")}).status == 200


def test_a_test_shows_what_the_receiver_answers_and_is_signed_and_no_delivery(user):
    with Receiver(lambda number, one: (418, {}, "\N{EAR OF RICE}".encode() * 1_000)) as receiver:
        webhook = hook(user, receiver, types=["tilth.farm.*"])
        tested = user.post(f"/webhooks/{webhook['id']}/test")
        one, = receiver.first(1)
        assert one.json["type"] == "tilth.webhook.test" and is_signed(one, webhook["secret"])
        assert tested.status == 200 and list(tested.data) == ["status", "milliseconds", "error", "body"], tested
        assert tested.data["status"] == 418 and tested.data["milliseconds"] >= 0
        assert len(tested.data["body"].encode()) <= 1_000 and set(tested.data["body"]) == {"\N{EAR OF RICE}"}
        assert deliveries(user, webhook) == []


def test_events_before_a_webhook_and_of_other_types_and_owners_are_not_sent(tilth, user):
    user.farm()
    with Receiver() as receiver:
        hook(user, receiver, types=["tilth.field.*", "tilth.*.amended"])
        tilth.user().farm()
        farm = user.farm()
        user.field(farm)
        user.put(f"/farms/{farm['id']}", {"name": "Changed"})
        types = [one.json["type"] for one in receiver.first(2)]
    assert sorted(types) == ["tilth.farm.amended", "tilth.field.registered"]


@pytest.mark.parametrize("status", [301, 302, 307, 400, 404, 429, 500, 503])
def test_any_answer_but_2xx_is_tried_again(tilth, user, status):
    elsewhere = Receiver()
    with elsewhere, Receiver(lambda number, one: (status, {"location": elsewhere.url}, b"no") if number == 1
                             else 200) as receiver:
        webhook = hook(user, receiver)
        user.farm()
        failed, = settled(user, webhook, status="pending")
        assert (failed["attempt"], failed["httpStatus"]) == (1, status) and failed["error"]
        tilth.advance("PT6S")
        first, second = receiver.first(2)
        assert first.id == second.id and first.body == second.body
        delivered, = settled(user, webhook, status="delivered")
        assert (delivered["id"], delivered["attempt"]) == (failed["id"], 2)
    assert not elsewhere.received


def test_a_receiver_that_is_down_for_a_day_gets_everything_in_the_end(tilth, user):
    receiver = Receiver()
    port, url = receiver.port, receiver.url
    receiver.close()
    webhook = user.made("/webhooks", {"url": url})
    farms = [user.farm()["id"] for _ in range(3)]
    settled(user, webhook, 3, status="pending")
    for attempt, delay in enumerate(["PT6S", "PT70S", "PT6M", "PT35M", "PT2H30M", "PT6H", "PT11H", "PT16H"], 2):
        tilth.advance(delay)
        eventually(lambda: all(one["attempt"] == attempt for one in deliveries(user, webhook)))
    with Receiver(port=port) as receiver:
        tilth.advance("PT23H")
        received = receiver.first(3)
        assert {one.json["data"]["farmId"] for one in received} == set(farms)
        settled(user, webhook, 3, status="delivered")
    assert user.get(f"/webhooks/{webhook['id']}").data["isActive"] is True


def test_after_the_last_attempt_a_webhook_is_disabled_with_a_reason(tilth, user):
    with Receiver(lambda number, one: 500) as receiver:
        webhook = hook(user, receiver, types=["tilth.farm.*"])
        user.farm()
        for attempt, delay in enumerate(["PT6S", "PT70S", "PT6M", "PT35M", "PT2H30M", "PT6H", "PT11H", "PT16H",
                                         "PT23H", "PT27H"], 2):
            receiver.first(attempt - 1)
            eventually(lambda: [one["attempt"] for one in deliveries(user, webhook)] == [attempt - 1])
            tilth.advance(delay)
        receiver.first(11)
        shown = eventually(lambda: (it := user.get(f"/webhooks/{webhook['id']}").data) and not it["isActive"] and it)
        assert "11 times" in shown["disabledReason"] and "500" in shown["disabledReason"]
        failed, = deliveries(user, webhook, status="failed")
        assert failed["attempt"] == 11 and failed["nextAttemptAt"] is None


def test_410_disables_a_webhook_at_once_and_active_again_it_carries_on(user):
    with Receiver(lambda number, one: 410 if number == 1 else 204) as receiver:
        webhook = hook(user, receiver, types=["tilth.farm.*"])
        user.farm()
        eventually(lambda: not user.get(f"/webhooks/{webhook['id']}").data["isActive"])
        shown = user.get(f"/webhooks/{webhook['id']}").data
        assert "410" in shown["disabledReason"]
        missed = user.farm()
        back = user.put(f"/webhooks/{webhook['id']}", {"isActive": True}).data
        assert back["isActive"] and back["disabledReason"] is None
        assert receiver.first(2)[1].json["data"]["farmId"] == missed["id"]
        assert [one["status"] for one in settled(user, webhook, 2)] == ["delivered", "failed"]


def test_a_slow_receiver_delays_no_other(user):
    def slow(number, one):
        time.sleep(5)
        return 204

    with Receiver(slow) as late, Receiver() as quick:
        hook(user, late)
        hook(user, quick)
        begun = time.monotonic()
        for _ in range(5):
            user.farm()
        quick.wait(lambda received: len(received) >= 5)
        assert time.monotonic() - begun < 4


@raw
def endless(handler, number, one):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n")
    for _ in range(100_000):
        handler.wfile.write(b"x" * 65_536)


@raw
def endless_head(handler, number, one):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    for _ in range(100_000):
        handler.wfile.write(b"x-more: " + b"x" * 8_000 + b"\r\n")


@raw
def too_short(handler, number, one):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\nshort")


@raw
def nonsense(handler, number, one):
    handler.wfile.write(b"\x00\xff nothing of HTTP\r\n\r\n")


def test_an_endless_answer_is_read_up_to_its_limit_and_its_status_counts(user):
    with Receiver(endless) as receiver:
        webhook = hook(user, receiver)
        user.farm()
        delivery, = settled(user, webhook, status="delivered")
        assert delivery["durationMs"] < 5_000
        tested = user.post(f"/webhooks/{webhook['id']}/test").data
        assert tested["status"] == 200 and tested["body"] == "x" * 1_000


def test_an_answer_shorter_than_it_says_counts_by_its_status(user):
    with Receiver(too_short) as receiver:
        webhook = hook(user, receiver)
        user.farm()
        assert settled(user, webhook, status="delivered")[0]["httpStatus"] == 200


@pytest.mark.parametrize("behave", [endless_head, nonsense])
def test_what_is_no_answer_is_a_failure(user, behave):
    with Receiver(behave) as receiver:
        webhook = hook(user, receiver)
        user.farm()
        failed, = settled(user, webhook, status="pending")
        assert failed["error"] and failed["durationMs"] < 9_000


def test_a_receiver_that_never_answers_is_given_ten_seconds(user):
    @raw
    def silent(handler, number, one):
        time.sleep(30)

    with Receiver(silent) as receiver:
        webhook = hook(user, receiver)
        user.farm()
        failed, = settled(user, webhook, status="pending")
        assert 9_900 <= failed["durationMs"] < 15_000 and "10 seconds" in failed["error"]


def test_a_certificate_that_nobody_vouches_for_is_a_failure(user, tmp_path):
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out",
                    certificate], check=True, capture_output=True)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    with Receiver(tls=tls) as receiver:
        webhook = hook(user, receiver)
        tested = user.post(f"/webhooks/{webhook['id']}/test").data
        assert tested["status"] is None and "certificate" in tested["error"]
        assert not receiver.received


def test_deliveries_are_kept_for_thirty_days_unless_they_are_pending(tilth, user):
    with Receiver(lambda number, one: 204 if number > 1 else 500) as receiver:
        webhook = hook(user, receiver, types=["tilth.farm.*"])
        user.farm()
        settled(user, webhook, status="pending")
        user.put(f"/webhooks/{webhook['id']}", {"isActive": False})
        other = hook(user, receiver, types=["tilth.farm.*"])
        user.farm()
        settled(user, other, status="delivered")
        tilth.advance("P29D")
        assert deliveries(user, other)
        tilth.advance("P1DT1S")
        eventually(lambda: not deliveries(user, other))
        assert [one["status"] for one in deliveries(user, webhook)] == ["pending"]


def test_ten_thousand_deliveries_of_a_webhook_are_kept(tilth):
    user = tilth.user(plan="vast")
    farm = user.farm()
    with Receiver() as receiver:
        webhook = hook(user, receiver, types=["tilth.task.*"])
        task = {"farmId": farm["id"], "title": "Prune", "category": "other"}
        for _ in range(11):
            batch = {"requests": [{"method": "POST", "path": "/v1/tasks", "body": task}] * 1_000}
            assert user.post("/batch", batch).json["meta"]["succeeded"] == 1_000
        receiver.first(11_000)
        assert len({one.id for one in receiver.received}) == 11_000
        def kept():
            page = user.get(f"/webhooks/{webhook['id']}/deliveries").json
            return 9_000 < page["pagination"]["total"] <= 10_000 and page["data"]
        assert eventually(kept)[0]["type"] == "tilth.task.created"


def test_after_a_rotation_both_secrets_sign_for_a_day(tilth, user):
    with Receiver() as receiver:
        webhook = hook(user, receiver, types=["tilth.farm.*"])
        reply = user.post(f"/webhooks/{webhook['id']}/rotate")
        assert reply.status == 200 and reply.data["secret"] != webhook["secret"]
        user.farm()
        one, = receiver.first(1)
        assert is_signed(one, webhook["secret"]) and is_signed(one, reply.data["secret"])
        tilth.advance("P1D")
        user.farm()
        two = receiver.first(2)[1]
        assert is_signed(two, reply.data["secret"]) and not is_signed(two, webhook["secret"])


def test_a_retry_after_a_rotation_is_signed_with_both_secrets(tilth, user):
    with Receiver(lambda number, one: 500 if number == 1 else 204) as receiver:
        webhook = hook(user, receiver, types=["tilth.farm.*"])
        user.farm()
        settled(user, webhook, status="pending")
        rotated = user.post(f"/webhooks/{webhook['id']}/rotate").data
        tilth.advance("PT6S")
        first, second = receiver.first(2)
        assert is_signed(first, webhook["secret"]) and not is_signed(first, rotated["secret"])
        assert is_signed(second, webhook["secret"]) and is_signed(second, rotated["secret"])


def in_batch(user, *requests, **more):
    requests = [{"method": method, "path": f"/v1/webhooks{path}", **members} for method, path, members in requests]
    reply = user.post("/batch", {"requests": requests, **more})
    assert reply.status == 200, reply
    return reply.data


def test_webhooks_in_a_batch_are_as_in_single_requests(user):
    user.farm()
    with Receiver() as receiver, Receiver() as other:
        made, tested, moved, again, rotated, replayed, listed = in_batch(
            user, ("POST", "", {"id": "hook", "body": {"url": receiver.url, "types": ["tilth.farm.*"]}}),
            ("POST", "/{$hook}/test", {}), ("PUT", "/{$hook}", {"body": {"url": other.url}}),
            ("POST", "/{$hook}/test", {}), ("POST", "/{$hook}/rotate", {}),
            ("POST", "/{$hook}/replay", {"body": {"since": "2026-01-01"}}), ("GET", "/{$hook}/deliveries", {}))
        assert [each["status"] for each in (made, moved, rotated, listed)] == [201, 200, 200, 200]
        assert replayed["status"] == 202
        for one in (tested, again):
            assert one["status"] == 200 and one["body"]["data"]["status"] == 204, one
        # Each test was sent in its place: to where the webhook led, with the secret that it had.
        first, = receiver.first(1)
        second = other.first(2)[0]
        secrets = [each["body"]["data"]["secret"] for each in (made, rotated)]
        assert [[is_signed(one, secret) for secret in secrets] for one in (first, second)] == [[True, False]] * 2
        assert other.first(2)[1].json["type"] == "tilth.farm.registered"
        delivery, = settled(user, made["body"]["data"], status="delivered")
        resent, = in_batch(user, ("POST", f"/{made['body']['data']['id']}/deliveries/{delivery['id']}/resend", {}))
        assert resent["status"] == 202
        assert other.first(3)[2].id == delivery["eventId"]


def test_a_batch_that_has_stopped_tests_no_webhook(user):
    with Receiver() as receiver:
        path = f"/{hook(user, receiver)['id']}"
        _, refused_, skipped = in_batch(user, ("POST", path + "/test", {}), ("PUT", path, {"body": {"url": "x"}}),
                                        ("POST", path + "/test", {}), onError="stop")
        assert refused_["status"] == 400 and skipped["body"]["code"] == "NOT_ATTEMPTED"
        assert len(receiver.received) == 1


def test_a_batch_tests_at_most_twenty_webhooks(user):
    with Receiver() as receiver:
        path = f"/{hook(user, receiver)['id']}/test"
        statuses = [each["status"] for each in in_batch(user, *[("POST", path, {})] * 22, ("GET", "", {}))]
        assert statuses == [200] * 20 + [503] * 2 + [200] and len(receiver.received) == 20


def test_as_of_an_earlier_time_later_attempts_are_not_shown(tilth, user):
    with Receiver() as receiver:
        webhook = hook(user, receiver, types=["tilth.farm.*"])
        path, before = f"/webhooks/{webhook['id']}", tilth.now()
        tilth.advance("PT1H")
        user.farm()
        settled(user, webhook, status="delivered")
        after = tilth.now()
        for at, success in ((before, None), (after, after)):
            assert user.get(path, {"Tilth-As-Of": at}).data["lastSuccessAt"] == success
            assert user.get("/webhooks", {"Tilth-As-Of": at}).data[0]["lastSuccessAt"] == success
        refused(user.get(path + "/deliveries", {"Tilth-As-Of": after}), 400, "VALIDATION_ERROR", "Tilth-As-Of")


def test_another_owners_deliveries_are_not_found(tilth, user):
    other = tilth.user()
    with Receiver() as receiver:
        theirs, own = hook(other, receiver, types=["tilth.farm.*"]), hook(user, receiver, types=["tilth.none"])
        other.farm()
        delivery, = settled(other, theirs, status="delivered")
        for webhook in (theirs, own):
            path = f"/webhooks/{webhook['id']}/deliveries/{delivery['id']}/resend"
            refused(user.post(path), 404, "NOT_FOUND")
        refused(user.get(f"/webhooks/{theirs['id']}/deliveries"), 404, "NOT_FOUND")
        assert deliveries(user, own) == [] and len(receiver.received) == 1


def test_a_delivery_can_be_sent_again(tilth, user):
    with Receiver() as receiver:
        webhook = hook(user, receiver, types=["tilth.farm.*"])
        user.farm()
        delivery, = settled(user, webhook, status="delivered")
        reply = user.post(f"/webhooks/{webhook['id']}/deliveries/{delivery['id']}/resend")
        assert reply.status == 202, reply
        first, second = receiver.first(2)
        assert first.id == second.id and first.body == second.body
        both = settled(user, webhook, 2, status="delivered")
        again, = (each for each in both if each["id"] != delivery["id"])  # in any order if within a millisecond
        assert again["eventId"] == delivery["eventId"]
        missing = user.post(f"/webhooks/{webhook['id']}/deliveries/{webhook['id']}/resend")
        assert refused(missing, 404, "NOT_FOUND")


def test_a_pending_delivery_that_is_sent_again_is_tried_at_once(user):
    with Receiver(lambda number, one: 500 if number == 1 else 204) as receiver:
        webhook = hook(user, receiver, types=["tilth.farm.*"])
        user.farm()
        failed, = settled(user, webhook, status="pending")
        assert user.post(f"/webhooks/{webhook['id']}/deliveries/{failed['id']}/resend").status == 202
        receiver.first(2)
        delivered, = settled(user, webhook, status="delivered")
        assert (delivered["id"], delivered["attempt"]) == (failed["id"], 2)


def test_a_delivery_that_is_sent_again_while_it_is_under_way_is_sent_once_and_holds_up_no_event(user):
    go_on = threading.Event()

    def behave(number, one):
        if number > 1 and one.id == receiver.received[0].id:
            go_on.wait(8)
        return 500 if number == 1 else 204

    with Receiver(behave) as receiver:
        webhook = hook(user, receiver, types=["tilth.farm.*"])
        user.farm()
        failed, = settled(user, webhook, status="pending")
        for count in (1, 2):  # a receiver that is fast gets several requests at a time
            user.farm()
            settled(user, webhook, count, status="delivered")
        resend = f"/webhooks/{webhook['id']}/deliveries/{failed['id']}/resend"
        assert user.post(resend).status == 202
        receiver.first(4)
        assert user.post(resend).status == 202
        user.farm()  # after which the second wish has been read
        settled(user, webhook, 3, status="delivered")
        go_on.set()
        settled(user, webhook, 4, status="delivered")
        assert [one.id for one in receiver.received].count(failed["eventId"]) == 2
        user.farm()
        settled(user, webhook, 5, status="delivered")


def test_past_events_are_replayed(tilth, user):
    before = user.farm()
    tilth.advance("PT1H")
    since = tilth.now()
    farms = [user.farm()["id"] for _ in range(3)]
    tilth.advance("PT1S")
    until = tilth.now()
    after = user.farm()
    with Receiver() as receiver:
        webhook = hook(user, receiver, types=["tilth.farm.*"])
        body = {"since": since, "until": until}
        assert user.post(f"/webhooks/{webhook['id']}/replay", body).status == 202
        received = receiver.first(3)
        assert {one.json["data"]["farmId"] for one in received} == set(farms)
        assert is_signed(received[0], webhook["secret"])
        body = {"since": "2020-01-01T00:00:00Z", "types": ["tilth.farm.registered"]}
        assert user.post(f"/webhooks/{webhook['id']}/replay", body).status == 202
        received = receiver.first(8)[3:]
        assert {one.json["data"]["farmId"] for one in received} == {before["id"], *farms, after["id"]}
        settled(user, webhook, 8, status="delivered")
        assert len(receiver.received) == 8


def test_a_webhook_has_ten_replays_under_way_at_most(user):
    over = threading.Event()
    user.farm()
    with Receiver(lambda number, one: over.wait(9) and 204) as receiver:
        webhook = hook(user, receiver, types=["tilth.farm.*"])
        path, body = f"/webhooks/{webhook['id']}/replay", {"since": "2020-01-01"}
        asked = in_batch(user, *[("POST", path.removeprefix("/webhooks"), {"body": body})] * 25)
        assert [each["status"] for each in asked] == [202] * 10 + [409] * 15
        receiver.first(1)  # after which they have been taken up
        again = user.post(path, body)
        assert refused(again, 409, "CONFLICT") and "10 replays" in again.json["message"]
        other = hook(user, receiver, types=["tilth.farm.*"])
        assert user.post(f"/webhooks/{other['id']}/replay", body).status == 202
        over.set()
        eventually(lambda: user.post(path, body).status == 202)
        receiver.first(12)


def test_a_replay_needs_a_time(user):
    with Receiver() as receiver:
        webhook = hook(user, receiver)
        path = f"/webhooks/{webhook['id']}/replay"
        assert refused(user.post(path, {}), 400, "VALIDATION_ERROR", "since")
        body = {"since": "2026-02-01", "until": "2026-01-01", "types": [""]}
        assert refused(user.post(path, body), 400, "VALIDATION_ERROR", "until", "types.0")


def test_deliveries_are_listed_newest_first_and_by_status(user):
    with Receiver(lambda number, one: 204 if number != 2 else 500) as receiver:
        webhook = hook(user, receiver, types=["tilth.farm.*"])
        for number in range(1, 4):
            user.farm()
            receiver.first(number)
        all_of_them = settled(user, webhook, 3)
        assert [one["status"] for one in all_of_them] == ["delivered", "pending", "delivered"]
        assert deliveries(user, webhook, status="pending") == [all_of_them[1]]
        assert deliveries(user, webhook, order="asc") == all_of_them[::-1]
        assert deliveries(user, webhook, order="asc", limit=1, page=2) == [all_of_them[1]]
        path = f"/webhooks/{webhook['id']}/deliveries"
        page = user.get(f"{path}?limit=2&page=2").json
        assert page == {"data": all_of_them[2:],
                        "pagination": {"page": 2, "limit": 2, "total": 3, "totalPages": 2}}
        assert refused(user.get(f"{path}?status=lost"), 400, "VALIDATION_ERROR", "status")
        assert user.get(path, {"Tilth-As-Of": "2026-01-01T00:00:00Z"}).status == 400


def test_a_kill_during_delivery_skips_nothing(tmp_path_factory):
    """Killed while requests are under way: after the start the rest arrives; some may come twice."""
    tilth = Service(tmp_path_factory.mktemp("killed"), config=CONFIG)
    hold = threading.Event()

    def behave(number, one):
        if number > 20:
            hold.wait(2)
        return 204 if number % 3 else 500

    try:
        user = tilth.start().user()
        with Receiver(behave) as receiver:
            webhook = hook(user, receiver, types=["tilth.farm.*"])
            farms = {user.farm()["id"] for _ in range(60)}
            receiver.first(22)
            tilth.kill()
            hold.set()
            tilth.start()
            user = tilth.client_of(user)
            farms |= {user.farm()["id"] for _ in range(5)}
            got = lambda received: {one.json["data"]["farmId"] for one in received}
            receiver.wait(lambda received: got(received) == farms)
            for _ in range(20):  # those that were answered 500
                tilth.advance("PT30M")
                time.sleep(0.05)
            eventually(lambda: not deliveries(user, webhook, status="pending"))
            done = deliveries(user, webhook, limit=100)
            assert {one["eventId"] for one in done if one["status"] == "delivered"} >= {
                one.id for one in receiver.received}
            assert is_signed(receiver.received[-1], webhook["secret"])
            quiet = len(receiver.received)
            tilth.restart()
            user = tilth.client_of(user)
            user.farm()
            assert len(receiver.first(quiet + 1)) == quiet + 1
            assert receiver.received[quiet].json["streamversion"] == 66
    finally:
        tilth.kill()


def test_deliveries_are_written_again_after_a_kill_without_repeating_what_was_settled(tmp_path_factory):
    tilth = Service(tmp_path_factory.mktemp("settled"), config=CONFIG)
    try:
        user = tilth.start().user()
        with Receiver() as receiver:
            webhook = hook(user, receiver, types=["tilth.farm.*"])
            for _ in range(5):
                user.farm()
            before = settled(user, webhook, 5, status="delivered")
            time.sleep(1)  # its place in the stream is stored at least this often
            tilth.kill()
            tilth.start()
            user = tilth.client_of(user)
            assert deliveries(user, webhook) == before
            user.farm()
            receiver.first(6)
            settled(user, webhook, 6, status="delivered")
            assert len(receiver.received) == 6
            assert user.get(f"/webhooks/{webhook['id']}").data["lastSuccessAt"] == tilth.now()
    finally:
        tilth.kill()
