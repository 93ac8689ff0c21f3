"""A disk that returns other bytes than were written: rows are disposable, and the service is not. Unreadable rows
are a 503, the rest continues, and the rows are rebuilt from the log."""
import os
import shutil
import time

import pytest

from entries import KINDS
from service import DEADLINE, VAST, Farmer, Service, path_of

pytestmark = pytest.mark.embedded_log

FIELDS = 120
PROJECTIONS = ("access", "registry", "finance", "market")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A stopped service whose rows are in files, and the records that it returned."""
    service = Service(tmp_path_factory.mktemp("written"), config=VAST).start()
    user = service.user("vast")
    farm = user.farm()
    fields = [user.field(farm, name=f"Field {i}", notes=f"{i} " * 800) for i in range(FIELDS)]
    crop = user.crop(fields[0])
    block = user.block(crop)
    for kind in KINDS:
        for _ in range(20):
            user.entry(kind, crop, block)
    user.task(farm)
    service.operate("POST", "/operator/v1/library",
                    {"crops": [{"name": f"Crop {i}", "description": f"{i} " * 800} for i in range(100)]})
    service.stop()
    return service, user, farm, crop, fields


@pytest.fixture
def service(written, tmp_path):
    """A copy of the written service."""
    service = Service(tmp_path, config=VAST)
    shutil.copytree(written[0].data, service.data)
    yield service
    service.kill()


@pytest.fixture
def before(written):
    return written[2:]


@pytest.fixture
def farmer(service, written):
    """Returns the user's client, once the service runs."""
    return lambda: Farmer(service, written[1].id, minted={"key": written[1].key, "id": written[1].key_id})


def damage(service, projection, begin=0.2, end=0.6):
    """Corrupts a range of each file with rows; the index of the file's parts stays readable. Small ones have tombstones alone."""
    every = list((service.data / "views" / projection).glob("*/*.sst"))
    files = [file for file in every if file.stat().st_size > 2_000]
    assert files, [file.stat().st_size for file in every]
    for file in files:
        bytes_ = bytearray(file.read_bytes())
        for at in range(int(len(bytes_) * begin), int(len(bytes_) * end)):
            bytes_[at] ^= 0x5A
        file.write_bytes(bytes_)


def alive(service):
    assert service.child.poll() is None, service.tail()
    assert service.operator.send("GET", "/healthz").status == 200
    assert "was not answered" not in service.tail(), service.tail()


def readiness(service):
    reply = service.operator.send("GET", "/readyz")
    return reply.status, {each["name"]: each for each in reply.data["projections"]}


def until_ready(service):
    deadline = time.monotonic() + DEADLINE
    while readiness(service)[0] != 200:
        assert time.monotonic() < deadline, (readiness(service), service.tail())
        assert service.child.poll() is None, service.tail()
        time.sleep(0.05)


def heal(service, projection):
    service.operate("POST", f"/operator/v1/projections/{projection}/rebuild", status=202)
    deadline = time.monotonic() + DEADLINE
    while rows_of(service, projection)["building"]:
        assert time.monotonic() < deadline, service.tail()
        assert service.child.poll() is None, service.tail()
        time.sleep(0.05)
    until_ready(service)


def rows_of(service, projection):
    status = service.operate("GET", "/operator/v1/status").data
    return next(row for row in status["projections"] if row["name"] == projection)


def everything_is_there(user, farm, crop, fields):
    for field in fields:
        read = user.read(path_of(field))
        assert read["notes"] == field["notes"]
    assert user.get(f"/farms/{farm['id']}/fields?limit=1").pagination["total"] >= len(fields)
    assert user.read(path_of(crop))["id"] == crop["id"]


def look_at_everything(service, user, farm, fields):
    statuses = {user.get(path_of(field)).status for field in fields}
    statuses |= {user.get(f"/farms/{farm['id']}/fields?limit=100&page={page}").status for page in (1, 2, 3)}
    return statuses


def get(service, user, farm, fields):
    statuses = look_at_everything(service, user, farm, fields)
    assert statuses <= {200, 503} and 503 in statuses, statuses


