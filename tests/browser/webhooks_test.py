"""Webhooks: made, tested and watched on the page, with a receiver of the test's own."""
import http.server
import json
import threading

import pytest

from access_test import keep_key
from conftest import look
from late_test import lose
from looks_test import sound
from pages import By, Keys, button, choose, complaints, find, focused, fragment, gone, heading, held, hold, let_go, open_as, sees, settled, type_in, visit, wait
from person import Person
from service import served

CONFIG = """
[webhooks]
allow_http = true
allow_private = true
"""


class Receiver(http.server.ThreadingHTTPServer):
    """Answers `status` to each delivery, and keeps them."""

    def __init__(self):
        self.status, self.got = 200, []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                self.server.got.append((dict(self.headers), json.loads(body)))
                self.send_response(self.server.status)
                self.send_header("content-length", "9")
                self.end_headers()
                self.wfile.write(b"Thank you")

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_port}/hooks"

    def types(self):
        return [event["type"] for _, event in self.got]


@pytest.fixture
def receiver():
    running = Receiver()
    yield running
    running.shutdown()
    running.server_close()


@pytest.fixture(scope="module")
def sender(tmp_path_factory):
    with served(tmp_path_factory.mktemp("sender"), clock=None, config=CONFIG) as service:
        yield service


@pytest.fixture
def owner(sender):
    return Person(sender, name="Aisha").signed_in()


def made(owner, receiver, **members):
    reply = owner.ask("POST", "/api/webhooks", {"url": receiver.url, **members})
    assert reply.status == 201, reply
    return reply.data


def farm(owner, name="Oasis"):
    reply = owner.ask("POST", "/api/farms", {"name": name, "totalArea": 3})
    assert reply.status == 201, reply
    return reply.data


def statuses(browser):
    return [badge.text for badge in browser.find_elements(By.CSS_SELECTOR, "main tbody td .badge")]


def test_a_webhook_is_made_its_secret_shown_once_and_events_arrive(browser, owner, receiver):
    open_as(browser, owner, "/#/webhooks")
    button(browser, "Create the first webhook").click()
    type_in(browser, "url", receiver.url, "dialog")
    type_in(browser, "description", "Ledger", "dialog")
    button(browser, "Create the webhook").click()
    assert find(browser, "dialog input.key").get_attribute("value").startswith("whsec_")
    browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    sees(browser, "the secret cannot be shown again", "dialog")
    button(browser, "Close, I have it").click()
    heading(browser, receiver.url)
    sees(browser, "Nothing has been sent yet")
    farm(owner)
    wait(browser, lambda: statuses(browser) == ["Delivered"])
    sees(browser, "tilth.farm.registered", "main tbody")
    assert receiver.types() == ["tilth.farm.registered"]
    assert "whsec_" not in browser.page_source and complaints(browser) == []


def test_the_secret_of_a_webhook_whose_answer_was_lost_is_shown_after_a_correction(browser, owner, receiver):
    open_as(browser, owner, "/#/webhooks?new=1")
    type_in(browser, "url", receiver.url, "dialog")
    type_in(browser, "description", "Leger", "dialog")
    lose(browser, "POST")
    button(browser, "Create the webhook").click()
    sees(browser, "Nothing is lost", "dialog")
    type_in(browser, "description", "Ledger", "dialog")
    button(browser, "Create the webhook").click()
    sees(browser, "What you sent first is saved all the same", "dialog")
    button(browser, "Cancel").click()
    assert find(browser, "dialog input.key").get_attribute("value").startswith("whsec_")
    keep_key(browser)
    assert [each["description"] for each in owner.ask("GET", "/api/webhooks").data] == ["Leger"]


def test_a_test_shows_what_the_receiver_answers(browser, owner, receiver):
    webhook = made(owner, receiver, types=["nothing"])
    open_as(browser, owner, f"/#/webhooks/{webhook['id']}")
    button(browser, "Send a test").click()
    sees(browser, "The receiver took it.")
    sees(browser, "Thank you", ".sample")
    receiver.status = 500
    button(browser, "Send a test").click()
    wait(browser, lambda: "500" in find(browser, "[role=status] header").text)
    assert receiver.types() == ["tilth.webhook.test"] * 2


def test_what_is_wrong_with_an_address_is_said_next_to_it(browser, owner):
    open_as(browser, owner, "/#/webhooks?new=1")
    type_in(browser, "url", "farm.example", "dialog")
    button(browser, "Create the webhook").click()
    find(browser, "dialog .fault")
    focused(browser, "url")
    assert owner.ask("GET", "/api/webhooks").data == []


