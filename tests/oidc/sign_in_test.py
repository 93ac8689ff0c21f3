"""Signing in at an OpenID Connect provider: the round trip, and everything that must not work."""
import html
import http.cookiejar
import re
import urllib.parse
import urllib.request

import pytest

from client import Client
from service import refused


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Browser:
    """Keeps cookies, and follows redirects one at a time."""

    def __init__(self, service):
        self.base = f"http://{service.address}"
        self.jar = http.cookiejar.CookieJar(http.cookiejar.DefaultCookiePolicy(rfc2965=True))
        self.opener = urllib.request.build_opener(NoRedirect, urllib.request.HTTPCookieProcessor(self.jar))

    def get(self, url, form=None, accept="text/html"):
        data = urllib.parse.urlencode(form).encode() if form else None
        request = urllib.request.Request(urllib.parse.urljoin(self.base, url), data, {"Accept": accept})
        try:
            answer = self.opener.open(request, timeout=30)
        except urllib.error.HTTPError as error:
            answer = error
        answer.text = answer.read().decode()
        answer.to = urllib.parse.urljoin(request.full_url, answer.headers["Location"] or "")
        return answer

    def cookie(self, name):
        return next((cookie for cookie in self.jar if cookie.name == name), None)

    def walk(self, url, login):
        """Follows the provider's pages until it redirects back; returns the address of the callback."""
        for _ in range(20):
            if url.startswith(self.base + "/api/auth/callback"):
                return url
            answer = self.get(url)
            if answer.code in (302, 303):
                url = answer.to
                continue
            assert answer.code == 200, (answer.code, answer.text)
            form = dict(re.findall(r'<input[^>]* name="(\w+)"[^>]* value="([^"]*)"', answer.text))
            form |= {"login": login, "password": "any"} if "password" in answer.text else {}
            action = re.search(r'action="([^"]+)"', answer.text)[1]
            url = self.get(urllib.parse.urljoin(url, html.unescape(action)), form or {"prompt": "consent"}).to
        raise AssertionError("the provider sends us round and round")

    def begin(self):
        answer = self.get("/api/auth/sign-in")
        assert answer.code == 303, answer.text
        return answer.to

    def sign_in(self, login):
        answer = self.get(self.walk(self.begin(), login))
        assert (answer.code, answer.headers["Location"]) == (303, "/"), answer.text
        return self.me()

    def me(self):
        import json
        answer = self.get("/api/me")
        return json.loads(answer.text).get("user")


@pytest.fixture
def service(pair):
    return pair[0]


@pytest.fixture
def browser(service):
    return Browser(service)


def test_a_user_comes_into_being_at_the_first_sign_in_and_stays_the_same(service, browser):
    user = browser.sign_in("aisha")
    assert (user["email"], user["name"], user["plan"]) == ("aisha@id.example", "Aisha", "sprout")
    assert Browser(service).sign_in("aisha") == user
    service.operate("PUT", f"/operator/v1/users/{user['id']}", {"plan": "grove"})
    assert Browser(service).sign_in("aisha") == {**user, "plan": "grove"}
    event, = [each for each in service.events(type="tilth.user.registered") if each["data"]["userId"] == user["id"]]
    assert event["data"]["identity"]["subject"] == "aisha" and event["actor"] == user["id"]


def test_who_has_no_name_or_no_email_is_somebody_too(service, browser):
    assert browser.sign_in("nameless")["name"] is None
    assert Browser(service).sign_in("quiet")["email"] == "quiet@127.0.0.1"


def test_an_account_is_taken_over_only_with_an_email_that_was_verified(service, browser):
    body = {"email": "taken@id.example", "plan": "summit"}
    made = service.operate("POST", "/operator/v1/users", body, 201).data
    answer = browser.get(browser.walk(browser.begin(), "doubtful"), accept="application/json")
    assert answer.code == 409 and browser.me() is None
    assert Browser(service).sign_in("owner")["id"] == made["id"]


