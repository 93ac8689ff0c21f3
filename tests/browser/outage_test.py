"""A service that is stopped and started while its pages are open, and a network that is slow."""
import contextlib
import socket

import pytest

from conftest import connect
from pages import Keys, button, find, fragment, gone, heading, open_as, sees, settled, type_in, wait
from person import Person
from service import Service


@pytest.fixture(scope="module")
def tilth(tmp_path_factory):
    """A service of their own, at a port that it keeps: a page goes on where it was loaded from."""
    with contextlib.closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    service = Service(tmp_path_factory.mktemp("outage"), clock=None, listen=f"127.0.0.1:{port}")
    try:
        yield service.start()
        service.stop()
    finally:
        service.kill()


@pytest.fixture
def down(tilth):
    """Stops the service, and starts it once the test is at its end, whatever came of it."""
    running = [True]

    def stop():
        tilth.stop()
        running[0] = False

    def start():
        tilth.start()
        running[0] = True
    yield stop, start
    if not running[0]:
        start()


def test_a_page_goes_on_by_itself_once_the_service_is_back(browser, person, down):
    stop, start = down
    open_as(browser, person, "/#/usage")
    stop()
    find(browser, "#sections a[href='#/farms']").click()
    sees(browser, "The service cannot be reached.", "[role=alert]")
    start()
    sees(browser, "No farm yet")
    gone(browser, "[role=alert]")
    assert fragment(browser) == "#/farms"


def test_what_was_sent_while_the_service_was_down_is_done_once(browser, person, down):
    stop, start = down
    open_as(browser, person, "/#/farms?new=1")
    type_in(browser, "name", "Oasis")
    type_in(browser, "totalArea", "12")
    stop()
    find(browser, "[name=totalArea]").send_keys(Keys.ENTER)
    sees(browser, "Nothing is lost: send it again when the service is back.", "dialog")
    start()
    button(browser, "Create").click()
    gone(browser, "dialog")
    sees(browser, "Oasis", "tbody")
    fresh = Person.signed_in(moved(person))
    assert [each["name"] for each in fresh.ask("GET", "/api/farms").data] == ["Oasis"]


def moved(person):
    """With a new connection: the old one went down with the service."""
    person.move_to(person.service.address)
    return person


def test_a_slow_network_shows_what_comes(browser, person):
    open_as(browser, person)
    browser.execute_cdp_cmd("Network.clearBrowserCache", {})
    connect(browser, latency=300, throughput=40_000)
    try:
        browser.refresh()
        find(browser, ".skeleton")
        heading(browser, "Today")
        settled(browser)
        sees(browser, "Welcome to Tilth")
        find(browser, "#sections a[href='#/farms']").click()
        find(browser, "#main .skeleton")
        sees(browser, "No farm yet")
    finally:
        connect(browser)


def test_a_part_of_a_page_that_did_not_come_comes_once_the_service_is_back(browser, person, down):
    stop, start = down
    open_as(browser, person, "/#/crops")
    stop()
    find(browser, "#main .tabs a[href$='list=library']").click()
    sees(browser, "This page tries again by itself.", "[role=alert]")
    start()
    find(browser, "[name=search]")
    gone(browser, "[role=alert]")


def test_a_part_of_a_later_version_asks_for_a_new_page(browser, person):
    open_as(browser, person, "/#/usage")
    browser.execute_async_script("""const done = arguments[0];
      Promise.all(["load", "ui", "view"].map(name => import(`/assets/core/${name}.js`))).then(async ([{loadModule}, {Trouble}, {html, render}]) => {
        const error = await loadModule(() => Promise.reject(new SyntaxError("The requested module does not provide an export named 'x'"))).catch(error => error);
        const place = document.querySelector("h1").parentElement.appendChild(document.createElement("div"));
        render(html`<${Trouble} error=${error} />`, place);
        done();
      })""")
    sees(browser, "Tilth was updated since this page was loaded.", "main")
    button(browser, "Load again").click()
    wait(browser, lambda: "Tilth was updated" not in find(browser, "body").text)
    heading(browser, "Usage")
