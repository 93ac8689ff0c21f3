"""What the tests do with a page, in a person's words."""
import time

from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from client import Client
from person import COOKIE

SECONDS = 120  # on a busy machine, what takes a second may take this long


def wait(browser, until):
    # An element may be replaced after it is found and before it is read.
    return WebDriverWait(browser, SECONDS, 0.05, ignored_exceptions=[StaleElementReferenceException]).until(lambda _: until())


def find(browser, selector):
    return wait(browser, lambda: next(iter(browser.find_elements(By.CSS_SELECTOR, selector)), None))


def gone(browser, selector):
    wait(browser, lambda: not browser.find_elements(By.CSS_SELECTOR, selector))


def button(browser, text, within="*"):
    """The last such button, which is that of the topmost dialog: by its words or its label."""
    path = f"//{within}//*[self::button or self::a][normalize-space()='{text}' or @aria-label='{text}']"
    return wait(browser, lambda: next(reversed([each for each in browser.find_elements(By.XPATH, path) if each.is_displayed()]), None))


def heading(browser, text):
    wait(browser, lambda: any(each.text == text for each in browser.find_elements(By.CSS_SELECTOR, "h1, h2")))


def sees(browser, text, selector="body"):
    wait(browser, lambda: text in browser.find_element(By.CSS_SELECTOR, selector).text)


def focused(browser, name):
    """Waits until the member of this name has the focus: a form moves it after it shows what is wrong."""
    wait(browser, lambda: browser.switch_to.active_element.get_attribute("name") == name)


def type_in(browser, name, text, within=""):
    field = find(browser, f"{within} [name={name}]")
    field.clear()
    field.send_keys(text)


def typed(browser, name):
    """What stands in the fields of this name, of which there may be none."""
    return [field.get_attribute("value") for field in browser.find_elements(By.NAME, name)]


def choose(browser, name, value, within=""):
    Select(find(browser, f"{within} select[name={name}]")).select_by_value(value)


def hold(browser, path, after=0, answered=False):
    """Has the page's requests of the path wait for let_go, those after the first few; with `answered` the answers wait, not the requests."""
    browser.execute_script("""const [path, after, answered] = arguments, ask = window.fetch;
      let count = 0;
      window.held = 0;
      const free = new Promise(resolve => { window.letGo = resolve; });
      window.fetch = async (...request) => {
        if (!String(request[0]).endsWith(path) || ++count <= after) return ask(...request);
        const early = answered ? await ask(...request) : null;
        ++window.held;
        await free;
        return early ?? ask(...request);
      };""", path, after, answered)


def hold_file(browser, name):
    """Has the reading of the file wait for let_go."""
    browser.execute_script("""const name = arguments[0];
      window.held = 0;
      const free = new Promise(resolve => { window.letGo = resolve; });
      for (const kind of ["arrayBuffer", "text"]) {
        const read = Blob.prototype[kind];
        Blob.prototype[kind] = async function () {
          const content = await read.call(this);
          if (this.name === name) {
            ++window.held;
            await free;
          }
          return content;
        };
      }""", name)


def held(browser):
    """Waits until what hold() has is asked for."""
    wait(browser, lambda: browser.execute_script("return held"))


def let_go(browser):
    """Lets go what hold() has, which is something, and gives the page time to show what follows."""
    held(browser)
    browser.execute_async_script("letGo(); setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(arguments[0], 20))), 20)")


def settled(browser):
    """Waits until nothing is loading."""
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "h1") and not browser.find_elements(By.CSS_SELECTOR, ".skeleton:not([data-sample] *), [aria-busy=true]"))


def open_page(browser, service, path="/"):
    browser.get("about:blank")  # else a changed fragment alone would not load the page
    browser.get(f"http://{service.address}{path}")


def sign_in(browser, person, password=None):
    heading(browser, "Sign in")
    type_in(browser, "email", person.email)
    type_in(browser, "password", (password or person.password) + Keys.ENTER)


