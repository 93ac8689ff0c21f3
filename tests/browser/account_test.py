"""The own account, and the life of an API key from its replacement to its end."""
import pytest

from access_test import keep_key, keys_of
from pages import By, Client, Keys, button, complaints, find, gone, heading, held, hold, let_go, open_as, open_page, sees, settled, sign_in, type_in, typed, violations, visit, wait
from person import Person
from service import refused


def rows(browser, label):
    return browser.find_elements(By.CSS_SELECTOR, f"[aria-label='{label}'] tbody tr")


def test_the_password_is_changed_and_other_browsers_are_signed_out(browser, tilth, person, axe):
    other = Person.signed_in(person).cookie
    person.cookie = None
    open_as(browser, person, "/#/account")
    heading(browser, "Your account")
    wait(browser, lambda: len(rows(browser, "Sessions")) == 2)
    assert violations(browser, axe) == []
    type_in(browser, "oldPassword", "not the password")
    type_in(browser, "newPassword", "new horse battery" + Keys.ENTER)
    find(browser, ".notice.bad")
    type_in(browser, "oldPassword", person.password)
    button(browser, "Change the password").click()
    sees(browser, "The password is changed", ".toast:not(dialog *)")
    wait(browser, lambda: len(rows(browser, "Sessions")) == 1)
    sees(browser, "this browser", "[aria-label='Sessions']")
    refused(person.send("GET", "/api/me", None, {"Cookie": f"tilth_session={other}"}.items()), 401, "UNAUTHENTICATED")
    browser.delete_all_cookies()
    browser.refresh()
    sign_in(browser, person, "new horse battery")
    heading(browser, "Your account")
    assert complaints(browser) == []


def test_a_session_elsewhere_is_ended(browser, tilth, person):
    person.signed_in()
    person.signed_in()
    open_as(browser, person, "/#/account")
    wait(browser, lambda: len(rows(browser, "Sessions")) == 2)
    button(browser, "End it").click()
    wait(browser, lambda: len(rows(browser, "Sessions")) == 1)
    person.signed_in()
    browser.refresh()
    button(browser, "End all others").click()
    button(browser, "End them").click()
    gone(browser, "dialog")
    sees(browser, "Sign in") if not browser.find_elements(By.CSS_SELECTOR, "[aria-label='Sessions']") else wait(browser, lambda: len(rows(browser, "Sessions")) == 1)


def test_the_account_is_erased_once_it_is_confirmed(browser, tilth, person):
    open_as(browser, person, "/#/today")
    first = browser.current_window_handle
    browser.execute_script("window.told = []; new BroadcastChannel('tilth-session').addEventListener('message', event => told.push(event.data))")
    browser.switch_to.new_window("tab")
    open_page(browser, tilth, "/#/account")
    heading(browser, "Your account")
    type_in(browser, "password", "not the password")
    button(browser, "Erase the account").click()
    button(browser, "Erase it").click()
    find(browser, "dialog .notice.bad")
    button(browser, "Keep it").click()
    gone(browser, "dialog")
    type_in(browser, "password", person.password)
    button(browser, "Erase the account").click()
    button(browser, "Erase it").click()
    sees(browser, "Sign in")
    refused(person.try_to_sign_in(), 401, "INVALID_CREDENTIALS")
    browser.switch_to.window(first)
    sees(browser, "Sign in")
    assert browser.execute_script("return told")[:2] == ["in", "left"]


# As a service with an identity provider answers; the provider sends the browser back at once.
PROVIDER = """
const ask = window.fetch;
window.fetch = async (...request) => {
  const path = String(request[0]), json = (body, status = 200) => new Response(JSON.stringify(body), {status, headers: {"Content-Type": "application/json"}});
  if (path.endsWith("/api/auth")) return json({password: true, provider: "Farm ID"});
  if (!path.endsWith("/api/auth/provider")) return ask(...request);
  const {password} = JSON.parse(request[1].body);
  if (password === "not the password") return json({error: "Unauthorized", code: "INVALID_CREDENTIALS", message: "The password is wrong."}, 401);
  return json({url: password === "taken" ? "/?error=taken" : "/"});
};
"""


