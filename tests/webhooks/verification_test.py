"""The libraries of Standard Webhooks, of PyPI and npm, verify what arrives, unchanged."""
import json
import os
import pathlib
import subprocess
import sys

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "http"))

from receiver import Receiver  # noqa: E402
from service import Service  # noqa: E402

CONFIG = """
[webhooks]
allow_http = true
allow_private = true
"""

JAVASCRIPT = """
const {Webhook} = require("standardwebhooks");
const {secret, body, headers} = JSON.parse(require("fs").readFileSync(0, "utf8"));
try {
  console.log(JSON.stringify(new Webhook(secret).verify(body, headers)));
} catch (error) {
  console.log(JSON.stringify({refused: error.message}));
}
"""


def in_python(secret, one):
    try:
        return Webhook(secret).verify(one.body, one.headers)
    except WebhookVerificationError as error:
        return {"refused": str(error)}


def in_javascript(secret, one):
    given = {"secret": secret, "body": one.body.decode(), "headers": one.headers}
    done = subprocess.run(["node", "-e", JAVASCRIPT], input=json.dumps(given), capture_output=True, text=True, check=True,
                          env={**os.environ, "NODE_PATH": os.environ["NODE_MODULES"]})
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def tilth(tmp_path_factory):
    running = Service(tmp_path_factory.mktemp("tilth"), config=CONFIG)
    try:
        yield running.start()
    finally:
        running.kill()


@pytest.fixture(scope="module")
def told(tilth):
    """An event, and what became of a rotation: (event, first secret, event after it, second secret)."""
    user = tilth.user()
    with Receiver() as receiver:
        made = user.made("/webhooks", {"url": receiver.url, "types": ["tilth.farm.*"]})
        user.farm(name="Wādī al-Qurā 🌴")
        first, = receiver.first(1)
        rotated = user.post(f"/webhooks/{made['id']}/rotate").data
        user.farm()
        second = receiver.first(2)[1]
    return first, made["secret"], second, rotated["secret"]


@pytest.mark.parametrize("verify", [in_python, in_javascript])
def test_an_event_is_verified(told, verify):
    first, secret, second, rotated = told
    event = verify(secret, first)
    assert event == first.json and event["data"]["name"] == "Wādī al-Qurā 🌴"


@pytest.mark.parametrize("verify", [in_python, in_javascript])
def test_after_a_rotation_both_secrets_verify(told, verify):
    first, secret, second, rotated = told
    assert verify(secret, second) == verify(rotated, second) == second.json
    assert "refused" in verify(rotated, first)


@pytest.mark.parametrize("verify", [in_python, in_javascript])
def test_what_was_changed_on_the_way_is_refused(told, verify):
    first, secret, second, rotated = told
    body, headers = first.body, dict(first.headers)
    first.body = body.replace(b"farm", b"firm", 1)
    assert "refused" in verify(secret, first)
    first.body, first.headers["webhook-id"] = body, second.id
    assert "refused" in verify(secret, first)
    first.headers = headers
    assert "refused" not in verify(secret, first)


@pytest.mark.parametrize("verify", [in_python, in_javascript])
def test_a_test_is_verified(tilth, verify):
    user = tilth.user()
    with Receiver(lambda number, one: (200, {"content-type": "text/plain"}, "Merci à tous".encode() * 200)) as receiver:
        made = user.made("/webhooks", {"url": receiver.url, "isActive": False})
        reply = user.post(f"/webhooks/{made['id']}/test")
        one, = receiver.first(1)
    assert reply.status == 200 and reply.data["status"] == 200 and reply.data["error"] is None
    assert 0 <= reply.data["milliseconds"] < 10_000 and reply.data["body"].startswith("Merci à tous")
    event = verify(made["secret"], one)
    assert event["type"] == "tilth.webhook.test" and event["data"] == {"webhookId": made["id"]}
    assert one.headers["webhook-id"] == event["id"]
