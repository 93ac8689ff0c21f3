"""Nothing covers, cuts or pushes out anything else, at each width and from right to left, with long names and long paths."""
import pytest

from client import Client
from conftest import look
from farm_test import instant
from pages import Land, find, open_as, open_page, settled, visit, wait

LONG = "Grandfather's northern terraces behind the old pumping station by the wadi"
WIDTHS = (320, 360, 1280, 1920)  # 320: what WCAG 1.4.10 asks for

# What is wrong with the page as it lies: sentences, none if all is well. Text is where its glyphs are, not its box.
FLAWS = """
const found = [], near = 2;
const shown = element => element.checkVisibility({visibilityProperty: true, opacityProperty: true});
const aside = ".unseen, .skip, .toast, .leaflet-container, .uplot, option, script, style, details:not([open]) > :not(summary), [data-sample]";
const clipped = element => { for (let up = element; up; up = up.parentElement) if (getComputedStyle(up).clipPath !== "none") return true; return false; };
const name = element => element.tagName.toLowerCase() + [...element.classList].map(each => "." + each).join("") + " “" + (element.textContent || element.value || "").trim().slice(0, 40) + "”";
const dialog = document.querySelector("dialog[open]"), root = dialog ?? document.body;
const wide = document.documentElement.clientWidth; // a phone zooms out until all fits in its innerWidth
if (document.documentElement.scrollWidth > wide) found.push(`the page is ${document.documentElement.scrollWidth} wide`);
const scrolls = element => { for (let up = element; up && up !== root; up = up.parentElement) if (/auto|scroll/.test(getComputedStyle(up).overflowX) && up.scrollWidth > up.clientWidth + 1) return true; return false; };
const inside = element => { for (let up = element; up && up !== root; up = up.parentElement) if (/auto|scroll/.test(getComputedStyle(up).overflowY) && up.scrollHeight > up.clientHeight + 1) return true; return false; };
const texts = [];
const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const text = walker.currentNode, element = text.parentElement;
  if (!text.data.trim() || element.closest(aside) || (!dialog && element.closest("dialog")) || !shown(element) || clipped(element)) continue;
  const range = document.createRange();
  range.selectNodeContents(text);
  const box = element.closest("td, th, .card, .button, .badge, .side, dialog, main");
  const lines = [...range.getClientRects()];
  const rows = new Set(lines.map(line => Math.round(line.top))).size; // a line may be of several directions
  if (rows > 5 && element.closest("td, th") && Math.max(...lines.map(line => line.width)) < 130) found.push(`${name(element)} is squeezed into ${rows} lines`);
  for (const rect of lines) {
    if (rect.width < 1 || rect.height < 1) continue;
    const cut = getComputedStyle(element);
    const ellipsis = cut.textOverflow === "ellipsis" || cut.webkitLineClamp !== "none" || element.closest(".clip");
    if (ellipsis) continue;
    if (box && !scrolls(element)) {
      const outer = box.getBoundingClientRect();
      if (rect.left < outer.left - near || rect.right > outer.right + near) found.push(`${name(element)} leaves its ${name(box).split(" ")[0]}`);
    }
    if (!element.closest(".top, .side, .toast") && !inside(element)) texts.push({rect, element});
  }
}
texts.sort((a, b) => a.rect.top - b.rect.top);
for (let at = 0; at < texts.length; ++at) {
  for (let other = at + 1; other < texts.length && texts[other].rect.top < texts[at].rect.bottom - near; ++other) {
    const a = texts[at], b = texts[other];
    if (a.element.contains(b.element) || b.element.contains(a.element) || scrolls(a.element) !== scrolls(b.element)) continue;
    const across = Math.min(a.rect.right, b.rect.right) - Math.max(a.rect.left, b.rect.left), down = Math.min(a.rect.bottom, b.rect.bottom) - b.rect.top;
    if (across > near && down > near + 2) found.push(`${name(a.element)} lies on ${name(b.element)}`);
  }
}
const controls = [...root.querySelectorAll("button, a.button, input, select, textarea")].filter(each => shown(each) && !clipped(each) && !each.closest(aside) && (dialog || !each.closest("dialog")));
controls.forEach((control, at) => {
  const rect = control.getBoundingClientRect();
  const field = control.closest(".field")?.getBoundingClientRect();
  if (field && (rect.left < field.left - 1 || rect.right > field.right + 1)) found.push(`${name(control)} leaves its field`);
  if (!scrolls(control) && (rect.left < -1 || rect.right > wide + 1)) found.push(`${name(control)} is off the screen`);
  if (control.matches(".button") && control.scrollWidth > control.clientWidth + 1) found.push(`${name(control)} is cut`);
  if (control.matches("input[placeholder]") && !control.value) {
    const pen = document.createElement("canvas").getContext("2d"), style = getComputedStyle(control);
    pen.font = style.font;
    if (pen.measureText(control.placeholder).width > control.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) + near) found.push(`the placeholder “${control.placeholder}” is cut`);
  }
  for (const other of controls.slice(at + 1)) {
    const its = other.getBoundingClientRect();
    if (control.closest(".top, .side") || other.closest(".top, .side")) continue;
    if (Math.min(rect.right, its.right) - Math.max(rect.left, its.left) > near && Math.min(rect.bottom, its.bottom) - Math.max(rect.top, its.top) > near) found.push(`${name(control)} lies on ${name(other)}`);
  }
});
for (const card of root.querySelectorAll(".card")) {
  const first = [...card.querySelectorAll("p, li > *, h2, dt")].find(each => shown(each) && each.textContent.trim() && !each.closest(aside));
  if (first && Math.abs(first.getBoundingClientRect().left - card.getBoundingClientRect().left) < 4 && getComputedStyle(first).paddingLeft === "0px" && document.dir !== "rtl") found.push(`${name(first)} touches the edge of its card`);
}
for (const cell of root.querySelectorAll("td[data-label]")) {
  if (!shown(cell) || getComputedStyle(cell).display !== "flex") continue;
  const parts = [...cell.childNodes].filter(each => each.textContent.trim()).map(each => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return range.getBoundingClientRect();
  }).sort((a, b) => a.left - b.left);
  if (parts.some((part, at) => at && part.left - parts[at - 1].right > 16)) found.push(`${name(cell)} is torn apart`);
}
for (const cell of root.querySelectorAll("td, tbody th")) {
  if (!shown(cell)) continue;
  for (const text of [...cell.childNodes].filter(each => each.nodeType === 3 && /^\\p{L}+$/u.test(each.data.trim()))) {
    const range = document.createRange();
    range.selectNodeContents(text);
    if (range.getClientRects().length > 1) found.push(`the word ${text.data} is broken`);
  }
}
return [...new Set(found)].slice(0, 8);
"""

