"""Two nodes of one log for each test file. They need brokers: see with_brokers.py."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "http"))
from service import VAST, Service  # noqa: E402


@pytest.fixture(scope="module")
def nodes(tmp_path_factory):
    first = Service(tmp_path_factory.mktemp("one"), config=VAST)
    both = [first, Service(tmp_path_factory.mktemp("two"), config=VAST, topic=first.topic)]
    try:
        for node in both:
            node.start()
        yield both
        for node in both:
            node.stop()
    finally:
        for node in both:
            node.kill()


@pytest.fixture
def user(nodes):
    """A user's clients, one for each node, with one key."""
    return clients(nodes)


def clients(nodes, plan="vast", **key):
    farmer = nodes[0].user(plan, **key)
    return [farmer, *(node.client_of(farmer) for node in nodes[1:])]
