"""A user's own account: the password, and the sessions that are in force; and what operators do about them."""
import pytest

from client import Client
from person import PASSWORD, Person, cookie_of, set_cookie
from service import Service, invalid, refused

pytestmark = pytest.mark.embedded_log

NEW = "another good password"
SESSION = {"id", "method", "createdAt", "lastSeenAt", "expiresAt", "address", "browser", "current"}

CONFIG = """
[limits]
unauthenticated_per_minute = 100000
"""


@pytest.fixture
def person(tilth):
    return Person(tilth).signed_in()


def again(person):
    """Another browser of the same person."""
    other = Person.__new__(Person)
    other.__dict__.update(person.__dict__, kept=None)
    Client.__init__(other, f"{person.address[0]}:{person.address[1]}", source=person.source)
    other.cookie = None
    return other.signed_in()


def change(person, old=PASSWORD, new=NEW, **more):
    return person.ask("POST", "/api/auth/password", {"oldPassword": old, "newPassword": new}, **more)


def sessions(person):
    reply = person.ask("GET", "/api/auth/sessions")
    assert reply.status == 200 and set(reply.json) == {"data"}, reply
    return reply.data


def is_in(person):
    status = person.ask("GET", "/api/me").status
    assert status in (200, 401)
    return status == 200


def listed(tilth, **query):
    text = "&".join(f"{name}={value}" for name, value in query.items())
    return tilth.operate("GET", f"/operator/v1/sessions?{text}")


# The password.

def test_a_new_password_counts_at_once_and_the_old_one_no_more(person):
    reply = change(person)
    assert (reply.status, reply.body) == (204, b""), reply
    refused(person.try_to_sign_in(PASSWORD), 401, "INVALID_CREDENTIALS")
    assert person.try_to_sign_in(NEW).status == 200


def test_a_new_password_ends_all_other_sessions_and_this_browser_goes_on_with_a_new_one(person):
    other, before = again(person), person.cookie
    reply = change(person)
    assert not is_in(other) and not is_in(person)
    person.cookie = cookie_of(reply)
    assert person.cookie != before and is_in(person)
    assert [each["current"] for each in sessions(person)] == [True]
    refused(other.mint(401), 401, "UNAUTHENTICATED")


def test_a_wrong_old_password_changes_nothing(person):
    other = again(person)
    for wrong in ("wrong password", "", "x", "y" * 1_000):
        refused(change(person, old=wrong), 401, "INVALID_CREDENTIALS")
    assert is_in(other) and is_in(person) and person.try_to_sign_in().status == 200


def test_ten_wrong_old_passwords_close_the_change_and_nothing_else(tilth, person):
    for _ in range(10):
        refused(change(person, old="wrong password"), 401, "INVALID_CREDENTIALS")
    reply = change(person)
    refused(reply, 429, "RATE_LIMIT_EXCEEDED")
    assert 0 < int(reply.header("Retry-After")) <= 900
    assert is_in(person) and person.try_to_sign_in().status == 200
    tilth.advance("PT15M")
    assert change(person).status == 204


@pytest.mark.parametrize("body,members", [
    ({}, ["oldPassword", "newPassword"]), ({"oldPassword": PASSWORD}, ["newPassword"]), ({"newPassword": NEW}, ["oldPassword"]),
    ({"oldPassword": PASSWORD, "newPassword": "seven77"}, ["newPassword"]),
    ({"oldPassword": 5, "newPassword": "x" * 201}, ["oldPassword", "newPassword"])])
def test_what_is_no_change_of_a_password_is_named(person, body, members):
    invalid(person.ask("POST", "/api/auth/password", body), *members)
    assert person.try_to_sign_in().status == 200


def test_only_the_person_at_their_own_page_may_change_it(tilth, person):
    refused(change(person, headers={"Origin": "https://evil.example"}), 403, "FOREIGN_ORIGIN")
    refused(tilth.stranger().send("POST", "/api/auth/password", {}), 401, "UNAUTHENTICATED")
    refused(tilth.user().send("POST", "/api/auth/password", {}), 401, "UNAUTHENTICATED")
    refused(person.ask("POST", "/api/auth/password", "a=b", {"Content-Type": "application/x-www-form-urlencoded"}),
            415, "UNSUPPORTED_MEDIA_TYPE")
    assert person.try_to_sign_in().status == 200


def test_the_history_tells_who_changed_it_and_no_password(tilth, person):
    change(person)
    event = tilth.events(type="tilth.user.amended")[-1]
    assert event["actor"] == person.id and set(event["data"]) == {"userId", "passwordHash", "amendedAt"}
    assert NEW not in str(event)