# Keeps what charts write, so that labels can be compared: their canvas shows nothing to a test.
PEN = """
const write = CanvasRenderingContext2D.prototype.fillText;
window.written = [];
CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
  if (this.canvas.isConnected || this.canvas.closest?.(".uplot")) {
    const place = this.getTransform().transformPoint(new DOMPoint(x, y)), width = this.measureText(text).width;
    if (text && this.textAlign === "center") window.written.push({text, canvas: this.canvas, left: place.x - width / 2, right: place.x + width / 2, y: place.y, wide: this.canvas.width});
  }
  return write.call(this, text, x, y, ...rest);
};
"""


def flaws_of(browser, what, widths=WIDTHS):
    found = {}
    for width in widths:
        look(browser, width, 740 if width < 600 else 900)
        browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
        if flaws := browser.execute_script(FLAWS):
            found[f"{what} at {width}"] = flaws
    look(browser)
    return found


@pytest.fixture
def full_farm(tilth, person):
    land = Land(person)
    land.change(land.path, {"name": LONG})
    land.change(f"{land.path}/fields/{land.field['id']}", {"name": LONG})
    land.late = land.task(LONG, dueDate=instant(days=-2), priority="urgent", assignedTo="Khalid", category="pest_control")
    land.task("Oil the pump", dueDate=instant(days=1), category="maintenance", assignedTo="Salma")
    land.make(f"{land.path}/expenses", {"amount": "1234567.89", "currency": "SAR", "category": "fertilizer", "transactionDate": instant(days=-9)[:10], "note": LONG})
    land.make(f"/crops/{land.crop['id']}/sales", {"quantity": 100, "unit": "kg", "pricePerUnit": 12, "currency": "SAR", "saleDate": instant(days=-3)[:10]})
    key = person.mint(name=LONG, scopes=["farms:read", "fields:read", "tasks:read", "tasks:write"])
    Client(tilth.address, f"Bearer {key['key']}").get(f"{land.blocks}/{land.block['id']}/plants?sort=label&order=asc&limit=100", {"X-Request-Id": "a-long-identifier-of-a-request-0123456789"})
    return land


