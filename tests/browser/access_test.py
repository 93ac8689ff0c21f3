"""Signing in and out, sessions over tabs, and API keys from creation to revocation."""
import re

import pytest
from selenium.webdriver.common.action_chains import ActionChains

from conftest import connect, look
from pages import (COOKIE, By, Client, Keys, Land, button, choose, complaints, find, focused, fragment, gone, heading, held, hold, let_go, open_as, open_page, sees,
                   settled, sign_in, type_in, typed, visit, wait)
from person import Person
from service import refused


def make_key(browser, name, preset="all"):
    button(browser, "New key").click()
    heading(browser, "New API key")
    type_in(browser, "name", name, "dialog")
    find(browser, f"dialog [data-preset={preset}]").click()
    button(browser, "Create the key").click()
    key = find(browser, "dialog input.key").get_attribute("value")
    assert re.fullmatch("svc_live_[0-9a-f]{48}", key)
    return key


def keep_key(browser):
    button(browser, "I have kept it").click()
    button(browser, "Close, I have it").click()
    gone(browser, "dialog")


def keys_of(person):
    return person.ask("GET", "/api/api-keys").data


def test_a_key_is_made_used_and_revoked(browser, tilth, person):
    open_as(browser, person, "/#/keys")
    key = make_key(browser, "Irrigation robot", "read")
    keep_key(browser)
    client = Client(tilth.address, f"Bearer {key}")
    assert client.get("/farms").status == 200
    refused(client.post("/farms", {}), 403, "INSUFFICIENT_SCOPE")
    wait(browser, lambda: key not in browser.page_source)
    button(browser, "Revoke Irrigation robot").click()
    button(browser, "Keep it").click()
    assert client.get("/farms").status == 200
    button(browser, "Revoke Irrigation robot").click()
    button(browser, "Revoke it").click()
    sees(browser, "You have no key yet")
    refused(client.get("/farms"), 401, "INVALID_API_KEY")
    assert complaints(browser) == []


def test_a_half_filled_expiry_makes_no_key(browser, person):
    open_as(browser, person, "/#/keys?new=1")
    type_in(browser, "name", "Robot", "dialog")
    find(browser, "dialog [data-preset=all]").click()
    choose(browser, "expiry", "date")
    find(browser, "[name=expiresAt]").send_keys("12312030")
    button(browser, "Create the key").click()
    sees(browser, "Finish the date and the time", "dialog .fault")
    assert keys_of(person) == []
    browser.execute_script("arguments[0].value = '2030-12-31T06:30'; arguments[0].dispatchEvent(new Event('input', {bubbles: true}))",
                           find(browser, "[name=expiresAt]"))
    button(browser, "Create the key").click()
    find(browser, "dialog input.key")
    assert keys_of(person)[0]["expiresAt"].startswith("2030-12-31T")


def test_a_rate_that_is_no_whole_number_makes_no_key(browser, person):
    open_as(browser, person, "/#/keys?new=1")
    type_in(browser, "name", "Robot", "dialog")
    find(browser, "dialog [data-preset=all]").click()
    find(browser, "dialog summary").click()
    type_in(browser, "rateLimit", "1,000", "dialog")
    button(browser, "Create the key").click()
    sees(browser, "Write a whole number", "dialog .fault")
    focused(browser, "rateLimit")
    assert keys_of(person) == []
    type_in(browser, "rateLimit", "٥٠", "dialog")
    button(browser, "Create the key").click()
    find(browser, "dialog input.key")
    assert keys_of(person)[0]["rateLimit"] == 50


def test_a_double_click_makes_one_key(browser, person):
    open_as(browser, person, "/#/keys?new=1")
    type_in(browser, "name", "Robot", "dialog")
    find(browser, "dialog [data-preset=all]").click()
    connect(browser, latency=400)
    ActionChains(browser).double_click(button(browser, "Create the key")).perform()
    find(browser, "dialog input.key")
    connect(browser)
    keep_key(browser)
    assert len(keys_of(person)) == 1


