"""Every page in light and dark, on a phone and a wide screen, and from right to left: nothing is in anybody's way."""
import pathlib
import re

import pytest

from client import Client
from conftest import chromium, connect, look
from farm_test import instant
from pages import Land, button, find, open_as, open_page, sees, violations, visit, wait

DASHBOARD = pathlib.Path(__file__).parents[2] / "dashboard"


def sound(browser, axe, what):
    if axe:
        assert violations(browser, axe) == [], what
    wide, screen = browser.execute_script("return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")  # a phone zooms out until all fits in its innerWidth
    assert wide <= screen, f"{what} scrolls sideways"


def test_nothing_is_in_anybodys_way(looks, tilth, person, axe, request):
    every = axe if "light" in request.node.name else None  # in the other looks, axe on one page of each kind
    open_page(looks, tilth)
    find(looks, "input[name=email]").send_keys(person.email)
    find(looks, "input[name=password]").send_keys("wrong password\n")
    find(looks, ".notice.bad")
    sound(looks, axe, "sign-in")
    open_as(looks, person, "/#/today")
    for page in ("today", "tasks", "farms", "crops", "crops?list=library", "crops?list=mine", "planning", "planning?list=recurring", "import", "history", "keys", "requests", "usage"):
        visit(looks, f"#/{page}")
        sound(looks, every, f"empty {page}")
    land = Land(person)
    land.task("Clean the drip filters", dueDate=instant(days=-2), priority="urgent", assignedTo="Khalid")
    task = land.task("Cut the alfalfa", dueDate=instant(days=2), status="in_progress")
    template = land.make("/task-templates", {"name": "Walk the rows", "category": "inspection"})
    land.make("/recurring-tasks", {"templateId": template["id"], "farmId": land.farm["id"], "pattern": "weekly", "startDate": "2030-05-06T03:00:00Z"})
    key = person.mint(name="Irrigation robot", scopes=["farms:read", "tasks:read", "tasks:write"])
    Client(tilth.address, f"Bearer {key['key']}").get("/farms", {"X-Request-Id": "mine"})
    field = f"{land.path}/fields/{land.field['id']}"
    land.make(f"{field}/irrigations", {"startedAt": "2026-03-01T23:30:00Z", "durationMinutes": 60, "waterVolume": 42})
    land.make(f"/crops/{land.crop['id']}/sales", {"quantity": 100, "unit": "kg", "pricePerUnit": 12, "currency": "SAR", "saleDate": instant(days=-3)[:10]})
    block = f"{land.blocks}/{land.block['id']}"
    kinds = ("/planning?list=recurring&new=1", f"{field}?tab=irrigations", "/today", "/tasks", "/keys?new=1", land.path, f"{land.path}?tab=health", f"{land.path}?as-of={land.block['createdAt']}", "/design")
    for path in ("/planning", "/planning?new=1", "/planning?list=recurring", "/planning?list=recurring&new=1", f"{field}?tab=irrigations", f"{field}?tab=soil-samples&new=1",
                 f"{block}?tab=fertigations&new=1", f"{block}?tab=leaf-samples", "/today", "/tasks", "/farms", "/crops", "/history", "/keys", "/keys?new=1", "/requests", "/requests?request=mine", "/usage?span=7d", land.path, f"{land.path}?on={land.field['id']}", f"{land.path}?tab=fields",
                 f"{land.path}?tab=fields&new=1", f"{land.path}?tab=crops&new=1", f"{land.path}?tab=tasks", f"{land.path}?tab=money", f"{land.path}?tab=money&list=sales", f"{land.path}?tab=money&list=by-crop", f"{land.path}?tab=money&list=prices", "/import", f"{land.path}?tab=health", f"{land.path}?tab=history", field,
                 f"{land.blocks}/{land.block['id']}", f"{land.path}?as-of={land.block['createdAt']}", f"/tasks?task={task['id']}", f"/farms?edit={land.farm['id']}", "/nowhere", "/design"):
        visit(looks, f"#{path}")
        if path == land.path:
            find(looks, ".leaflet-tooltip.name")
        sound(looks, axe if path in kinds else every, path)


def test_two_hundred_percent_scrolls_nothing_sideways(browser, person, axe):
    land = Land(person)
    look(browser, 640, 450)
    for path in ("/today", land.path, "/keys?new=1"):
        open_as(browser, person, f"/#{path}")
        sound(browser, axe, path)


def test_arabic_is_chosen_and_kept(browser, person):
    open_as(browser, person, "/#/usage")
    browser.execute_script("const s = document.querySelector('.account select'); s.value = 'ar'; s.dispatchEvent(new Event('change', {bubbles: true}))")
    sees(browser, "الاستخدام", "h1")
    assert browser.execute_script("return [document.documentElement.lang, document.documentElement.dir]") == ["ar", "rtl"]
    browser.refresh()
    sees(browser, "الاستخدام", "h1")


# Texts of two English words or more that are not what somebody wrote.
ENGLISH = """
const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const text = walker.currentNode, element = text.parentElement;
  if (/[A-Za-z]{2,} [A-Za-z]{2,}/.test(text.data) && !element.closest("bdi, code, [dir=ltr], [lang=en], .leaflet-container, option, script, style")) found.push(text.data.trim());
}
return found;
"""