def test_nothing_covers_or_cuts_anything(browser, person, full_farm):
    open_as(browser, person, "/#/today")
    land, found = full_farm, {}
    field = f"{land.path}/fields/{land.field['id']}"
    paths = ("/today", "/tasks", "/farms", land.path, f"{land.path}?as-of={land.crop['createdAt']}", f"{land.path}?tab=fields", f"{land.path}?tab=money", *(f"{land.path}?tab=money&list={list}" for list in ("overheads", "sales", "by-crop", "harvest", "prices")), f"{land.path}?tab=health",
             f"{land.path}?tab=history", field, f"{land.blocks}/{land.block['id']}", "/crops", "/crops?list=library", "/planning", "/planning?list=recurring", "/import", "/history", "/keys", "/keys?new=1", "/requests", "/usage", "/webhooks", "/account", "/design",
             f"/tasks?task={land.late['id']}", f"{land.path}?tab=fields&new=1", f"{land.path}?tab=money&new=1", "/planning?list=recurring&new=1", "/webhooks?new=1")
    for path in paths:
        visit(browser, f"#{path}")
        found |= flaws_of(browser, path)
    browser.execute_script("localStorage.setItem('language', 'ar')")
    for path in ("/today", "/tasks", f"{land.path}?as-of={land.crop['createdAt']}", f"{land.path}?tab=money&list=harvest", "/keys", "/requests", "/usage", "/account"):
        open_as(browser, person, f"/#{path}")
        found |= flaws_of(browser, f"{path} in Arabic", WIDTHS[:3])
    assert found == {}


def test_nothing_covers_or_cuts_anything_for_operators(browser, tilth, person, full_farm):
    open_page(browser, tilth_operators(tilth), "/")
    browser.execute_script("sessionStorage.setItem('tilth-operator-token', arguments[0])", (tilth.data / "operator.token").read_text().strip())
    open_page(browser, tilth_operators(tilth), "/")
    settled(browser)
    found = {}
    for path in ("/overview", "/projections", "/events", "/owners", f"/owners/{person.id}", f"/owners/{person.id}?tab=keys", f"/owners/{person.id}?tab=requests", f"/owners/{person.id}?tab=sessions",
                 "/reference", "/reference?of=rates", "/audit", "/runbook", "/runbook/a-projection-is-paused"):
        visit(browser, f"#{path}")
        found |= flaws_of(browser, path)
    assert found == {}


class tilth_operators:
    """The operators' port, as open_page() wants a service."""

    def __init__(self, tilth):
        self.address = tilth.operator_address


def test_names_along_an_axis_do_not_overlap(browser, tilth, person, full_farm):
    pen = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": PEN})["identifier"]
    try:
        for path in ("/usage", f"{full_farm.path}?tab=money"):
            for width in WIDTHS[:3]:
                look(browser, width)
                open_as(browser, person, f"/#{path}")
                find(browser, ".uplot")
                written = wait(browser, lambda: browser.execute_script("return window.written.length && window.written.map(({canvas, ...each}) => ({...each, canvas: [...document.querySelectorAll('canvas')].indexOf(canvas)}))"))
                axes = {}
                for each in written:
                    axes.setdefault((each["canvas"], round(each["y"])), {})[each["text"]] = each
                for axis in axes.values():
                    labels = sorted(axis.values(), key=lambda each: each["left"])
                    assert all(first["right"] < second["left"] for first, second in zip(labels, labels[1:])), (path, width, [each["text"] for each in labels])
                    assert labels[-1]["right"] <= labels[-1]["wide"] + 1, (path, width, labels[-1]["text"])
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": pen})
        look(browser)


def test_prices_of_one_day_are_drawn_around_it(browser, person):
    land = Land(person)
    land.make("/market/price-reports", {"farmId": land.farm["id"], "cropName": "Date palm", "price": "19", "unit": "per_kg", "observedOn": instant(days=-4)[:10]})
    pen = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": PEN})["identifier"]
    try:
        open_as(browser, person, f"/#{land.path}?tab=money&list=prices")
        find(browser, ".uplot")
        texts = wait(browser, lambda: browser.execute_script("return window.written.map(each => each.text)"))
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": pen})
    year = instant(days=-4)[:4]
    assert texts and all(year in text or str(int(year) - 1) in text or str(int(year) + 1) in text for text in texts), texts
