"""Screenshots of the pages, compared with those of tests/browser/screens: a layout that broke, a style that is gone or a
colour that changed differs by far more than what fonts and browsers render a little differently.

TILTH_WRITE_GOLDEN=1 writes them again; look at each before you commit it."""
import base64
import os
import pathlib

import pytest

from client import Client
from conftest import look
from pages import Land, find, open_as, open_page, visit
from person import Person
from service import START, served

SCREENS = pathlib.Path(__file__).parent / "screens"
SCALE = 1 / 8  # letters become grey, blocks stay
TALLEST = 2_400
LOOKS = {"phone": (390, 844, False, "en"), "light": (1280, 900, False, "en"), "dark": (1280, 900, True, "en"), "wide": (1920, 1080, False, "en"), "arabic": (1280, 900, False, "ar")}

# The browser's clock stands where that of the service does.
CLOCK = """
const real = Date, now = () => real.parse("%s");
window.Date = class extends real { constructor(...given) { given.length ? super(...given) : super(now()); } static now() { return now(); } };
localStorage.setItem("language", "%s");
"""

# How much two pictures differ: their sizes, the share of pixels that are clearly others, and the worst square of 8 by 8.
COMPARED = """
const done = arguments[2], CLEARLY = 60, SIDE = 8;
const pixels = async said => {
  const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(said), letter => letter.charCodeAt(0))], {type: "image/png"}));
  const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  pen.drawImage(bitmap, 0, 0);
  return pen.getImageData(0, 0, bitmap.width, bitmap.height);
};
Promise.all([pixels(arguments[0]), pixels(arguments[1])]).then(([one, other]) => {
  const width = Math.min(one.width, other.width), height = Math.min(one.height, other.height), squares = new Map();
  let clearly = 0;
  for (let y = 0; y < height; ++y) for (let x = 0; x < width; ++x) {
    let most = 0;
    for (let part = 0; part < 3; ++part) most = Math.max(most, Math.abs(one.data[(y * one.width + x) * 4 + part] - other.data[(y * other.width + x) * 4 + part]));
    if (most > CLEARLY) ++clearly;
    const square = `${x / SIDE | 0},${y / SIDE | 0}`;
    squares.set(square, (squares.get(square) ?? 0) + most / (SIDE * SIDE));
  }
  done({sizes: [[one.width, one.height], [other.width, other.height]], clearly: clearly / (width * height), worst: Math.max(...squares.values())});
});
"""
MOST_CLEARLY, MOST_OF_A_SQUARE, MOST_TALLER = 0.02, 40, 4


@pytest.fixture(scope="module")
def tilth(tmp_path_factory):
    with served(tmp_path_factory.mktemp("screens")) as service:
        yield service


@pytest.fixture(scope="module")
def farm(tilth):
    """A farm on which something of each kind is to be seen."""
    person = Person(tilth, name="Aisha", email="aisha@example.org", source="127.0.0.9")
    person.email = person.user["email"]
    land = Land(person)
    day = START[:10]
    land.task("Clean the drip filters", dueDate="2026-02-27T05:00:00Z", priority="urgent", assignedTo="Khalid", category="irrigation")
    land.task("Cut the alfalfa", dueDate="2026-03-01T14:00:00Z", status="in_progress", category="harvesting")
    land.task("Check the pump's oil", dueDate="2026-03-04T05:00:00Z", priority="high", assignedTo="Salma")
    land.task("Test the well water", status="completed")
    template = land.make("/task-templates", {"name": "Walk the rows", "category": "inspection"})
    land.make("/recurring-tasks", {"templateId": template["id"], "farmId": land.farm["id"], "pattern": "weekly", "startDate": "2030-05-06T03:00:00Z"})
    land.make(f"{land.path}/expenses", {"amount": "1250.50", "currency": "SAR", "category": "fertilizer", "transactionDate": day})
    land.make(f"/crops/{land.crop['id']}/sales", {"quantity": 100, "unit": "kg", "pricePerUnit": 30, "currency": "SAR", "saleDate": day})
    land.make(f"{land.path}/fields/{land.field['id']}/irrigations", {"startedAt": "2026-02-28T03:00:00Z", "durationMinutes": 60, "waterVolume": 42})
    key = land.person.mint(name="Irrigation robot", scopes=["farms:read", "tasks:read", "tasks:write"])
    Client(tilth.address, f"Bearer {key['key']}").get("/farms", {"X-Request-Id": "mine"})
    tilth.advance("PT1M")
    return land