def test_a_failed_delivery_is_seen_filtered_and_sent_again(browser, owner, receiver):
    webhook = made(owner, receiver)
    receiver.status = 503
    farm(owner)
    open_as(browser, owner, f"/#/webhooks/{webhook['id']}")
    wait(browser, lambda: statuses(browser) == ["Pending"])
    sees(browser, "503", "main tbody")
    choose(browser, "status", "delivered")
    sees(browser, "None has this status")
    assert "status=delivered" in fragment(browser)
    receiver.status = 200
    choose(browser, "status", "")
    wait(browser, lambda: statuses(browser) == ["Pending"] or statuses(browser) == ["Delivered"])
    button(browser, "Send again: tilth.farm.registered").click()
    wait(browser, lambda: "Delivered" in statuses(browser))


def test_past_events_are_sent_again(browser, owner, receiver):
    farm(owner, "Before")
    webhook = made(owner, receiver, types=["tilth.farm.*"])
    open_as(browser, owner, f"/#/webhooks/{webhook['id']}?replay=1")
    find(browser, "dialog [name=since]").send_keys("01012026")
    button(browser, "Send them again").click()
    sees(browser, "Finish the date and the time.", "dialog")
    browser.execute_script("arguments[0].value = '2026-01-01T06:30'; arguments[0].dispatchEvent(new Event('input', {bubbles: true}))", find(browser, "dialog [name=since]"))
    button(browser, "Send them again").click()
    gone(browser, "dialog")
    wait(browser, lambda: statuses(browser) == ["Delivered"])
    assert receiver.got[0][1]["data"]["name"] == "Before"


def test_a_webhook_is_changed_turned_off_given_a_new_secret_and_removed(browser, owner, receiver):
    webhook = made(owner, receiver)
    open_as(browser, owner, f"/#/webhooks/{webhook['id']}")
    button(browser, "Change").click()
    find(browser, "dialog [data-preset=tasks]").click()
    button(browser, "Save").click()
    gone(browser, "dialog")
    assert owner.ask("GET", f"/api/webhooks/{webhook['id']}").data["types"] == ["tilth.task.*", "tilth.recurring_task.*"]
    button(browser, "Turn off").click()
    button(browser, "Turn on").click()
    button(browser, "Turn off")
    button(browser, "New secret").click()
    button(browser, "Make it").click()
    secret = find(browser, "dialog input.key").get_attribute("value")
    assert secret.startswith("whsec_") and secret != webhook["secret"]
    button(browser, "I have kept it").click()
    button(browser, "Close, I have it").click()
    button(browser, "Remove").click()
    button(browser, "Keep it").click()
    gone(browser, "dialog")
    button(browser, "Remove").click()
    find(browser, "dialog .button.danger").click()
    sees(browser, "You have no webhook yet")
    assert owner.ask("GET", "/api/webhooks").data == [] and complaints(browser) == []


@pytest.mark.parametrize("width, dark, language", [(1280, False, "en"), (390, True, "en"), (1920, False, "en"), (1280, True, "ar")])
def test_nothing_is_in_anybodys_way(browser, owner, receiver, axe, width, dark, language):
    webhook = made(owner, receiver, description="W" * 200, types=["tilth.task.*", "tilth.farm.*", "x" * 100])
    farm(owner)
    look(browser, width, 844, dark=dark)
    open_as(browser, owner, "/#/today")
    browser.execute_script("localStorage.setItem('language', arguments[0])", language)
    for path in ("/webhooks", "/webhooks?new=1", f"/webhooks/{webhook['id']}", f"/webhooks/{webhook['id']}?edit=1", f"/webhooks/{webhook['id']}?replay=1"):
        open_as(browser, owner, f"/#{path}")
        settled(browser)
        sound(browser, axe, path)
    browser.execute_script("localStorage.removeItem('language')")
    visit(browser, "#/webhooks/nothing")


def test_a_secret_made_late_is_shown_once_the_person_is_back(browser, sender, receiver):
    person = Person(sender)
    open_as(browser, person, "/#/webhooks?new=1")
    type_in(browser, "url", receiver.url)
    hold(browser, "/api/webhooks", answered=True)
    button(browser, "Create the webhook").click()
    held(browser)
    button(browser, "Cancel").click()
    visit(browser, "#/tasks")
    let_go(browser)
    visit(browser, "#/webhooks")
    assert find(browser, "dialog input.key").get_attribute("value").startswith("whsec_")
    keep_key(browser)
    button(browser, "New secret").click()
    hold(browser, "/rotate", answered=True)
    button(browser, "Make it").click()
    held(browser)
    button(browser, "Keep it").click()
    one = fragment(browser)
    visit(browser, "#/tasks")
    let_go(browser)
    visit(browser, one)
    assert find(browser, "dialog input.key").get_attribute("value").startswith("whsec_")
