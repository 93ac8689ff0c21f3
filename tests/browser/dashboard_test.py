"""The dashboard as people use it: signing in, a key from creation to revocation, and accessibility."""
import re

from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from client import Client
from person import COOKIE
from service import refused

SECONDS = 30


def wait(browser, until):
    # An element may be replaced after it is found and before it is read.
    return WebDriverWait(browser, SECONDS, ignored_exceptions=[StaleElementReferenceException]).until(lambda _: until())


def find(browser, selector):
    return wait(browser, lambda: next(iter(browser.find_elements(By.CSS_SELECTOR, selector)), None))


def button(browser, text, within=""):
    path = f"//{within or '*'}//button[normalize-space()='{text}']"
    return wait(browser, lambda: next(iter(browser.find_elements(By.XPATH, path)), None))


def heading(browser, text):
    wait(browser, lambda: any(each.text == text for each in browser.find_elements(By.CSS_SELECTOR, "h1, h2")))


def settled(browser):
    """Waits until nothing is loading."""
    wait(browser, lambda: not browser.find_elements(By.CSS_SELECTOR, "main[aria-busy]"))


def type_in(browser, name, text):
    field = find(browser, f"[name={name}]")
    field.clear()
    field.send_keys(text)


def open_page(browser, tilth, path="/"):
    browser.get(f"http://{tilth.address}{path}")


def sign_in(browser, person, password=None):
    open_page(browser, person.service)
    heading(browser, "Sign in")
    type_in(browser, "email", person.email)
    type_in(browser, "password", (password or person.password) + Keys.ENTER)


def signed_in(browser, person):
    sign_in(browser, person)
    heading(browser, "Usage")
    settled(browser)


def go_to(browser, name, title):
    find(browser, f"#sections a[href='#{name}']").click()
    heading(browser, title)
    settled(browser)


def make_key(browser, name, *scopes):
    button(browser, "New key").click()
    heading(browser, "New API key")
    type_in(browser, "name", name)
    for scope in scopes:
        find(browser, f"input[value='{scope}']").click()
    button(browser, "Make the key").click()
    key = find(browser, "dialog input.key").get_attribute("value")
    assert re.fullmatch("svc_live_[0-9a-f]{48}", key)
    return key


def complaints(browser):
    """The console's errors and warnings, except for failed requests, which the page handles."""
    return [entry["message"] for entry in browser.get_log("browser")
            if entry["level"] in ("SEVERE", "WARNING") and "Failed to load resource" not in entry["message"]]


def test_a_key_is_made_used_and_revoked(browser, tilth, person):
    signed_in(browser, person)
    go_to(browser, "keys", "API keys")
    key = make_key(browser, "Irrigation robot", "farms:read")
    button(browser, "I have kept it").click()
    client = Client(tilth.address, f"Bearer {key}")
    assert client.get("/farms").status == 200
    refused(client.post("/farms", {}), 403, "INSUFFICIENT_SCOPE")
    wait(browser, lambda: key not in browser.page_source)
    find(browser, "button[aria-label='Revoke Irrigation robot']").click()
    button(browser, "Keep it").click()
    assert client.get("/farms").status == 200
    find(browser, "button[aria-label='Revoke Irrigation robot']").click()
    button(browser, "Revoke it").click()
    wait(browser, lambda: "You have no key." in browser.find_element(By.ID, "main").text)
    refused(client.get("/farms"), 401, "INVALID_API_KEY")
    assert complaints(browser) == []