def get_other_rows(service, user, farm, fields):
    for path in ("/tasks", "/crops", f"/farms/{farm['id']}", f"/farms/{farm['id']}/blocks", "/tasks?status=overdue",
                 f"/farms/{farm['id']}/financial-summary", "/templates"):
        assert user.get(path).status in (200, 404, 503)
    get(service, user, farm, fields)


def post(service, user, farm, fields):
    for field in fields[::10]:
        reply = user.put(path_of(field), {"name": "Another"})
        assert reply.status in (200, 503), reply
    assert user.post(f"/farms/{farm['id']}/fields", {"name": "More", "area": 1}).status in (201, 503)
    get(service, user, farm, fields)


def verify(service, user, farm, fields):
    reply = service.operator.send("POST", "/operator/v1/projections/registry/verify")
    assert reply.status == 503, reply


def library(service, user, farm, fields):
    try:
        assert service.operator.send("GET", "/operator/v1/library").status in (200, 503)
    except (OSError, ValueError):  # cut off, so that the client notices
        pass
    get(service, user, farm, fields)


def at_once(service, user, farm, fields):
    pass


@pytest.mark.parametrize("meets", (get, get_other_rows, post, verify, library, at_once),
                         ids=lambda meets: meets.__name__)
def test_damaged_rows_end_nothing_and_a_rebuild_heals_them(service, farmer, before, meets):
    farm, crop, fields = before
    damage(service, "registry")
    service.start()
    user = farmer()
    meets(service, user, farm, fields)
    alive(service)
    if meets is not at_once:
        status, projections = readiness(service)
        assert status == 503
        assert projections["registry"]["state"] == "faulted"
        assert "cannot be read" in projections["registry"]["reason"]
        assert rows_of(service, "registry")["reason"] == projections["registry"]["reason"]
        assert all(projections[name]["state"] == "running" for name in PROJECTIONS if name != "registry")
        reply = user.post(f"/farms/{farm['id']}/fields", {"name": "More", "area": 1})
        assert reply.status == 503 and reply.json["code"] == "SERVICE_UNAVAILABLE"
        assert int(reply.header("Retry-After")) >= 1

    heal(service, "registry")
    everything_is_there(user, farm, crop, fields)
    assert user.field(farm, name="Afterwards")
    assert service.operate("POST", "/operator/v1/projections/registry/verify").data["differences"] == []
    assert rows_of(service, "registry")["previous"] is None  # damaged rows are not kept to switch back to
    service.restart()
    everything_is_there(farmer(), farm, crop, fields)
    alive(service)


def test_a_removal_that_meets_damaged_rows_has_happened_whole_or_not_at_all(service, farmer, before):
    """It meets them when it is decided, or when it is folded: then its record is in the log."""
    farm, crop, fields = before
    damage(service, "registry", begin=0.1)
    service.start()
    user = farmer()
    refused = user.delete(path_of(farm))
    assert refused.status == 503, refused
    get(service, user, farm, fields)
    heal(service, "registry")
    status = 404 if "not known" in refused.json["message"] else 200
    assert {user.get(path_of(record)).status for record in (farm, *fields)} == {status}
    assert service.operate("POST", "/operator/v1/projections/registry/verify").data["differences"] == []


@pytest.mark.parametrize("projection", PROJECTIONS)
@pytest.mark.parametrize("begin", (0, 0.2), ids=("from the start", "in the middle"))
def test_whatever_is_damaged_the_start_succeeds_and_a_rebuild_heals_it(service, farmer, before, projection, begin):
    damage(service, projection, begin)
    service.start()
    user = farmer()
    look_at_everything(service, user, before[0], before[2])
    service.operator.send("POST", f"/operator/v1/projections/{projection}/verify")
    alive(service)
    heal(service, projection)
    everything_is_there(user, *before)
    assert user.field(before[0], name="Afterwards")
    assert service.operate("POST", "/operator/v1/projections/all/verify")
    alive(service)


