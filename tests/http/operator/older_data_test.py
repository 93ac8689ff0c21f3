"""The service starts on the data directory of every earlier version, and reads all of its history."""
import json
import pathlib
import shutil
import tarfile

import pytest

from client import Client
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
    service = Service(tmp_path, clock="2026-11-24T12:00:00Z")
    yield service
    service.kill()


def read(lines):
    """Events without what only this log knows of them, such as their offsets; a later version may add members."""
    events = [json.loads(line) for line in lines.splitlines() if line]
    return [{name: event.get(name) for name in ("id", "type", "subject", "time", "streamversion", "data")} for event in events]


@pytest.mark.parametrize("folded", ["its own read models", "read models folded again"])
def test_its_history_and_its_records_are_read(older, folded):
    if folded == "read models folded again":
        shutil.rmtree(older.data / "views")
    older.start()
    exported = older.operate("GET", "/operator/v1/events").body
    expected = read((older.directory / "events.jsonl").read_text())
    assert len(expected) > 100 and read(exported) == expected

    demo = json.loads((older.directory / "demo.json").read_text())["data"]
    client = Client(older.address, f"Bearer {demo['key']}")
    listed = client.get("/farms")
    assert listed.status == 200, listed
    (farm,) = listed.data
    assert client.get(f"/farms/{farm['id']}/fields").data
    renamed = client.put(f"/farms/{farm['id']}", {"name": "Still here"})
    assert (renamed.status, renamed.data["name"]) == (200, "Still here")
    verified = older.operate("POST", "/operator/v1/projections/all/verify").data
    assert all(each["differences"] == [] for each in verified)
    older.stop()