def test_nothing_is_left_in_english_on_the_pages_in_arabic(browser, person):
    land = Land(person)
    land.task("Clean", dueDate=instant(days=-2), priority="urgent")
    key = person.mint(name="Robot")
    Client(person.service.address, f"Bearer {key['key']}").get("/farms")
    browser.execute_script("localStorage.setItem('language', 'ar')")
    field = f"{land.path}/fields/{land.field['id']}"
    open_as(browser, person, "/#/farms?new=1")
    find(browser, "dialog .button.primary").click()
    sees(browser, "مطلوب", "dialog .fault")
    for path in ("/today", "/tasks", "/farms", land.path, f"{land.path}?on={land.meadow['id']}", f"{land.path}?tab=health", f"{land.path}?tab=history", f"{land.path}?tab=money", field, f"{land.blocks}/{land.block['id']}", "/crops", "/crops?list=library",
                 "/planning", "/import", "/history", "/keys?new=1", "/requests", "/usage", "/webhooks", "/account", "/nowhere"):
        visit(browser, f"#{path}")
        assert browser.execute_script(ENGLISH) == [], path


def test_the_first_page_weighs_little(browser, person):
    browser.execute_cdp_cmd("Network.clearBrowserCache", {})
    open_as(browser, person)
    weights = browser.execute_script("""return performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
      .filter(entry => !entry.name.includes('/api/')).map(entry => [entry.name, entry.encodedBodySize])""")
    assert any("today.js" in name for name, _ in weights) and not any("leaflet" in name for name, _ in weights)
    assert sum(size for _, size in weights) <= 120_000, weights


TEXT = r'"((?:[^"\\]|\\.)*)"'


def test_every_text_is_there_in_arabic():
    sources = [path.read_text() for folder in ("", "core", "pages", "operators") for path in (DASHBOARD / folder).glob("*.js")
               if path.name not in ("ar.js", "docs-ar.js", "i18n.js", "design.js")]
    said = {text for source in sources for text in re.findall(rf"\bt\({TEXT}", source)}
    said |= {many for source in sources for _, many in re.findall(rf"\btn\({TEXT},\s*{TEXT}", source)}
    arabic = "".join((DASHBOARD / name).read_text() for name in ("core/ar.js", "operators/ar.js", "docs-ar.js"))
    assert len(said) > 250 and sorted(text for text in said if f'"{text}":' not in arabic) == []


# What is wrong with the dictionaries that a page of this port serves: sentences, none if all is well.
ARABIC = """
const done = arguments[1], found = [], FORMS = ["few", "many", "one", "other", "two", "zero"];
const names = text => [...text.matchAll(/\\{(\\w+)\\}/g)].map(each => each[1]).sort().join();
Promise.all(arguments[0].map(name => import("/assets/" + name))).then(all => {
  for (const {AR, SERVICE} of all) for (const [english, said] of Object.entries(AR ?? SERVICE)) {
    if (typeof said === "string") {
      if (names(english) !== names(said)) found.push(`${english}: other {names}`);
      if (!/[\\u0600-\\u06ff]/.test(said)) found.push(`${english}: not in Arabic`);
      continue;
    }
    if (Object.keys(said).sort().join() !== FORMS.join()) found.push(`${english}: has not all forms of the plural`);
    for (const [form, words] of Object.entries(said)) {
      const wanted = names(english), given = names(words), without = wanted.split(",").filter(name => name !== "n").join(); // one and two have words of their own
      if (given !== wanted && !(["zero", "one", "two"].includes(form) && given === without)) found.push(`${english}, ${form}: other {names}`);
    }
  }
  done(found);
});
"""


def test_arabic_has_all_plurals_and_names(browser, tilth):
    assert browser.execute_async_script(ARABIC, ["core/ar.js", "core/ar-service.js", "docs-ar.js"]) == []
    browser.get(f"http://{tilth.operator_address}/assets/icon.svg")
    assert browser.execute_async_script(ARABIC, ["operators/ar.js"]) == []


@pytest.fixture
def arab():
    """A browser of its own, since no language can be taken back: its first is the Arabic of Egypt, its second English."""
    with chromium() as browser:
        connect(browser)
        look(browser)
        version = browser.execute_cdp_cmd("Browser.getVersion", {})["userAgent"]
        browser.execute_cdp_cmd("Emulation.setLocaleOverride", {"locale": "ar-EG"})
        browser.execute_cdp_cmd("Network.setUserAgentOverride", {"userAgent": version, "acceptLanguage": "ar-EG,en-US,en"})
        yield browser


def test_the_first_of_the_browsers_languages_is_shown_with_the_same_digits_everywhere(arab, person):
    land = Land(person)
    open_as(arab, person, f"/#{land.path}?on={land.field['id']}")
    sees(arab, "%", ".facts")
    assert arab.execute_script("return document.documentElement.lang") == "ar"
    visit(arab, f"#{land.path}?tab=health")
    sees(arab, "%", ".hint")
    visit(arab, f"#{land.path}?on={land.field['id']}")
    assert not re.search("[٠-٩]", find(arab, "main").text)


def test_words_that_do_not_come_leave_the_page_in_english_and_are_asked_for_again(arab, person):
    arab.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*ar-service.js*"]})
    open_as(arab, person)
    sees(arab, "Today", "h1")
    assert arab.execute_script("return [document.documentElement.lang, document.documentElement.dir]") == ["en", "ltr"]
    arab.execute_script("const s = document.querySelector('.account select'); s.value = 'ar'; s.dispatchEvent(new Event('change', {bubbles: true}))")
    sees(arab, "The service cannot be reached.", "#status")
    assert find(arab, ".account select").get_attribute("value") == "en"
    arab.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
    button(arab, "Try again").click()
    wait(arab, lambda: arab.execute_script("return document.documentElement.lang") == "ar")
