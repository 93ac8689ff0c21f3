"""A disk without space: writes are refused until there is space, reads go on, and nothing acknowledged is lost."""
import re
import shutil
import subprocess
import time
import uuid

import pytest

from client import Client
from full_disk import full_disk
from service import DEADLINE, VAST, Service, path_of, refused

pytestmark = pytest.mark.embedded_log

CONFIG = VAST
NO_SPACE = "No space left"


@pytest.fixture
def disk(tmp_path):
    """A function that mounts a disk of that many megabytes and returns its path."""
    disk = tmp_path / "disk"
    disk.mkdir()

    def make(megabytes):
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", disk],
                                 capture_output=True, text=True)
        if mounted.returncode:
            pytest.skip(f"a disk of its own cannot be mounted here: {mounted.stderr.strip()}")
        return disk

    yield make
    subprocess.run(["umount", "--lazy", disk], check=False)


@pytest.fixture
def service(tmp_path):
    service = Service(tmp_path, config=CONFIG)
    yield service
    service.kill()


def fill_up(ballast):
    """Fills the disk to the last byte."""
    with open(ballast, "ab", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            try:
                while file.write(bytes(size)) == size:
                    pass
            except OSError:
                pass


def readiness(service):
    reply = service.operator.send("GET", "/readyz")
    return reply.status, reply.data


def under_all(service, disk):
    """The rows are larger than the newest records, so they run out of space first."""
    service.data = disk(96) / "data"
    service.start()


def under_the_log(service, disk):
    service.start().stop()
    log = service.data / "log"
    shutil.move(log, disk(32) / "log")
    log.symlink_to(service.directory / "disk" / "log")
    service.start()


def says_the_rows(service, told):
    rows = {row["name"]: row for row in told["projections"]}
    assert rows["registry"]["state"] == "catching_up" and rows["registry"]["lagEvents"] > 0
    assert NO_SPACE in rows["registry"]["reason"]
    status = service.operate("GET", "/operator/v1/status").data
    row = next(row for row in status["projections"] if row["name"] == "registry")
    assert row["state"] == "catching_up" and row["lagEvents"] > 0 and NO_SPACE in row["reason"]


def says_the_log(service, told):
    metrics = service.operate("GET", "/metrics").body.decode()
    assert "\ntilth_log_writable 0\n" in metrics and "\ntilth_ready 0\n" in metrics
    assert told["log"] == "unavailable" and NO_SPACE in told["logReason"]
    assert NO_SPACE in service.operate("GET", "/operator/v1/status").data["log"]["reason"]


@pytest.mark.parametrize("fills, says, hears", ((under_all, says_the_rows, "read model is not following the log"),
                                                (under_the_log, says_the_log, "log cannot be written")),
                         ids=("under all", "under the log"))
def test_writes_are_refused_while_the_disk_is_full_and_nothing_acknowledged_is_lost(service, disk, fills, says, hears):
    fills(service, disk)
    ballast = service.directory / "disk" / "ballast"
    user = service.user("vast")
    farm = user.farm()
    fields = f"/farms/{farm['id']}/fields"
    kept = [user.field(farm, name="before")["id"]]

    def create(key):
        body = {"name": "meanwhile", "area": 1, "notes": "x" * 4000}
        return user.post(fields, body, {"Idempotency-Key": key})

    fill_up(ballast)
    for _ in range(10_000):  # space that was allocated before the disk filled up may still be used
        key = str(uuid.uuid4())
        reply = create(key)
        if reply.status != 201:
            break
        kept.append(reply.data["id"])
        fill_up(ballast)
    refused(reply, 503, "SERVICE_UNAVAILABLE")
    assert int(reply.header("Retry-After")) >= 1
    assert hears in reply.json["message"] and "not known" in reply.json["message"], reply
    assert user.read(path_of(farm))["id"] == farm["id"]
    assert user.get(f"{fields}?limit=1").pagination["total"] == len(kept)
    assert service.operator.send("GET", "/healthz").status == 200
    for _ in range(5):  # queries do not reset it
        status, told = readiness(service)
        assert status == 503 and not told["ready"]
        says(service, told)
        time.sleep(0.3)

    ballast.unlink()
    deadline = time.monotonic() + DEADLINE
    while (told := readiness(service))[0] != 200:  # without changes, too, the node notices that it can write again
        assert time.monotonic() < deadline, told
        time.sleep(0.1)
    assert told[1]["log"] == "available" and told[1]["logReason"] is None
    metrics = service.operate("GET", "/metrics").body.decode()
    assert "\ntilth_log_writable 1\n" in metrics and "\ntilth_ready 1\n" in metrics
    free, = re.findall(r"\ntilth_disk_free_bytes (\S+)\n", metrics)
    assert 0 <= float(free) <= 96 << 20 or fills is under_the_log, "of the disk of the data"
    while True:  # the outcome of a 503 is unknown; a retry with its key settles it
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


def test_a_limit_on_the_size_of_files_is_as_a_full_disk(service):
    user = service.start().user("vast")
    farm = user.farm()
    key = {"Idempotency-Key": str(uuid.uuid4())}

    def create():
        return user.post(f"/farms/{farm['id']}/fields", {"name": "meanwhile", "area": 1}, key)

    with full_disk(service.child.pid):
        refused(create(), 503, "SERVICE_UNAVAILABLE")
        assert user.read(path_of(farm))["id"] == farm["id"]
    deadline = time.monotonic() + DEADLINE
    while (reply := create()).status in (409, 503):
        assert time.monotonic() < deadline, service.tail()
    assert reply.status == 201, reply
    service.restart()
    reader = Client(service.address, user.authorization)
    assert reader.read(path_of(reply.data)) == reply.data