def test_a_key_is_copied(browser, tilth, person):
    origin = {"origin": f"http://{tilth.address}", "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    browser.execute_cdp_cmd("Browser.grantPermissions", origin)
    signed_in(browser, person)
    go_to(browser, "keys", "API keys")
    key = make_key(browser, "Robot", "all")
    button(browser, "Copy").click()
    button(browser, "Copied")
    assert browser.execute_async_script("navigator.clipboard.readText().then(arguments[0])") == key


def test_what_is_wrong_with_a_new_key_is_said_next_to_it(browser, person):
    signed_in(browser, person)
    go_to(browser, "keys", "API keys")
    button(browser, "New key").click()
    button(browser, "Make the key").click()
    wait(browser, lambda: find(browser, "#field-name-fault").text)
    assert find(browser, "#field-scopes-fault").text
    assert find(browser, "[name=name]").get_attribute("aria-invalid") == "true"


def test_a_wrong_password_is_told_and_the_right_one_lets_in(browser, person):
    sign_in(browser, person, "wrong password")
    assert "wrong" in find(browser, ".trouble").text
    type_in(browser, "password", person.password + Keys.ENTER)
    heading(browser, "Usage")


def test_who_signs_out_is_signed_out_after_a_reload(browser, person):
    signed_in(browser, person)
    browser.refresh()
    heading(browser, "Usage")
    assert browser.get_cookie(COOKIE)["httpOnly"] and browser.get_cookie(COOKIE)["sameSite"] == "Lax"
    assert browser.execute_script("return document.cookie") == ""
    button(browser, "Sign out").click()
    heading(browser, "Sign in")
    browser.refresh()
    heading(browser, "Sign in")
    assert browser.get_cookie(COOKIE) is None


def test_a_session_that_ends_meanwhile_leads_back_to_signing_in(browser, person):
    signed_in(browser, person)
    browser.delete_all_cookies()
    find(browser, "#sections a[href='#keys']").click()
    heading(browser, "Sign in")


def test_usage_is_shown_against_the_plan(browser, tilth, person):
    key = tilth.operate("POST", f"/operator/v1/users/{person.id}/api-keys", {"name": "k", "scopes": ["all"]}, 201).data
    assert Client(tilth.address, f"Bearer {key['key']}").post("/farms", {"name": "Oasis", "totalArea": 3}).status == 201
    tilth.operate("POST", f"/operator/v1/users/{person.id}/ai-requests", {"status": "succeeded"}, 201)
    tilth.operate("PUT", f"/operator/v1/users/{person.id}", {"plan": "sprout"})
    signed_in(browser, person)
    text = find(browser, "main").text
    assert "1 of 3" in text and "1 of 200" in text and "Resets on" in text
    go_to(browser, "land", "Farms and tasks")
    assert "Oasis" in find(browser, "main").text
    go_to(browser, "keys", "API keys")
    assert not browser.find_elements(By.ID, "new-key")


def test_everything_can_be_done_with_a_keyboard(browser, person):
    def focused():
        return browser.switch_to.active_element

    def press(*keys):
        for key in keys:
            focused().send_keys(key)

    open_page(browser, person.service)
    heading(browser, "Sign in")
    wait(browser, lambda: focused().get_attribute("name") == "email")
    press(person.email, Keys.TAB, person.password, Keys.TAB, Keys.ENTER)
    heading(browser, "Usage")
    settled(browser)
    assert focused().text == "Usage"
    link = find(browser, "#sections a[href='#keys']")
    for _ in range(20):
        press(Keys.SHIFT + Keys.TAB)
        if focused() == link:
            break
    press(Keys.ENTER)
    heading(browser, "API keys")
    settled(browser)
    for _ in range(20):
        press(Keys.TAB)
        if focused().get_attribute("id") == "new-key":
            break
    press(Keys.ENTER)
    heading(browser, "New API key")
    press(Keys.ESCAPE)
    wait(browser, lambda: not browser.find_elements(By.CSS_SELECTOR, "dialog"))
    assert focused().get_attribute("id") == "new-key"


def violations(browser, axe):
    browser.execute_script(axe)
    found = browser.execute_async_script(
        "axe.run(document, {resultTypes: ['violations']}).then(r => arguments[0](r.violations))")
    return [(each["id"], [node["html"] for node in each["nodes"]]) for each in found]


def test_nothing_is_in_anybodys_way(looks, tilth, person, axe):
    def sound():
        assert violations(looks, axe) == []
        wide, screen = looks.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
        assert wide <= screen, "the page scrolls sideways"

    sign_in(looks, person, "wrong password")
    find(looks, ".trouble")
    sound()
    signed_in(looks, person)
    sound()
    go_to(looks, "keys", "API keys")
    sound()
    button(looks, "New key").click()
    heading(looks, "New API key")
    button(looks, "Make the key").click()
    wait(looks, lambda: find(looks, "#field-name-fault").text)
    sound()
    type_in(looks, "name", "Robot")
    find(looks, "input[value='all']").click()
    button(looks, "Make the key").click()
    find(looks, "dialog input.key")
    sound()
    button(looks, "I have kept it").click()
    find(looks, "button[aria-label='Revoke Robot']").click()
    heading(looks, "Revoke Robot?")
    sound()
    button(looks, "Keep it").click()
    sound()
    key = tilth.operate("POST", f"/operator/v1/users/{person.id}/api-keys", {"name": "k", "scopes": ["all"]}, 201).data
    Client(tilth.address, f"Bearer {key['key']}").post("/farms", {"name": "Oasis", "totalArea": 3})
    go_to(looks, "land", "Farms and tasks")
    sound()


def test_the_reference_is_rendered_under_the_same_strict_policy(browser, tilth):
    open_page(browser, tilth, "/docs")
    wait(browser, lambda: len(browser.find_elements(By.CSS_SELECTOR, ".opblock")) > 10)
    find(browser, ".opblock-summary-control").click()
    find(browser, ".opblock.is-open .responses-table")
    assert [text for text in complaints(browser) if "Content Security Policy" in text] == []
