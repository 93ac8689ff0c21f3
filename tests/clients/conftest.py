"""A service, and a Python client of a new user of it."""
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "clients/python/src"), str(ROOT / "clients"), str(ROOT / "tests/http")]

from service import served  # noqa: E402
from tilth import Tilth  # noqa: E402

# Webhooks of tests lead to this machine.
CONFIG = """
[webhooks]
allow_http = true
allow_private = true
"""


@pytest.fixture(scope="session")
def tilth(tmp_path_factory):
    with served(tmp_path_factory.mktemp("tilth"), clock=None, config=CONFIG) as service:
        yield service


@pytest.fixture
def account(tilth, monkeypatch):
    """A new user, whose key is in the environment, as a program of theirs would find it."""
    user = tilth.user()
    monkeypatch.setenv("TILTH_URL", f"http://{tilth.address}")
    monkeypatch.setenv("TILTH_API_KEY", user.key)
    return user


@pytest.fixture
def client(account):
    with Tilth() as made:
        yield made