def test_the_cookies_are_for_this_site_alone(browser):
    browser.begin()
    for name in ("tilth_sign_in", "tilth_session"):
        if name == "tilth_session":
            browser.sign_in("aisha")
        cookie = browser.cookie(name)
        assert cookie.path == "/" and "HttpOnly" in cookie._rest and cookie._rest["SameSite"] == "Lax"
    assert browser.cookie("tilth_sign_in") is None


def test_what_the_provider_is_asked_cannot_be_guessed_or_used_by_others(browser):
    asked = [urllib.parse.parse_qs(urllib.parse.urlsplit(browser.begin()).query) for _ in range(2)]
    for name in ("state", "nonce", "code_challenge"):
        assert asked[0][name] != asked[1][name] and len(asked[0][name][0]) >= 43
    assert asked[0]["code_challenge_method"] == ["S256"] and asked[0]["response_type"] == ["code"]


def failed(browser, url):
    before = browser.cookie("tilth_session")
    told = browser.get(url, accept="application/json")
    assert told.code in (400, 401), (told.code, told.text)
    assert browser.get(url).headers["Location"] == "/?error=sign-in"
    assert browser.cookie("tilth_session") is before and browser.me() is None


def changed(url, **parameters):
    parts = urllib.parse.urlsplit(url)
    query = {**dict(urllib.parse.parse_qsl(parts.query)), **parameters}
    return parts._replace(query=urllib.parse.urlencode({k: v for k, v in query.items() if v is not None})).geturl()


def test_a_sign_in_that_began_in_another_browser_is_not_finished_here(service, browser):
    back = browser.walk(browser.begin(), "aisha")
    stranger = Browser(service)
    failed(stranger, back)
    stranger.begin()
    failed(stranger, back)
    failed(stranger, changed(back, state=stranger.cookie("tilth_sign_in").value))


@pytest.mark.parametrize("parameters", [
    {"state": None}, {"state": "x"}, {"code": "x"}, {"code": None}, {"code": None, "error": "access_denied"}])
def test_a_return_that_was_tampered_with_lets_no_one_in(browser, parameters):
    failed(browser, changed(browser.walk(browser.begin(), "aisha"), **parameters))


def test_a_code_works_once(service, browser):
    back = browser.walk(browser.begin(), "aisha")
    state = browser.cookie("tilth_sign_in").value
    assert browser.get(back).headers["Location"] == "/"
    thief = Client(service.address)
    reply = thief.send("GET", back[len(browser.base):], headers={"Cookie": f"tilth_sign_in={state}"})
    refused(reply, 401, "INVALID_CREDENTIALS")


def test_a_sign_in_takes_ten_minutes_at_most(service, browser):
    back = browser.walk(browser.begin(), "aisha")
    service.advance("PT10M")
    failed(browser, back)


def test_new_keys_of_the_provider_are_taken_up(service, pair):
    Browser(service).sign_in("aisha")
    pair[1].rotate()
    Browser(service).sign_in("aisha")


def test_the_page_is_told_of_the_provider(browser):
    assert browser.get("/api/auth").text == '{"password":true,"provider":"Example"}'


def test_a_provider_that_does_not_answer_keeps_no_one_else_from_anything(tmp_path):
    from conftest import CONFIG, free_port
    from service import Service
    service = Service(tmp_path, config=CONFIG.format(issuer=f"http://127.0.0.1:{free_port()}"))
    try:
        client = Client(service.start().address)
        refused(client.send("GET", "/api/auth/sign-in"), 503, "SERVICE_UNAVAILABLE")
        assert service.user().get("/farms").status == 200
        service.stop()
    finally:
        service.kill()


def test_without_a_provider_there_is_no_such_way(tmp_path):
    from service import Service
    service = Service(tmp_path)
    try:
        client = Client(service.start().address)
        refused(client.send("GET", "/api/auth/sign-in"), 405, "METHOD_NOT_ALLOWED")
        refused(client.send("GET", "/api/auth/callback"), 404, "NOT_FOUND")
        service.stop()
    finally:
        service.kill()
