"""The Python client verifies what the library of Standard Webhooks signs."""
import base64
import datetime
import json
import time

import pytest
import standardwebhooks

from tilth import SignatureError, webhooks

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
OTHER = "whsec_" + base64.b64encode(bytes(32)).decode()
BODY = json.dumps({"specversion": "1.0", "id": "msg_1", "type": "tilth.task.completed", "subject": "user_1",
                   "time": "2026-03-01T00:00:00.000Z", "data": {"title": "سقي"}}, ensure_ascii=False)


def signed(secret=SECRET, body=BODY, age=0):
    at = datetime.datetime.fromtimestamp(int(time.time()) - age, datetime.timezone.utc)
    return {"Webhook-Id": "msg_1", "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": standardwebhooks.Webhook(secret).sign("msg_1", at, body)}


def test_what_the_library_signs_is_verified():
    for body in (BODY, BODY.encode()):
        event = webhooks.verify(body, signed(), SECRET)
        assert (event.type, event.data) == ("tilth.task.completed", {"title": "سقي"})


def test_what_it_signs_the_library_verifies():
    headers = signed()
    headers["webhook-signature"] = webhooks.sign(BODY.encode(), "msg_1", int(headers["webhook-timestamp"]), SECRET)
    standardwebhooks.Webhook(SECRET).verify(BODY, {name.lower(): value for name, value in headers.items()})


def test_one_of_several_signatures_suffices():
    headers = signed(OTHER)
    headers["webhook-signature"] += " v1a,x " + signed()["webhook-signature"]
    assert webhooks.verify(BODY, headers, SECRET).id == "msg_1"


@pytest.mark.parametrize("body, make", [
    (BODY + " ", signed),
    (BODY, lambda: signed(OTHER)),
    (BODY, lambda: {**signed(), "Webhook-Id": "msg_2"}),
    (BODY, lambda: {**signed(), "webhook-signature": "v1,ü"}),
    (BODY, lambda: {**signed(), "webhook-timestamp": "soon"}),
    (BODY, lambda: {**signed(), "webhook-timestamp": "1"}),
    (BODY, lambda: {**signed(), "webhook-timestamp": "9" * 400}),
    (BODY, lambda: {**signed(), "Webhook-Id": "\udcff"}),
    (BODY, lambda: {**signed(), "webhook-signature": "v1,\udcff"}),
    ("\udcff", signed),
    (BODY, lambda: signed(age=3600)),
    (BODY, lambda: signed(age=-3600)),
    (BODY, dict),
], ids=["another body", "another secret", "another id", "no signature", "no number", "another time",
        "a time beyond all numbers", "an id that is no text", "a signature that is no text", "a body that is no text",
        "old", "early", "bare"])
def test_anything_else_is_refused(body, make):
    with pytest.raises(SignatureError):
        webhooks.verify(body, make(), SECRET)


def test_a_secret_that_is_none_is_said_so():
    for secret in ("whsec_!", "whsec_ü"):
        with pytest.raises(SignatureError, match="secret"):
            webhooks.verify(BODY, signed(), secret)
