"""Several nodes over one log: one of them delivers at a time, and another one takes over without a gap."""
import pytest

from receiver import Receiver, eventually, is_signed
from service import BROKERS, Service

CONFIG = """
[webhooks]
allow_http = true
allow_private = true
"""

pytestmark = pytest.mark.skipif(not BROKERS, reason="needs a broker")


@pytest.fixture
def nodes(tmp_path_factory):
    first = Service(tmp_path_factory.mktemp("one"), config=CONFIG)
    second = Service(tmp_path_factory.mktemp("two"), config=CONFIG, topic=first.topic)
    both = [first, second]
    try:
        for node in both:
            node.start()
        yield both
    finally:
        for node in both:
            node.kill()


def leader(nodes):
    """The node that has webhooks to deliver to, once there is exactly one."""
    def leading():
        having = [node for node in nodes if "\ntilth_webhooks 1\n" in node.operator.send("GET", "/metrics").body.decode()]
        return having if len(having) == 1 else None
    return eventually(leading)[0]


def delivered(user, webhook):
    return {one["eventId"] for one in user.get(f"/webhooks/{webhook['id']}/deliveries?status=delivered&limit=100").data}


def test_one_node_delivers_and_another_takes_over_when_it_is_killed(nodes):
    users = [nodes[0].user()]
    users.append(nodes[1].client_of(users[0]))
    with Receiver(lambda number, one: 204 if number % 5 else 500) as receiver:
        webhook = users[0].made("/webhooks", {"url": receiver.url, "types": ["tilth.farm.*"]})
        delivering = leader(nodes)
        farms = [users[number % 2].farm()["id"] for number in range(10)]
        received = receiver.wait(lambda all_of_them: len(all_of_them) >= 10)
        assert sorted(one.json["data"]["farmId"] for one in received) == sorted(farms), "each once"
        assert all(is_signed(one, webhook["secret"]) for one in received)
        # Every node knows what became of each.
        for user in users:
            eventually(lambda: len(delivered(user, webhook)) == 8)
        other = nodes[1 - nodes.index(delivering)]
        user = users[nodes.index(other)]
        first = user.get(f"/webhooks/{webhook['id']}/deliveries?status=delivered").data[-1]
        assert user.post(f"/webhooks/{webhook['id']}/deliveries/{first['id']}/resend").status == 202
        receiver.wait(lambda all_of_them: [one.id for one in all_of_them].count(first["eventId"]) >= 2)
        delivering.kill()
        farms += [user.farm()["id"] for _ in range(10)]
        received = receiver.wait(lambda all_of_them: {one.json["data"]["farmId"] for one in all_of_them} >= set(farms))
        assert leader([other]) is other

        def none_is_pending():  # those that were answered 500, by either node, are tried again later
            other.advance("PT30M")
            return not user.get(f"/webhooks/{webhook['id']}/deliveries?status=pending").data

        eventually(none_is_pending)
        eventually(lambda: delivered(user, webhook) >= {one.id for one in received})
        # The one that was killed comes back, and does not deliver together with the other.
        delivering.start()
        quiet = len(receiver.received)
        again = delivering.client_of(user)
        again.farm()
        receiver.first(quiet + 1)
        assert leader(nodes) is other
        eventually(lambda: delivered(again, webhook) == delivered(user, webhook))
