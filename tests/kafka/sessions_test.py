"""A person who signed in at one node is signed in at the other, until they sign out at either."""
import time

import pytest

from person import Person


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
