"""A person who signed in at one node is signed in at the other, until they sign out at either."""
import time

import pytest

from person import Person, cookie_of


@pytest.fixture
def person(nodes):
    return Person(nodes[0]).signed_in()


def status_at(person, node):
    person.move_to(node.address)
    return person.ask("GET", "/api/me").status


def becomes(expected, person, node):
    """Whether the status becomes `expected`; nodes share their sessions within a second."""
    deadline = time.monotonic() + 10
    while (status := status_at(person, node)) != expected and time.monotonic() < deadline:
        time.sleep(0.02)
    return status == expected


def test_anyone_who_signed_in_at_one_node_is_signed_in_at_the_other(nodes, person):
    assert becomes(200, person, nodes[1])


def test_anyone_who_signs_out_at_one_node_is_signed_out_at_both(nodes, person):
    assert becomes(200, person, nodes[1])
    assert person.ask("POST", "/api/auth/sign-out").status == 204
    assert becomes(401, person, nodes[0])


def test_an_ended_session_stays_ended_when_a_node_starts_again(nodes, person):
    ended, going_on = person.cookie, person.signed_in().cookie
    assert becomes(200, person, nodes[1])
    person.cookie = ended
    assert becomes(200, person, nodes[1])
    assert person.ask("POST", "/api/auth/sign-out").status == 204
    nodes[1].stop()
    nodes[1].start()
    person.cookie = going_on
    assert becomes(200, person, nodes[1])
    person.cookie = ended
    assert status_at(person, nodes[1]) == 401
    assert becomes(401, person, nodes[0])


def test_a_new_password_ends_the_sessions_at_every_node_by_the_time_it_is_answered(nodes, person):
    before = person.cookie
    other = person.signed_in().cookie
    for person.cookie in (before, other):
        assert becomes(200, person, nodes[1])
    person.move_to(nodes[0].address)
    reply = person.ask("POST", "/api/auth/password", {"oldPassword": person.password, "newPassword": "another good one"})
    assert reply.status == 204, reply
    for person.cookie in (before, other):
        assert [status_at(person, node) for node in nodes] == [401, 401]
    person.cookie = cookie_of(reply)
    assert status_at(person, nodes[0]) == 200
    assert becomes(200, person, nodes[1])


def test_a_disabled_user_is_refused_at_every_node_by_the_time_it_is_answered(nodes, person):
    assert becomes(200, person, nodes[1])
    nodes[0].operate("POST", f"/operator/v1/users/{person.id}/disable")
    assert [status_at(person, node) for node in nodes] == [401, 401]
    person.move_to(nodes[1].address)
    assert person.try_to_sign_in().status == 401
    nodes[1].operate("POST", f"/operator/v1/users/{person.id}/enable")
    assert [status_at(person, node) for node in nodes] == [401, 401]


def test_an_operator_of_either_node_sees_and_ends_a_session(nodes, person):
    assert becomes(200, person, nodes[1])
    session, = nodes[1].operate("GET", f"/operator/v1/sessions?user={person.id}").data
    assert session["address"] == person.source
    nodes[1].operate("DELETE", f"/operator/v1/sessions/{session['id']}", status=204)
    assert becomes(401, person, nodes[0])