def test_a_password_that_an_operator_sets_ends_every_session(tilth, person):
    other = again(person)
    tilth.operate("PUT", f"/operator/v1/users/{person.id}", {"name": "Ada", "plan": "grove"})
    assert is_in(person) and is_in(other)
    tilth.operate("PUT", f"/operator/v1/users/{person.id}", {"password": NEW})
    assert not is_in(person) and not is_in(other)
    refused(person.mint(401), 401, "UNAUTHENTICATED")
    assert listed(tilth, user=person.id).data == []
    person.password = NEW
    assert is_in(person.signed_in())


def test_sessions_that_a_new_password_ended_stay_ended_after_a_restart_and_a_rebuild(tmp_path):
    service = Service(tmp_path)
    try:
        person = Person(service.start()).signed_in()
        ended = person.cookie
        going_on = cookie_of(change(person))
        for meanwhile in (service.restart, lambda: service.operate("POST", "/operator/v1/projections/access/rebuild", status=202)):
            meanwhile()
            person.move_to(service.address)
            for person.cookie, expected in ((ended, False), (going_on, True)):
                assert is_in(person) is expected
        service.stop()
    finally:
        service.kill()


# Sessions.

def test_a_person_sees_where_they_are_signed_in(tilth, person):
    person.cookie = cookie_of(person.try_to_sign_in(headers={"User-Agent": "Palm/1 \u00e9\t" + "x" * 300}))
    tilth.advance("PT5M")
    first, last = sessions(person)[::-1] if sessions(person)[0]["current"] else sessions(person)
    assert set(last) == set(first) == SESSION
    assert (first["current"], last["current"]) == (False, True)
    assert last["browser"] == ("Palm/1 ??" + "x" * 300)[:200] and first["browser"] is None
    assert last["address"] == person.source and last["method"] == "password"
    assert last["createdAt"] < last["lastSeenAt"] == tilth.now() < last["expiresAt"]
    assert first["lastSeenAt"] == first["createdAt"]
    assert last["id"].startswith("session_") and last["id"].removeprefix("session_") not in person.cookie


def test_the_newest_session_comes_first(tilth, person):
    ids = [sessions(person)[0]["id"]]
    for _ in range(2):
        tilth.advance("PT1S")
        again(person)
        ids.insert(0, sessions(person)[0]["id"])
    assert [each["id"] for each in sessions(person)] == ids


def test_a_person_ends_one_session(person):
    other = again(person)
    its, = [each["id"] for each in sessions(other) if each["current"]]
    assert person.ask("DELETE", f"/api/auth/sessions/{its}").status == 204
    assert not is_in(other) and is_in(person)
    refused(person.ask("DELETE", f"/api/auth/sessions/{its}"), 404, "NOT_FOUND")


def test_ending_the_own_session_is_signing_out(person):
    own, = sessions(person)
    reply = person.ask("DELETE", f"/api/auth/sessions/{own['id']}")
    assert reply.status == 204 and set_cookie(reply)[0] == ""
    assert not is_in(person)


def test_a_person_ends_all_other_sessions(person):
    others = [again(person) for _ in range(3)]
    assert person.ask("DELETE", "/api/auth/sessions").status == 204
    assert is_in(person) and not any(is_in(other) for other in others)
    assert person.ask("DELETE", "/api/auth/sessions").status == 204


def test_no_one_sees_or_ends_the_session_of_another(tilth, person):
    stranger = Person(tilth).signed_in()
    its, = sessions(stranger)
    assert its["id"] not in {each["id"] for each in sessions(person)}
    refused(person.ask("DELETE", f"/api/auth/sessions/{its['id']}"), 404, "NOT_FOUND")
    person.ask("DELETE", "/api/auth/sessions")
    assert is_in(stranger)
    for method, path in (("DELETE", "/api/auth/sessions"), ("DELETE", f"/api/auth/sessions/{sessions(person)[0]['id']}")):
        refused(person.ask(method, path, headers={"Origin": "https://evil.example"}), 403, "FOREIGN_ORIGIN")
    assert is_in(person)


# Operators.

def test_operators_list_and_end_sessions(tilth, person):
    other, stranger = again(person), Person(tilth).signed_in()
    reply = listed(tilth, user=person.id)
    assert reply.json["pagination"]["total"] == 2
    assert set(reply.data[0]) == SESSION - {"current"} | {"userId"} and reply.data[0]["userId"] == person.id
    everyone = {each["userId"] for each in listed(tilth, limit=100).data}
    assert {person.id, stranger.id} <= everyone
    own, = [each["id"] for each in sessions(person) if each["current"]]
    tilth.operate("DELETE", f"/operator/v1/sessions/{own}", status=204)
    assert not is_in(person) and is_in(other)
    tilth.operate("DELETE", f"/operator/v1/sessions/{own}", status=404)
    assert tilth.operate("DELETE", f"/operator/v1/sessions?user={person.id}").data == {"ended": 1}
    assert not is_in(other) and is_in(stranger)