def same(browser, name):
    """Whether the page looks as it did, without what shows where the pointer was left."""
    browser.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": 0, "y": 0})
    browser.execute_async_script("document.fonts.ready.then(() => requestAnimationFrame(() => requestAnimationFrame(arguments[0])))")
    wide, tall = browser.execute_script("scrollTo(0, 0); document.activeElement?.blur(); return [innerWidth, Math.max(innerHeight, document.documentElement.scrollHeight)]")
    shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True,
                                                              "clip": {"x": 0, "y": 0, "width": wide, "height": min(tall, TALLEST), "scale": SCALE}})["data"]
    kept = SCREENS / f"{name}.png"
    if os.environ.get("TILTH_WRITE_GOLDEN"):
        kept.write_bytes(base64.b64decode(shot))
        return None
    if not kept.exists():
        return "there is no picture of it"
    found = browser.execute_async_script(COMPARED, shot, base64.b64encode(kept.read_bytes()).decode())
    (width, height), (was_width, was_height) = found["sizes"]
    if width == was_width and abs(height - was_height) <= MOST_TALLER and found["clearly"] <= MOST_CLEARLY and found["worst"] <= MOST_OF_A_SQUARE:
        return None
    return found


def differing(browser, looks, pages, prefix=""):
    found = {}
    for name, path in pages.items():
        visit(browser, f"#{path}")
        if name == "map":
            find(browser, ".leaflet-tooltip.name")
        if told := same(browser, f"{prefix}{name}-{looks}"):
            found[name] = told
    return found


@pytest.fixture(params=LOOKS)
def looks(request, browser, tilth):
    width, height, dark, language = LOOKS[request.param]
    look(browser, width, height, dark)
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": CLOCK % (tilth.now(), language)})
    yield request.param
    browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def test_the_pages_look_as_they_did(browser, looks, farm):
    field = f"{farm.path}/fields/{farm.field['id']}"
    pages = {"today": "/today", "tasks": "/tasks", "farms": "/farms", "map": farm.path, "fields": f"{farm.path}?tab=fields", "money": f"{farm.path}?tab=money", "past": f"{farm.path}?tab=tasks&as-of={farm.block['createdAt']}",
             "field": field, "form": f"{farm.path}?tab=fields&new=1", "crops": "/crops", "planning": "/planning", "import": "/import", "history": "/history", "keys": "/keys", "new-key": "/keys?new=1",
             "requests": "/requests", "usage": "/usage", "webhooks": "/webhooks", "account": "/account", "nowhere": "/nowhere"}
    few = pages if looks in ("phone", "light") else {name: pages[name] for name in ("today", "tasks", "map", "form", "keys", "usage")}
    open_as(browser, farm.person)
    assert differing(browser, looks, few) == {}


def test_the_operators_pages_look_as_they_did(browser, looks, tilth, farm):
    open_page(browser, operators(tilth))
    browser.execute_script("sessionStorage.setItem('tilth-operator-token', arguments[0])", (tilth.data / "operator.token").read_text().strip())
    open_page(browser, operators(tilth))
    pages = {"projections": "/projections", "events": f"/events?owner={farm.person.id}&type=tilth.task.*", "owners": "/owners", "reference": "/reference", "runbook": "/runbook/a-projection-is-paused"}
    assert differing(browser, looks, pages if looks in ("phone", "light") else {"owners": "/owners"}, "operators-") == {}
    browser.execute_script("sessionStorage.clear()")


class operators:
    """The operators' port, as open_page() wants a service."""

    def __init__(self, service):
        self.address = service.operator_address


def test_a_broken_layout_is_seen(browser, tilth, farm):
    """The comparison itself: of a page whose styles are gone, whose menu is away, or whose text has another colour."""
    look(browser)
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": CLOCK % (tilth.now(), "en")})
    try:
        for harm in ("document.querySelector('link[rel=stylesheet]').remove()", "document.querySelector('.side').remove()",
                     "for (const each of document.querySelectorAll('.button.primary, .badge')) each.style.background = 'magenta'",
                     "document.querySelector('main .card').style.marginInlineStart = '20rem'"):
            open_as(browser, farm.person, "/#/today")
            browser.execute_script(harm)
            assert same(browser, "today-light"), harm
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