def open_as(browser, person, path="/#/today"):
    """Opens a page for a person who is signed in."""
    if not person.cookie:
        person.signed_in()
    browser.get("about:blank")
    browser.execute_cdp_cmd("Network.clearBrowserCookies", {})
    browser.execute_cdp_cmd("Network.setCookie", {"name": COOKIE, "value": person.cookie, "url": f"http://{person.service.address}/", "httpOnly": True, "sameSite": "Lax"})
    browser.get(f"http://{person.service.address}{path}")
    settled(browser)


def visit(browser, fragment):
    """Goes to another page as a link does."""
    browser.execute_async_script("""location.hash = arguments[0];
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(arguments[1], 20)))""", fragment)
    settled(browser)


def fragment(browser):
    return browser.execute_script("return location.hash")


def complaints(browser):
    """The console's errors and warnings, except for failed requests, which the page handles."""
    return [entry["message"] for entry in browser.get_log("browser")
            if entry["level"] in ("SEVERE", "WARNING") and "Failed to load resource" not in entry["message"]]


def texts(browser, selector, within=""):
    """What the elements say, or of each what those within it say: read at once, since each element costs a round trip."""
    return browser.execute_script("""const said = each => each.innerText.trim();
      return [...document.querySelectorAll(arguments[0])].map(each => arguments[1] ? [...each.querySelectorAll(arguments[1])].map(said) : said(each))""", selector, within)


def violations(browser, axe):
    if not browser.execute_script("return 'axe' in window"):
        browser.execute_script(axe)
    found = browser.execute_async_script(
        "axe.run(document, {resultTypes: ['violations']}).then(r => arguments[0](r.violations))")
    return [(each["id"], [node["html"] for node in each["nodes"]]) for each in found]


def next_millisecond():
    """Waits for the clock, so that what follows has an instant, and with it a place in a history, of its own."""
    before = time.time_ns() // 1_000_000
    while time.time_ns() // 1_000_000 == before:
        pass


class Land:
    """A farm of a person, made through the API: two fields, a crop, a block with plants, tasks."""

    def __init__(self, person, name="Oasis"):
        self.person = person if person.cookie else person.signed_in()
        self.farm = self.make("/farms", {"name": name, "totalArea": 12, "timezone": "Asia/Riyadh", "country": "SA"})
        self.path = f"/farms/{self.farm['id']}"
        square = {"type": "Polygon", "coordinates": [[[39.61, 24.43], [39.613, 24.43], [39.613, 24.433], [39.61, 24.433], [39.61, 24.43]]]}
        self.field = self.make(f"{self.path}/fields", {"name": "Grove", "area": 9.6, "boundaries": square})
        self.meadow = self.make(f"{self.path}/fields", {"name": "Meadow", "area": 2, "status": "fallow"})
        self.crop = self.make("/crops", {"farmId": self.farm["id"], "fieldId": self.field["id"], "cropType": "Date palm", "status": "growing"})
        self.blocks = f"{self.path}/fields/{self.field['id']}/blocks"
        self.block = self.make(self.blocks, {"cropId": self.crop["id"], "name": "Rows 1-2", "plantCount": 2})
        for number in range(2):
            self.make(f"{self.blocks}/{self.block['id']}/plants", {"label": f"P{number}", "position": {"lat": 24.4315 + number / 2000, "lng": 39.6115}})

    def make(self, path, body, status=201):
        reply = self.person.ask("POST", "/api" + path, body)
        assert reply.status == status, reply
        next_millisecond()
        return reply.data

    def read(self, path):
        reply = self.person.ask("GET", "/api" + path)
        assert reply.status == 200, reply
        return reply.data

    def change(self, path, body):
        reply = self.person.ask("PUT", "/api" + path, body)
        assert reply.status == 200, reply
        next_millisecond()
        return reply.data

    def task(self, title, **members):
        return self.make("/tasks", {"farmId": self.farm["id"], "title": title, "category": "inspection", **members})


__all__ = ["By", "COOKIE", "Client", "Keys", "Land", "Select", "button", "choose", "complaints", "find", "focused", "fragment", "gone", "heading",
           "open_as", "open_page", "sees", "settled", "sign_in", "texts", "type_in", "violations", "visit", "wait"]