def test_the_provider_is_added_once_the_password_is_right(browser, person, axe):
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": PROVIDER})
    try:
        open_as(browser, person, "/#/account")
        heading(browser, "Sign in with Farm ID")
        assert violations(browser, axe) == []
        type_in(browser, "password", "not the password" + Keys.ENTER)
        sees(browser, "The password is wrong.", ".notice.bad")
        type_in(browser, "password", "taken" + Keys.ENTER)
        sees(browser, "Somebody else signs in here with that account of Farm ID.")
        assert browser.current_url.endswith("/#/account")
        type_in(browser, "password", person.password)
        button(browser, "Add Farm ID").click()
        sees(browser, "From now on Farm ID opens this account, too.", "#status")
        heading(browser, "Your account")
        assert not browser.find_elements(By.CSS_SELECTOR, ".notice.bad")
        assert complaints(browser) == []
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def test_a_provider_answered_late_takes_nobody_away(browser, person):
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": PROVIDER})
    try:
        open_as(browser, person, "/#/account")
        heading(browser, "Sign in with Farm ID")
        type_in(browser, "password", person.password)
        hold(browser, "/api/auth/provider", answered=True)
        button(browser, "Add Farm ID").click()
        held(browser)
        visit(browser, "#/farms?new=1")
        type_in(browser, "name", "Oasis", "dialog")
        let_go(browser)
        assert typed(browser, "name") == ["Oasis"]
        assert browser.execute_script("return sessionStorage.length") == 0
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


@pytest.mark.parametrize("reason,says", [("access_denied", "You stopped signing in at the provider."), ("taken", "There is an account with this email."), ("sign-in", "Signing in at the provider did not work.")])
def test_who_comes_back_from_the_provider_in_vain_is_told_why(browser, tilth, reason, says):
    open_page(browser, tilth, f"/?error={reason}#/tasks")
    sees(browser, says, "[role=alert]")
    assert browser.current_url.endswith("/#/tasks")


def test_the_account_is_reached_from_the_name_below_the_menu(browser, person):
    open_as(browser, person, "/#/today")
    find(browser, ".account a.who").click()
    heading(browser, "Your account")


def test_a_rolled_key_works_next_to_the_old_one_until_that_is_revoked(browser, tilth, person):
    person.signed_in()
    old = person.mint(name="Robot", scopes=["farms:read"], allowedIps=["127.0.0.0/8"], rateLimit=7)
    open_as(browser, person, "/#/keys")
    button(browser, "Roll Robot").click()
    button(browser, "Create the new key").click()
    key = find(browser, "dialog input.key").get_attribute("value")
    keep_key(browser)
    assert key != old["key"]
    for each in (old["key"], key):
        assert Client(tilth.address, f"Bearer {each}").get("/farms").status == 200
    listed = keys_of(person)
    assert len(listed) == 2 and all((each["name"], each["scopes"], each["allowedIps"], each["rateLimit"]) == ("Robot", ["farms:read"], ["127.0.0.0/8"], 7) for each in listed)


def test_revoked_keys_say_who_ended_them_and_when(browser, tilth, person, axe):
    person.signed_in()
    mine, theirs = person.mint(name="Mine"), person.mint(name="Theirs")
    assert person.ask("DELETE", f"/api/api-keys/{mine['id']}").status == 200
    tilth.operate("DELETE", f"/operator/v1/users/{person.id}/api-keys/{theirs['id']}", status=204)
    open_as(browser, person, "/#/keys")
    find(browser, "details.more summary").click()
    sees(browser, "2 revoked keys")
    by = {row.find_element(By.TAG_NAME, "th").text.split()[0]: row.text for row in rows(browser, "Revoked keys")}
    assert "you" in by["Mine"] and person.source in by["Mine"] and "an operator" in by["Theirs"]
    assert violations(browser, axe) == []
    settled(browser)