def test_a_copied_key_is_announced_above_the_dialog(browser, tilth, person):
    origin = {"origin": f"http://{tilth.address}", "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    browser.execute_cdp_cmd("Browser.grantPermissions", origin)
    open_as(browser, person, "/#/keys")
    key = make_key(browser, "Robot")
    button(browser, "Copy").click()
    sees(browser, "The key is copied.", "dialog [role=status]")
    assert browser.execute_async_script("navigator.clipboard.readText().then(arguments[0])") == key


def test_escape_does_not_lose_the_new_key(browser, person):
    open_as(browser, person, "/#/keys")
    key = make_key(browser, "Robot")
    for _ in range(3):
        browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    sees(browser, "the key cannot be shown again", "dialog")
    assert find(browser, "dialog input.key").get_attribute("value") == key
    button(browser, "Close, I have it").click()
    gone(browser, "dialog")


def test_what_is_wrong_with_a_new_key_is_said_next_to_it(browser, person):
    open_as(browser, person, "/#/keys?new=1")
    button(browser, "Create the key").click()
    wait(browser, lambda: len(browser.find_elements(By.CSS_SELECTOR, "dialog .fault")) == 2)
    assert find(browser, "dialog [name=name]").get_attribute("aria-invalid") == "true"
    focused(browser, "name")


def test_what_a_key_may_see_and_change_lie_side_by_side(browser, person):
    open_as(browser, person, "/#/keys?new=1")
    tops = browser.execute_script("return ['farms:read', 'farms:write', 'analytics:read', 'finance:read'].map(each => document.querySelector(`dialog [value='${each}']`).getBoundingClientRect().top)")
    assert tops[0] == tops[1] < tops[2] < tops[3]


@pytest.mark.parametrize("width", [390, 1280])
def test_a_long_name_pushes_nothing_off_the_screen(browser, person, width):
    person.signed_in().mint(name="W" * 100)
    open_as(browser, person, "/#/keys")
    look(browser, width)
    revoke = button(browser, f"Revoke {'W' * 100}")
    assert revoke.rect["x"] + revoke.rect["width"] <= width
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    revoke.click()
    dialog = find(browser, "dialog")
    assert browser.execute_script("return arguments[0].scrollWidth <= arguments[0].clientWidth", dialog)


def test_a_control_character_reverses_no_name(browser, person):
    person.signed_in().mint(name="\u202elive")
    open_as(browser, person, "/#/keys")
    sees(browser, "U+202E", "tbody th")
    assert "\u202e" not in find(browser, "body").text
    button(browser, "Revoke U+202Elive")


def test_a_wrong_password_is_told_and_the_focus_stays_in_the_form(browser, person):
    open_page(browser, person.service)
    sign_in(browser, person, "wrong password")
    sees(browser, "wrong", ".notice.bad")
    button(browser, "Sign in").click()
    wait(browser, lambda: find(browser, "[type=submit]").get_attribute("aria-disabled") is None)
    wait(browser, lambda: browser.switch_to.active_element.tag_name in ("button", "input"))
    type_in(browser, "password", person.password + Keys.ENTER)
    heading(browser, "Today")


def test_who_signs_out_is_signed_out_after_a_reload(browser, person):
    open_as(browser, person, "/#/usage")
    assert browser.get_cookie(COOKIE)["httpOnly"] and browser.execute_script("return document.cookie") == ""
    button(browser, "Sign out").click()
    heading(browser, "Sign in")
    sees(browser, "You are signed out.")
    browser.refresh()
    heading(browser, "Sign in")
    assert browser.get_cookie(COOKIE) is None


def test_a_session_that_ended_says_so_and_returns_to_the_same_place(browser, person):
    open_as(browser, person, "/#/keys?new=1")
    type_in(browser, "name", "Robot", "dialog")
    find(browser, "dialog [data-preset=all]").click()
    browser.delete_all_cookies()
    button(browser, "Create the key").click()
    heading(browser, "Sign in")
    sees(browser, "Your session has ended")
    assert not browser.find_elements(By.CSS_SELECTOR, "dialog")
    sign_in(browser, person)
    heading(browser, "API keys")
    assert fragment(browser) == "#/keys?new=1"
    assert keys_of(person.signed_in()) == []


def end_session(browser):
    """As if it had ended by itself; the page learns of it by its next request, or when somebody comes back to it."""
    browser.delete_all_cookies()
    browser.execute_script("dispatchEvent(new Event('focus'))")
    heading(browser, "Sign in")


def test_what_a_form_holds_is_there_again_after_the_session_has_ended(browser, person):
    open_as(browser, person, "/#/farms?new=1")
    type_in(browser, "name", "Oasis", "dialog")
    browser.delete_all_cookies()
    type_in(browser, "totalArea", "12" + Keys.ENTER, "dialog")
    heading(browser, "Sign in")
    sign_in(browser, person)
    wait(browser, lambda: typed(browser, "name") == ["Oasis"] and typed(browser, "totalArea") == ["12"])
    sees(browser, "What you had entered is still here.", "dialog")
    button(browser, "Create").click()
    gone(browser, "dialog")
    assert [farm["name"] for farm in person.signed_in().ask("GET", "/api/farms").data] == ["Oasis"]
    button(browser, "New farm").click()
    wait(browser, lambda: typed(browser, "name") == [""])
    assert complaints(browser) == []


def test_what_is_done_with_a_task_is_there_again_after_the_session_has_ended(browser, person):
    Land(person).task("Prune", status="in_progress")
    open_as(browser, person)
    button(browser, "Complete Prune").click()
    type_in(browser, "notes", "The east side", "dialog")
    end_session(browser)
    sign_in(browser, person)
    wait(browser, lambda: typed(browser, "notes") == ["The east side"])
    button(browser, "Mark as done").click()
    gone(browser, "dialog")


def test_what_was_changed_while_a_session_had_ended_is_a_conflict(browser, person):
    land = Land(person)
    task = land.task("Prune")
    open_as(browser, person, "/#/tasks")
    button(browser, "Edit Prune").click()
    type_in(browser, "title", "Prune all", "dialog")
    end_session(browser)
    person.signed_in()
    land.change(f"/tasks/{task['id']}", {"title": "Prune half"})
    sign_in(browser, person)
    wait(browser, lambda: typed(browser, "title") == ["Prune all"])
    button(browser, "Save").click()
    sees(browser, "Prune half", "dialog .diff")
    button(browser, "Save my entries over theirs").click()
    gone(browser, "dialog")
    assert land.read(f"/tasks/{task['id']}")["title"] == "Prune all"


def test_a_boundary_is_drawn_on_after_the_session_has_ended(browser, person):
    land = Land(person)
    open_as(browser, person, f"/#{land.path}?on={land.meadow['id']}")
    button(browser, "Draw the boundary").click()
    wait(browser, lambda: browser.execute_script("return document.activeElement.matches('.map.drawing')"))
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    sees(browser, "1 corner")
    end_session(browser)
    sign_in(browser, person)
    sees(browser, "1 corner")
    find(browser, ".drawing .handle")


def test_what_a_form_holds_is_shown_to_no_one_else(browser, tilth, person):
    other = Person(tilth, name="Omar")
    open_as(browser, person, "/#/farms?new=1")
    type_in(browser, "name", "Oasis", "dialog")
    end_session(browser)
    sign_in(browser, other)
    wait(browser, lambda: typed(browser, "name") == [""])
    end_session(browser)
    sign_in(browser, person)
    wait(browser, lambda: typed(browser, "name") == [""])


def test_what_a_form_holds_is_forgotten_once_its_person_signs_out(browser, tilth, person):
    open_as(browser, person, "/#/farms?new=1")
    type_in(browser, "name", "Oasis", "dialog")
    first = browser.current_window_handle
    browser.switch_to.new_window("tab")
    look(browser)
    open_page(browser, tilth, "/#/usage")
    settled(browser)
    button(browser, "Sign out").click()
    heading(browser, "Sign in")
    browser.switch_to.window(first)
    heading(browser, "Sign in")
    sign_in(browser, person)
    wait(browser, lambda: typed(browser, "name") == [""])


def test_what_a_form_holds_outlives_the_way_to_the_provider(browser, person):
    open_as(browser, person, "/#/farms?new=1")
    type_in(browser, "name", "Oasis", "dialog")
    end_session(browser)
    assert browser.execute_script("return sessionStorage.length") == 0
    browser.execute_async_script("import('/assets/pages/provider.js').then(({rememberPlace}) => { rememberPlace(); arguments[0](); })")
    browser.refresh()
    sign_in(browser, person)
    wait(browser, lambda: typed(browser, "name") == ["Oasis"])
    assert browser.execute_script("return sessionStorage.length") == 0


def test_an_answer_that_comes_late_takes_nobody_out_of_what_they_type(browser, person):
    open_as(browser, person, "/#/farms")
    browser.delete_all_cookies()
    hold(browser, "/api/auth")
    visit(browser, "#/tasks")
    heading(browser, "Sign in")
    type_in(browser, "email", person.email)
    type_in(browser, "password", person.password[:4])
    let_go(browser)
    browser.switch_to.active_element.send_keys(person.password[4:] + Keys.ENTER)
    heading(browser, "Tasks")


def test_an_answer_from_before_the_sign_in_does_not_end_it(browser, person):
    open_as(browser, person, "/#/tasks")
    browser.delete_all_cookies()
    visit(browser, "#/farms")
    heading(browser, "Sign in")
    hold(browser, "/api/me", answered=True)
    browser.execute_script("dispatchEvent(new Event('focus'))")
    held(browser)
    sign_in(browser, person)
    heading(browser, "Farms")
    let_go(browser)
    heading(browser, "Farms")
    assert not browser.find_elements(By.CSS_SELECTOR, ".door")


def test_a_tab_never_acts_for_the_user_who_signed_in_elsewhere(browser, tilth, person):
    other = Person(tilth, name="Omar")
    open_as(browser, person, "/#/keys?new=1")
    first = browser.current_window_handle
    type_in(browser, "name", "Robot", "dialog")
    find(browser, "dialog [data-preset=all]").click()
    browser.switch_to.new_window("tab")
    look(browser)
    open_page(browser, tilth, "/#/usage")
    settled(browser)
    button(browser, "Sign out").click()
    sign_in(browser, other)
    heading(browser, "Usage")
    browser.switch_to.window(first)
    sees(browser, "Omar", ".who")
    assert keys_of(other.signed_in()) == [] and keys_of(person.signed_in()) == []


def test_a_request_for_another_user_is_refused_even_if_the_tab_does_not_know_yet(browser, tilth, person):
    other = Person(tilth, name="Omar").signed_in()
    open_as(browser, person, "/#/keys?new=1")
    type_in(browser, "name", "Robot", "dialog")
    find(browser, "dialog [data-preset=all]").click()
    browser.add_cookie({"name": COOKIE, "value": other.cookie, "httpOnly": True, "sameSite": "Lax"})
    button(browser, "Create the key").click()
    sees(browser, "Omar is signed in here now.")
    assert keys_of(other) == [] and keys_of(person.signed_in()) == []


def test_a_tab_signs_out_the_user_whom_it_shows_alone(browser, tilth, person):
    other = Person(tilth, name="Omar").signed_in()
    open_as(browser, person, "/#/usage")
    browser.add_cookie({"name": COOKIE, "value": other.cookie, "httpOnly": True, "sameSite": "Lax"})
    button(browser, "Sign out").click()
    sees(browser, "Omar", ".who")
    assert other.ask("GET", "/api/me").status == 200


@pytest.mark.parametrize("name", ["constructor", "toString", "__proto__", "%E0%A4%A", "farms/nothing", "farms/constructor/fields/x"])
def test_an_address_that_leads_nowhere_says_so(browser, person, name):
    open_as(browser, person, f"/#/{name}")
    wait(browser, lambda: find(browser, "h1").text in ("No such page", "Not found"))
    assert complaints(browser) == []


def test_the_skip_link_leaves_the_address_alone(browser, person):
    open_as(browser, person, "/#/keys")
    browser.execute_script("document.querySelector('.skip').focus()")
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    assert fragment(browser) == "#/keys"
    assert browser.switch_to.active_element.get_attribute("id") == "main"


def test_a_page_recovers_by_itself_when_the_service_is_back(browser, person):
    open_as(browser, person, "/#/usage")
    connect(browser, offline=True)
    find(browser, "#sections a[href='#/keys']").click()
    sees(browser, "The service cannot be reached.")
    button(browser, "Try again").click()
    sees(browser, "The service cannot be reached.")
    connect(browser)
    button(browser, "Create the first key")
    settled(browser)
    connect(browser, offline=True)
    find(browser, "#sections a[href='#/usage']").click()
    sees(browser, "The service cannot be reached.")
    connect(browser)
    sees(browser, "Your plan")


def test_usage_is_shown_against_the_plan(browser, tilth, person):
    person.signed_in().ask("POST", "/api/farms", {"name": "Oasis", "totalArea": 3})
    tilth.operate("POST", f"/operator/v1/users/{person.id}/ai-requests", {"status": "succeeded"}, 201)
    tilth.operate("PUT", f"/operator/v1/users/{person.id}", {"plan": "sprout"})
    open_as(browser, person, "/#/usage")
    text = find(browser, "main").text
    assert "1 of 3" in text and "1 of 200" in text and "Resets on" in text
    open_page(browser, tilth, "/#/keys")
    sees(browser, "Your plan does not include new API keys.")
    assert not browser.find_elements(By.ID, "new-key")


def test_everything_can_be_done_with_a_keyboard(browser, person):
    def focused():
        return browser.switch_to.active_element

    def press(*keys):
        for key in keys:
            focused().send_keys(key)

    open_page(browser, person.service, "/#/usage")
    heading(browser, "Sign in")
    wait(browser, lambda: focused().get_attribute("name") == "email")
    press(person.email, Keys.TAB, person.password, Keys.TAB, Keys.ENTER)
    heading(browser, "Usage")
    settled(browser)
    wait(browser, lambda: focused().text == "Usage")
    for _ in range(20):
        press(Keys.SHIFT + Keys.TAB)
        if focused().get_attribute("href") and focused().get_attribute("href").endswith("#/keys"):
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
    wait(browser, lambda: focused().get_attribute("name") == "name")
    press(Keys.ESCAPE)
    gone(browser, "dialog")
    wait(browser, lambda: focused().get_attribute("id") == "new-key")
