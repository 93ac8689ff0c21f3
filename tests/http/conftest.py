"""One service for each test file; a file may set CONFIG (TOML) for its own."""
import pytest

from service import served


def pytest_configure(config):
    config.addinivalue_line("markers", "embedded_log: takes long, or is about files of the embedded log; "
                                       "on Kafka it is not run again")
    config.addinivalue_line("markers", "whole_land: asks one node to stop, pause or do what concerns every owner; "
                                       "not run where nodes divide the land")


@pytest.fixture(scope="module")
def tilth(request, tmp_path_factory):
    with served(tmp_path_factory.mktemp("tilth"), config=getattr(request.module, "CONFIG", "")) as service:
        yield service


@pytest.fixture
def user(tilth):
    return tilth.user()
