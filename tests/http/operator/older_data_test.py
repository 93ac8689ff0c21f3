"""The service starts on the data directory of every earlier version, and reads all of its history."""
import pathlib
import shutil
import tarfile

import pytest

from older import CLOCK, check
from service import BROKERS, Service

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "golden_data"
VERSIONS = sorted(path.name.removesuffix(".tar.xz") for path in GOLDEN.glob("*.tar.xz"))

pytestmark = pytest.mark.skipif(bool(BROKERS), reason="on Kafka the history is not in the data directory")


def test_there_is_one_at_least():
    assert "0.1.0" in VERSIONS


@pytest.fixture(params=VERSIONS)
def older(request, tmp_path):
    with tarfile.open(GOLDEN / f"{request.param}.tar.xz") as archive:
        archive.extractall(tmp_path)
    service = Service(tmp_path, clock=CLOCK)
    yield service
    service.kill()


@pytest.mark.parametrize("folded", ["its own read models", "read models folded again"])
def test_its_history_and_its_records_are_read(older, folded):
    if folded == "read models folded again":
        shutil.rmtree(older.data / "views")
    older.start()
    check(older, older.directory)
    older.stop()
