"""The client's address behind proxies: the rightmost one that is not a trusted proxy's."""
import pytest

from service import refused

CONFIG = """
[http]
trusted_proxies = ["127.0.0.1/32", "10.8.0.0/16"]
"""


@pytest.fixture
def bound(tilth):
    return tilth.user(allowedIps=["192.0.2.7"])


@pytest.mark.parametrize("forwarded", [
    "192.0.2.7", "192.0.2.7, 10.8.3.4", "192.0.2.7,10.8.3.4,127.0.0.1", "198.51.100.9, 192.0.2.7",
    "nonsense, 192.0.2.7", "192.0.2.7 , 10.8.0.1 "])
def test_the_rightmost_address_that_is_no_proxy_is_the_client(bound, forwarded):
    assert bound.get("/farms", {"X-Forwarded-For": forwarded}).status == 200


@pytest.mark.parametrize("forwarded", [
    "192.0.2.7, 198.51.100.9", "198.51.100.9", "192.0.2.7, 10.9.0.1", "192.0.2.7, 198.51.100.9, 10.8.3.4"])
def test_what_stands_left_of_the_client_is_hearsay(bound, forwarded):
    refused(bound.get("/farms", {"X-Forwarded-For": forwarded}), 403, "IP_NOT_ALLOWED")


@pytest.mark.parametrize("forwarded", [
    "", "192.0.2.7,", "192.0.2.7, nonsense, 10.8.3.4", "192.0.2.7, , 10.8.3.4", "192.0.2.7, 10.8.3"])
def test_an_entry_that_is_no_address_ends_the_search(bound, forwarded):
    refused(bound.get("/farms", {"X-Forwarded-For": forwarded}), 403, "IP_NOT_ALLOWED")


def test_the_search_ends_at_the_entry_before_the_one_that_is_no_address(tilth):
    proxy = tilth.user(allowedIps=["10.8.3.4"])
    assert proxy.get("/farms", {"X-Forwarded-For": "192.0.2.7, nonsense, 10.8.3.4"}).status == 200
    refused(proxy.get("/farms", {"X-Forwarded-For": "192.0.2.7, 10.8.3.4"}), 403, "IP_NOT_ALLOWED")


def test_several_header_lines_are_one_list(bound):
    lines = [("X-Forwarded-For", "198.51.100.9"), ("X-Forwarded-For", "192.0.2.7")]
    assert bound.get("/farms", lines).status == 200
    refused(bound.get("/farms", lines[::-1]), 403, "IP_NOT_ALLOWED")


def test_ipv6_clients_are_told_apart_by_address_not_by_spelling(tilth):
    bound = tilth.user(allowedIps=["2001:db8::/32"])
    for address in ("2001:db8::1", "2001:0DB8:0:0::2"):
        assert bound.get("/farms", {"X-Forwarded-For": address}).status == 200
    refused(bound.get("/farms", {"X-Forwarded-For": "2001:db9::1"}), 403, "IP_NOT_ALLOWED")


def test_a_peer_that_is_no_proxy_is_not_believed(bound):
    bound.source = "127.0.0.2"
    refused(bound.get("/farms", {"X-Forwarded-For": "192.0.2.7"}), 403, "IP_NOT_ALLOWED")


def test_strangers_are_counted_by_the_forwarded_address(tilth):
    proxy = tilth.stranger()
    proxy.source = None
    left = [int(proxy.get("/farms", {"X-Forwarded-For": address}).header("X-RateLimit-Remaining"))
            for address in ("203.0.113.1", "203.0.113.1", "203.0.113.2")]
    assert left == [59, 58, 59]


def test_strangers_of_one_ipv6_network_are_counted_together(tilth):
    guesser = tilth.stranger()
    guesser.source, guesser.authorization = None, "Bearer svc_live_" + "0" * 48

    def left(address):
        reply = guesser.get("/farms", {"X-Forwarded-For": address})
        refused(reply, 401, "INVALID_API_KEY")
        return int(reply.header("X-RateLimit-Remaining"))
    assert [left(f"2001:db8:aa:1:{host:x}::1") for host in range(1, 60)] == list(range(59, 0, -1))
    assert left("2001:db8:aa:1::ffff") == 0
    refused(guesser.get("/farms", {"X-Forwarded-For": "2001:db8:aa:1::1"}), 429, "RATE_LIMIT_EXCEEDED")
    assert left("2001:db8:aa:2::1") == 59


def test_ipv4_addresses_in_ipv6_form_are_counted_one_by_one(tilth):
    stranger = tilth.stranger()
    stranger.source = None
    left = [int(stranger.get("/farms", {"X-Forwarded-For": address}).header("X-RateLimit-Remaining"))
            for address in ("::ffff:192.0.2.201", "192.0.2.201", "::ffff:192.0.2.202")]
    assert left == [59, 58, 59]