def test_looking_for_unfinished_erasures_survives_damaged_rows(service, farmer, before):
    """An erased owner's rows are looked for where those of the owners with the next ids are."""
    service.start()
    users = sorted((service.user() for _ in range(12)), key=lambda user: user.id)
    for user in users:
        user.field(user.farm(), notes=os.urandom(2_000).hex())
    for user in users[2:-2:3]:
        service.operate("POST", f"/operator/v1/users/{user.id}/erase")
    service.stop()
    damage(service, "registry", begin=0.02, end=0.95)
    service.start()
    for user in users[2:-2:3]:
        reply = service.operator.send("POST", f"/operator/v1/users/{user.id}/erase")
        assert reply.status in (200, 503), reply
    alive(service)
    assert readiness(service)[1]["registry"]["state"] == "faulted"
    heal(service, "registry")
    everything_is_there(farmer(), *before)
    for user in users[2:-2:3]:
        assert service.operate("POST", f"/operator/v1/users/{user.id}/erase").data["complete"]


def test_a_rebuild_that_met_damaged_rows_goes_on_over_a_restart(service, farmer, before):
    damage(service, "registry")
    service.start()
    service.operate("POST", "/operator/v1/projections/registry/rebuild?switch=manual", status=202)
    deadline = time.monotonic() + DEADLINE
    while (row := rows_of(service, "registry"))["building"]["state"] != "running":
        assert time.monotonic() < deadline, row
        time.sleep(0.05)
    assert row["state"] == "faulted"
    service.restart()
    while (row := rows_of(service, "registry"))["building"]["state"] != "running":
        assert time.monotonic() < deadline, row
        time.sleep(0.05)
    service.operate("POST", "/operator/v1/projections/registry/switch")
    until_ready(service)
    everything_is_there(farmer(), *before)


def remove(file):
    file.unlink()


def garble(file):
    file.write_bytes(b"\x00\xff nothing that anybody wrote")


@pytest.mark.parametrize("pattern, harm", (("CURRENT", remove), ("CURRENT", garble), ("MANIFEST-*", remove),
                                           ("*.sst", remove), ("*.sst", garble)))
@pytest.mark.parametrize("projection", ("registry", "access", "history"))
def test_a_read_model_that_does_not_open_is_made_again(service, farmer, before, projection, pattern, harm):
    files = list((service.data / "views" / projection).glob(f"*/{pattern}"))
    assert files
    for file in files:
        harm(file)
    service.start()
    user = farmer()
    until_ready(service)
    everything_is_there(user, *before)
    lines = [line for line in user.get("/events?limit=10000").body.splitlines() if line]
    assert len(lines) >= len(before[2])
    assert "recreated" in service.tail() or "folded again" in service.tail(), service.tail()
    service.restart()
    everything_is_there(farmer(), *before)


def test_a_damaged_index_of_the_history_is_503_and_made_again_at_the_next_start(service, farmer, before):
    damage(service, "history")
    service.start()
    user = farmer()
    replies = [user.get("/events?limit=10000"),
               user.get(path_of(before[0]), {"Tilth-As-Of": "2026-03-01T06:30:00Z"}),
               user.get("/events?limit=10000")]
    assert {reply.status for reply in replies} <= {200, 503}, replies
    alive(service)
    everything_is_there(user, *before)
    service.restart()
    lines = farmer().get("/events?limit=10000").body.splitlines()
    assert len(lines) >= len(before[2])


def test_what_may_not_be_read_is_not_thrown_away(service, before):
    """A mount with the wrong owner is not damage."""
    folder = next((service.data / "views" / "registry").glob("*/CURRENT")).parent
    current = folder / "CURRENT"
    kept = current.read_bytes()
    current.unlink()
    current.mkdir()  # root can read a file of any mode; this fails for root, too
    service.launch()
    assert service.child.wait(DEADLINE) == 1
    assert "cannot be opened" in service.tail()
    current.rmdir()
    current.write_bytes(kept)
    service.start()
    assert "folded again" not in service.tail()
