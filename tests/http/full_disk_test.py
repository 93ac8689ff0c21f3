"""A disk without space: writes wait for better days, reads go on, and nothing acknowledged is lost."""
import subprocess
import time
import uuid

import pytest

from client import Client
from service import DEADLINE, VAST, Service, path_of, refused

CONFIG = VAST


@pytest.fixture
def small_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", disk], capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"a disk of its own cannot be mounted here: {mounted.stderr.strip()}")
    yield disk
    subprocess.run(["umount", "--lazy", disk], check=True)


@pytest.fixture
def service(small_disk, tmp_path):
    service = Service(tmp_path, config=CONFIG)
    service.data = small_disk / "data"
    yield service.start()
    service.kill()


def fill_up(ballast):
    """Takes what is left of the disk, to the last byte."""
    with open(ballast, "ab", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            try:
                while file.write(bytes(size)) == size:
                    pass
            except OSError:
                pass


def test_writes_are_refused_while_the_disk_is_full_and_nothing_acknowledged_is_lost(service, small_disk):
    user = service.user("vast")
    farm = user.farm()
    fields = f"/farms/{farm['id']}/fields"
    kept = [user.field(farm, name="before")["id"]]
    ballast = small_disk / "ballast"

    def create(key):
        body = {"name": "meanwhile", "area": 1, "notes": "x" * 4000}
        return user.post(fields, body, {"Idempotency-Key": key})

    fill_up(ballast)
    for _ in range(10_000):  # what was set aside before the disk filled up may still be used
        key = str(uuid.uuid4())
        reply = create(key)
        if reply.status != 201:
            break
        kept.append(reply.data["id"])
        fill_up(ballast)
    refused(reply, 503, "SERVICE_UNAVAILABLE")
    assert int(reply.header("Retry-After")) >= 1
    assert user.read(path_of(farm))["id"] == farm["id"]
    assert user.get(f"{fields}?limit=1").pagination["total"] == len(kept)
    assert service.operator.send("GET", "/healthz").status == 200

    ballast.unlink()
    deadline = time.monotonic() + DEADLINE
    while True:  # what became of a 503 is unknown; the same key settles it
        reply = create(key)
        if reply.status not in (409, 503):
            break
        assert time.monotonic() < deadline, service.tail()
    assert reply.status == 201, reply
    kept.append(reply.data["id"])

    for _ in range(2):
        reader = Client(service.address, user.authorization)
        assert reader.get(f"{fields}?limit=1").pagination["total"] == len(kept)
        assert all(reader.get(f"{fields}/{field}").status == 200 for field in kept)
        service.restart()
