"""Signing in at an OpenID Connect provider: the round trip, and everything that must not work."""
import html
import json
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

    def state_cookies(self):
        return [cookie for cookie in self.jar if cookie.name.startswith("tilth_sign_in")]

    def send(self, method, path, body=None, headers=()):
        """As a page of the dashboard does."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json", **dict(headers)}, method=method)
        try:
            answer = self.opener.open(request, timeout=30)
        except urllib.error.HTTPError as error:
            answer = error
        answer.text = answer.read().decode()
        return answer

    def begin(self):
        answer = self.get("/api/auth/sign-in")
        assert answer.code == 303, answer.text
        return answer.to

    def sign_in(self, login):
        answer = self.get(self.walk(self.begin(), login))
        assert (answer.code, answer.headers["Location"]) == (303, "/"), answer.text
        return self.me()

    def me(self):
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
    quiet = Browser(service).sign_in("quiet")
    assert re.fullmatch(r"[0-9a-f]{24}@unverified\.invalid", quiet["email"])
    assert Browser(service).sign_in("quiet") == quiet


def test_what_an_operator_could_not_say_of_a_person_is_not_kept(service, browser):
    assert browser.sign_in("wordy")["name"] == "Ada " + "é" * 196
    assert Browser(service).sign_in("blank")["name"] is None
    for login in ("blank", "endless"):
        assert Browser(service).sign_in(login)["email"].endswith("@unverified.invalid")


def test_an_account_is_taken_over_only_with_an_email_that_was_verified(service, browser):
    made = made_by_an_operator(service, "taken@id.example")
    other = browser.sign_in("doubtful")
    assert other["id"] != made["id"] and other["email"].endswith("@unverified.invalid")
    assert Browser(service).sign_in("owner")["id"] == made["id"]


def test_an_email_that_was_not_verified_is_left_to_whoever_verifies_it(service, browser):
    squatter = browser.sign_in("squatter")
    assert squatter["email"].endswith("@unverified.invalid")
    claimant = Browser(service).sign_in("claimant")
    assert claimant["email"] == "claimed@id.example" and claimant["id"] != squatter["id"]
    assert Browser(service).sign_in("squatter") == squatter


PASSWORD = "correct horse battery"


def made_by_an_operator(service, email, **members):
    return service.operate("POST", "/operator/v1/users", {"email": email, "plan": "summit", **members}, 201).data


def with_password(service, email):
    made = made_by_an_operator(service, email, password=PASSWORD)
    browser = Browser(service)
    assert browser.send("POST", "/api/auth/sign-in", {"email": email, "password": PASSWORD}).status == 200
    return made, browser


def begin_link(browser, **body):
    answer = browser.send("POST", "/api/auth/provider", body)
    assert answer.status == 200, answer.text
    return json.loads(answer.text)["url"]


def test_an_account_with_a_password_is_joined_only_by_someone_who_has_it(service, browser):
    made, signed_in = with_password(service, "member@id.example")
    back = browser.walk(browser.begin(), "member")
    assert browser.get(back, accept="application/json").code == 409
    assert browser.get(browser.walk(browser.begin(), "member")).headers["Location"] == "/?error=taken"
    assert browser.me() is None
    for body, status in (({}, 400), ({"password": "wrong password"}, 401), ({"password": 5}, 400)):
        assert signed_in.send("POST", "/api/auth/provider", body).status == status
    evil = {"Origin": "https://evil.example"}
    assert signed_in.send("POST", "/api/auth/provider", {"password": PASSWORD}, evil).status == 403
    assert Browser(service).send("POST", "/api/auth/provider", {"password": PASSWORD}).status == 401
    answer = signed_in.get(signed_in.walk(begin_link(signed_in, password=PASSWORD), "member"))
    assert (answer.code, answer.headers["Location"]) == (303, "/")
    assert signed_in.me()["id"] == made["id"] and not signed_in.state_cookies()
    assert Browser(service).sign_in("member")["id"] == made["id"]
    assert browser.send("POST", "/api/auth/sign-in", {"email": "member@id.example", "password": PASSWORD}).status == 200


def test_a_link_is_finished_only_in_the_session_that_began_it(service):
    made, victim = with_password(service, "victim@id.example")
    _, thief = with_password(service, "thief@id.example")
    back = thief.walk(begin_link(thief, password=PASSWORD), "outsider")
    state = urllib.parse.parse_qs(urllib.parse.urlsplit(back).query)["state"][0]
    for cookie in thief.state_cookies():
        victim.jar.set_cookie(cookie)
    assert victim.get(back, accept="application/json").code == 400
    stripped = changed(back, state=state.rsplit(".", 1)[0])
    assert victim.get(stripped, accept="application/json").code == 400
    thief.send("POST", "/api/auth/sign-out")
    assert thief.get(back, accept="application/json").code == 400
    assert Browser(service).sign_in("outsider")["id"] != made["id"]


def test_an_account_of_the_provider_belongs_to_one_user(service):
    Browser(service).sign_in("aisha")
    made, browser = with_password(service, "second@id.example")
    back = browser.walk(begin_link(browser, password=PASSWORD), "aisha")
    assert browser.get(back, accept="application/json").code == 409
    assert Browser(service).sign_in("aisha")["id"] != made["id"]


def test_someone_of_the_provider_sets_a_first_password_right_after_signing_in(service, browser):
    user = browser.sign_in("leaver")
    session, = json.loads(browser.send("GET", "/api/auth/sessions").text)["data"]
    assert (session["method"], session["current"]) == ("provider", True)
    service.advance("PT10M")
    assert browser.send("POST", "/api/auth/password", {"newPassword": PASSWORD}).status == 401
    browser.sign_in("leaver")
    assert browser.send("POST", "/api/auth/password", {"newPassword": PASSWORD}).status == 204
    assert browser.me() == user
    assert browser.send("POST", "/api/auth/password", {"newPassword": "another good one"}).status == 400
    other = Browser(service)
    assert other.send("POST", "/api/auth/sign-in", {"email": user["email"], "password": PASSWORD}).status == 200
    assert Browser(service).sign_in("leaver") == user


def test_a_disabled_user_does_not_come_in_through_the_provider(service, browser):
    user = Browser(service).sign_in("nameless")
    service.operate("POST", f"/operator/v1/users/{user['id']}/disable")
    back = browser.walk(browser.begin(), "nameless")
    assert browser.get(back, accept="application/json").code == 401 and browser.me() is None
    service.operate("POST", f"/operator/v1/users/{user['id']}/enable")
    assert browser.sign_in("nameless") == user


def test_sign_ins_that_began_in_several_tabs_all_work(service, browser):
    begun = [browser.begin() for _ in range(3)]
    assert len(browser.state_cookies()) == 3
    for url in begun:
        answer = browser.get(browser.walk(url, "aisha"))
        assert (answer.code, answer.headers["Location"]) == (303, "/")
    assert browser.me()["email"] == "aisha@id.example" and not browser.state_cookies()


def test_sign_ins_that_were_given_up_do_not_pile_up(browser):
    for _ in range(20):
        last = browser.begin()
    assert len(browser.state_cookies()) == 8
    assert browser.get(browser.walk(last, "aisha")).headers["Location"] == "/"


def test_signing_out_reaches_the_provider(service, browser):
    browser.sign_in("aisha")
    out = browser.send("POST", "/api/auth/sign-out")
    assert out.status == 204 and browser.me() is None
    url = urllib.parse.urlsplit(out.headers["Location"])
    asked = urllib.parse.parse_qs(url.query)
    assert asked == {"client_id": ["tilth"], "post_logout_redirect_uri": [browser.base + "/"]}
    confirm = browser.get(out.headers["Location"])
    assert confirm.code == 200, confirm.text
    form = dict(re.findall(r'<input[^>]* name="(\w+)"[^>]* value="([^"]*)"', confirm.text))
    action = html.unescape(re.search(r'action="([^"]+)"', confirm.text)[1])
    assert browser.get(action, {**form, "logout": "yes"}).to == browser.base + "/"
    answer = browser.get(browser.begin())
    assert "login" in browser.get(answer.to).text  # it asks who it is again


def test_signing_out_of_a_session_by_password_stays_here(service):
    _, browser = with_password(service, "local@id.example")
    out = browser.send("POST", "/api/auth/sign-out")
    assert out.status == 204 and out.headers["Location"] is None


def test_the_cookies_are_for_this_site_alone(browser):
    url = browser.begin()
    began, = browser.state_cookies()
    browser.get(browser.walk(url, "aisha"))
    for cookie in (began, browser.cookie("tilth_session")):
        assert cookie.path == "/" and "HttpOnly" in cookie._rest and cookie._rest["SameSite"] == "Lax"
    assert not browser.state_cookies()


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
    failed(stranger, changed(back, state=stranger.state_cookies()[0].value))


@pytest.mark.parametrize("parameters", [
    {"state": None}, {"state": "x"}, {"code": "x"}, {"code": None}, {"code": None, "error": "server_error"}])
def test_a_return_that_was_tampered_with_lets_no_one_in(browser, parameters):
    failed(browser, changed(browser.walk(browser.begin(), "aisha"), **parameters))


@pytest.mark.parametrize("error,reason", [("access_denied", "access_denied"), ("server_error", "sign-in"), ("access_denied%0d%0aX:y", "sign-in")])
def test_a_person_who_stops_at_the_provider_is_told_that_they_did(browser, error, reason):
    state = urllib.parse.parse_qs(urllib.parse.urlsplit(browser.begin()).query)["state"][0]
    back = browser.get(f"/api/auth/callback?error={error}&state={urllib.parse.quote(state)}")
    assert (back.code, back.headers["Location"]) == (303, f"/?error={reason}")
    assert browser.me() is None


def test_a_code_works_once(service, browser):
    back = browser.walk(browser.begin(), "aisha")
    kept, = browser.state_cookies()
    assert browser.get(back).headers["Location"] == "/"
    thief = Client(service.address)
    reply = thief.send("GET", back[len(browser.base):], headers={"Cookie": f"{kept.name}={kept.value}"})
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
    from conftest import CONFIG
    from service import Service, free_port
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