def test_operators_page_through_sessions(tilth, person):
    for _ in range(4):
        tilth.advance("PT1S")
        again(person)
    pages = [listed(tilth, user=person.id, page=page, limit=2).data for page in (1, 2, 3, 4)]
    assert [len(page) for page in pages] == [2, 2, 1, 0]
    began = [each["createdAt"] for page in pages for each in page]
    assert began == sorted(began, reverse=True)
    ascending = listed(tilth, user=person.id, order="asc", limit=100).data
    assert [each["createdAt"] for each in ascending] == began[::-1]


def test_the_operator_must_name_a_user_who_exists(tilth):
    missing = "user_" + "A" * 21
    assert tilth.operator.send("GET", f"/operator/v1/sessions?user={missing}").status == 404
    assert tilth.operator.send("DELETE", f"/operator/v1/sessions?user={missing}").status == 404
    invalid(tilth.operator.send("DELETE", "/operator/v1/sessions"), "user")
    stranger = Client(tilth.operator_address)
    for method in ("GET", "DELETE"):
        refused(stranger.send(method, "/operator/v1/sessions"), 401, "UNAUTHORIZED")


def set_disabled(tilth, person, action, status=200):
    return tilth.operate("POST", f"/operator/v1/users/{person.id}/{action}", status=status)


def test_a_disabled_user_is_refused_at_once_and_an_enabled_one_is_not(tilth, person):
    key = tilth.operate("POST", f"/operator/v1/users/{person.id}/api-keys", {"name": "k", "scopes": ["all"]}, 201).data
    program = Client(tilth.address, f"Bearer {key['key']}")
    assert program.get("/farms").status == 200 and "disabledAt" not in person.user
    user = set_disabled(tilth, person, "disable").data
    assert user["disabledAt"] == tilth.now() and user["id"] == person.id
    refused(program.get("/farms"), 401, "INVALID_API_KEY")
    refused(person.ask("GET", "/api/me"), 401, "UNAUTHENTICATED")
    refused(person.mint(401), 401, "UNAUTHENTICATED")
    wrong = person.try_to_sign_in("wrong password")
    right = person.try_to_sign_in()
    assert (right.status, right.json) == (wrong.status, wrong.json) == (401, right.json)
    assert listed(tilth, user=person.id).data == []
    late = tilth.operate("POST", f"/operator/v1/users/{person.id}/api-keys", {"name": "k", "scopes": ["all"]}, 201).data
    refused(Client(tilth.address, f"Bearer {late['key']}").get("/farms"), 401, "INVALID_API_KEY")
    assert "disabledAt" not in set_disabled(tilth, person, "enable").data
    assert program.get("/farms").status == 200
    assert Client(tilth.address, f"Bearer {late['key']}").get("/farms").status == 200
    refused(person.ask("GET", "/api/me"), 401, "UNAUTHENTICATED")  # a session does not come back
    assert is_in(person.signed_in())


def test_disabling_twice_is_one_event(tilth, person):
    for action, kind in (("disable", "disabled"), ("enable", "enabled")):
        for _ in range(2):
            set_disabled(tilth, person, action)
        events = [each for each in tilth.events(type=f"tilth.user.{kind}") if each["data"]["userId"] == person.id]
        assert len(events) == 1
    tilth.operate("POST", f"/operator/v1/users/user_{'A' * 21}/disable", status=404)
    tilth.operate("POST", "/operator/v1/users/nobody/enable", status=404)


def test_a_disabled_user_stays_so_over_a_restart_and_their_work_goes_on(tmp_path):
    service = Service(tmp_path)
    try:
        service.start()
        farmer = service.user()
        farm = farmer.farm()
        farmer.rule(farm, farmer.template(), pattern="daily", startDate=service.now())
        before = farmer.get("/tasks").json["pagination"]["total"]
        service.operate("POST", f"/operator/v1/users/{farmer.id}/disable")
        service.restart()
        service.advance("P3D")
        farmer = service.client_of(farmer)
        refused(farmer.get("/tasks"), 401, "INVALID_API_KEY")
        service.operate("POST", f"/operator/v1/users/{farmer.id}/enable")
        assert farmer.get("/tasks").json["pagination"]["total"] == before + 3
        service.stop()
    finally:
        service.kill()
