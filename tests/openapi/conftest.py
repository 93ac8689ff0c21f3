"""A service with room for many requests, and its description."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "http"))

from client import Client  # noqa: E402
from service import served  # noqa: E402

CONFIG = """
[plans.summit]
requests_per_hour = 10000000

[limits]
unauthenticated_per_minute = 1000000
"""


@pytest.fixture(scope="session")
def tilth(tmp_path_factory):
    with served(tmp_path_factory.mktemp("tilth"), config=CONFIG, clock=None) as service:
        yield service


@pytest.fixture(scope="session")
def described(tilth):
    """The path of a file with the description."""
    reply = Client(tilth.address).send("GET", "/api/openapi.json")
    assert reply.status == 200 and reply.header("Content-Type") == "application/json"
    path = tilth.directory / "openapi.json"
    path.write_bytes(reply.body)
    return path
