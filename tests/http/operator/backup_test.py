"""A backup taken while the service runs, and a data directory restored from it."""
import datetime
import random
import re
import threading

import pytest

from client import Client
from service import BROKERS, Service, invalid, path_of, refused, run

pytestmark = pytest.mark.embedded_log

pytestmark = pytest.mark.skipif(bool(BROKERS), reason="on Kafka a backup holds no log: see kafka/nodes_test.py")


@pytest.fixture
def restored(tmp_path):
    """Starts a service on a restored backup; `restored(directory)`."""
    begun = []

    def start(backup):
        service = Service(tmp_path / f"restored-{len(begun)}")
        service.directory.mkdir()
        begun.append(service)
        restore(backup, service.data)
        return service.start()

    yield start
    for service in begun:
        service.kill()


def restore(backup, data):
    result = run("restore", backup, "--data", data)
    assert result.returncode == 0, result
    return result


def back_up(tilth, directory, status=201):
    return tilth.operate("POST", "/operator/v1/backup", {"directory": str(directory)}, status)


class Writer(threading.Thread):
    """Adds fields to a farm until it is told to stop or the service is gone; keeps what was acknowledged."""

    def __init__(self, user, farm):
        super().__init__()
        self.client = Client(":".join(map(str, user.address)), user.authorization)
        self.farm, self.acknowledged, self.stopping = farm, [], False

    def run(self):
        try:
            while not self.stopping and len(self.acknowledged) < 800:
                reply = self.client.post(f"/farms/{self.farm['id']}/fields", {"name": "More", "area": 1})
                if reply.status != 201:
                    return
                self.acknowledged.append(reply.data["id"])
        except OSError:
            pass  # the service was killed


def test_a_restored_directory_answers_as_the_one_that_was_copied(tilth, restored, tmp_path):
    user = tilth.user()
    land = user.land()
    path = f"/farms/{land[0]['id']}/fields/{land[1]['id']}"
    key = {"Idempotency-Key": "00000000-0000-4000-8000-0000000000b1"}
    first = user.post(f"/farms/{land[0]['id']}/fields", {"name": "Keyed", "area": 1}, key)
    used = 1000 - int(first.header("X-RateLimit-Remaining"))
    answer = back_up(tilth, tmp_path / "copy").data
    assert answer["directory"] == str(tmp_path / "copy") and answer["bytes"] > 1000
    user.delete(path)
    copy = restored(tmp_path / "copy")
    again = Client(copy.address, user.authorization)
    assert again.get(path).status == 200 and user.get(path).status == 404
    for record in land:
        assert again.read(path_of(record)) == record or "block" in record
    replay = again.post(f"/farms/{land[0]['id']}/fields", {"name": "Keyed", "area": 1}, key)
    assert replay.status == 201 and replay.body == first.body and replay.header("Idempotent-Replayed") == "true"
    left = int(again.get("/farms").header("X-RateLimit-Remaining"))
    own = 1000 - 3 - len(land)
    assert own - used <= left <= own, "usage until the backup counts in the copy, except for the last moment's"
    assert again.post("/farms", {"name": "New", "totalArea": 1}).status == 201
    lines = copy.operator.send("GET", "/operator/v1/events").body.splitlines()
    assert lines[:-1] == tilth.operator.send("GET", "/operator/v1/events").body.splitlines()[:len(lines) - 1]


def test_a_backup_under_load_holds_all_that_was_acknowledged_before_it(tilth, restored, tmp_path):
    user = tilth.user()
    writer = Writer(user, user.farm())
    writer.start()
    while len(writer.acknowledged) < 20:
        pass
    before = list(writer.acknowledged)
    back_up(tilth, tmp_path / "copy")
    writer.stopping = True
    writer.join()
    copy = restored(tmp_path / "copy")
    again = Client(copy.address, user.authorization)
    fields = f"/farms/{writer.farm['id']}/fields"
    held = []
    for page in range(1, 100):
        ids = again.listed(f"{fields}?limit=100&order=asc&page={page}")
        held += ids
        if len(ids) < 100:
            break
    assert len(held) >= len(before) and set(held) == set(writer.acknowledged[:len(held)])


def test_a_kill_leaves_a_whole_backup_or_none(restored, tmp_path):
    service = Service(tmp_path)
    try:
        for number in range(5):
            user = service.start().user()
            farm = user.farm()
            backup = tmp_path / f"copy-{number}"
            asking = threading.Thread(target=ask_in_vain, args=(service, backup))
            asking.start()
            asking.join(random.random() * 0.2)
            service.kill()
            asking.join()
            if backup.exists():
                assert Client(restored(backup).address, user.authorization).get(path_of(farm)).status == 200
            else:
                assert run("restore", backup, "--data", tmp_path / "none").returncode == 1
    finally:
        service.kill()


def ask_in_vain(service, directory):
    token = (service.data / "operator.token").read_text().strip()
    try:
        Client(service.operator_address, f"Bearer {token}").send(
            "POST", "/operator/v1/backup", f'{{"directory":"{directory}"}}')
    except Exception:  # it was killed
        pass


def test_it_is_known_when_the_last_backup_was_made(tmp_path):
    service = Service(tmp_path)

    def last():
        metrics = service.operate("GET", "/metrics").body.decode()
        return float(re.search(r"\ntilth_backup_timestamp_seconds (\S+)\n", metrics)[1])

    try:
        service.start()
        assert last() == 0
        back_up(service, tmp_path / "no" / "such", 400)
        assert last() == 0
        back_up(service, tmp_path / "copy")
        made = datetime.datetime.fromisoformat(service.now().replace("Z", "+00:00")).timestamp()
        assert last() == made
        service.restart()
        assert last() == made
    finally:
        service.kill()


def test_where_a_backup_cannot_be_made(tilth, tmp_path):
    (tmp_path / "there").mkdir()
    refused(back_up(tilth, tmp_path / "there", 409), 409, "CONFLICT")
    invalid(back_up(tilth, tmp_path / "no" / "such", 400), "directory")
    invalid(back_up(tilth, tmp_path / ("long" * 100), 400), "directory")
    invalid(back_up(tilth, "relative", 400), "directory")
    invalid(tilth.operate("POST", "/operator/v1/backup", {}, 400), "directory")
    assert list(tmp_path.iterdir()) == [tmp_path / "there"], "no partial backup is left"
    (tmp_path / "link").symlink_to(tmp_path / "there")
    invalid(back_up(tilth, f"{tmp_path}/link/../copy", 400), "directory")
    assert not (tmp_path / "copy").exists(), "an erasure would look for its keys elsewhere"


def test_a_backup_that_is_damaged_is_not_restored(tilth, tmp_path):
    tilth.user().land()
    back_up(tilth, tmp_path / "copy")
    files = [path for path in (tmp_path / "copy").rglob("*") if path.is_file()]

    def refuses(path):
        refusal = run("restore", tmp_path / "copy", "--data", tmp_path / "data")
        assert refusal.returncode == 1 and path.name in refusal.stderr and refusal.stderr.count("\n") == 1, refusal
        assert not (tmp_path / "data").exists()

    for path in files:
        whole = path.read_bytes()
        path.unlink()
        path.write_bytes(whole[:len(whole) // 2])
        refuses(path)
        path.unlink()
        refuses(path)
        path.write_bytes(whole)
    (tmp_path / "copy" / "stray").write_text("x")
    refuses(tmp_path / "copy" / "stray")
    (tmp_path / "copy" / "stray").unlink()
    restore(tmp_path / "copy", tmp_path / "data")


def test_a_backup_is_restored_to_a_volume_that_is_empty(tilth, tmp_path):
    user = tilth.user()
    farm = user.farm()
    back_up(tilth, tmp_path / "copy")
    volume, below = tmp_path / "volume", tmp_path / "no" / "such" / "data"
    (volume / "lost+found").mkdir(parents=True)
    for data in (volume, below):
        refusal = run("restore", tmp_path / "copy", "--data", data)
        assert refusal.returncode == 1 and "--existing" in refusal.stderr, refusal
        assert not [path for path in data.glob("*") if path.name != "lost+found"], "nothing is left"
        done = run("restore", tmp_path / "copy", "--data", data, "--existing")
        assert done.returncode == 0, done
        assert data.stat().st_mode & 0o777 == 0o700 and not list(data.glob("*partial*"))
    refusal = run("restore", tmp_path / "copy", "--data", volume, "--existing")
    assert refusal.returncode == 1 and "is not empty" in refusal.stderr, refusal
    service = Service(tmp_path / "as")
    service.directory.mkdir()
    service.data = volume
    try:
        assert Client(service.start().address, user.authorization).read(path_of(farm)) == farm
    finally:
        service.kill()


def test_a_restore_to_a_volume_that_was_killed_is_noticed_and_repeated(tilth, tmp_path):
    user = tilth.user()
    farm = user.farm()
    back_up(tilth, tmp_path / "copy")
    service = Service(tmp_path)
    # As a kill leaves it: the mark is there, and only a part of the content.
    (service.data / "log").mkdir(parents=True)
    (service.data / "restoring").write_text("tilth restore\n")
    done = run("serve", "--data", service.data, *service.flags)
    assert done.returncode == 1 and "restore it again" in done.stderr, done
    (tmp_path / "copy" / "stray").write_text("x")
    assert run("restore", tmp_path / "copy", "--data", service.data, "--existing").returncode == 1
    assert list(service.data.iterdir()) == [], "a refused restore leaves the volume empty"
    (tmp_path / "copy" / "stray").unlink()
    done = run("restore", tmp_path / "copy", "--data", service.data, "--existing")
    assert done.returncode == 0, done
    try:
        assert Client(service.start().address, user.authorization).read(path_of(farm)) == farm
    finally:
        service.kill()


def test_the_command_line_backs_up_and_restores(tilth, tmp_path):
    flags = ["--operator", f"http://{tilth.operator_address}", "--token-file", tilth.data / "operator.token"]
    made = run("backup", tmp_path / "copy", *flags)
    assert made.returncode == 0 and str(tmp_path / "copy") in made.stdout, made
    again = run("backup", tmp_path / "copy", *flags)
    assert again.returncode == 1 and "exists already" in again.stderr, again
    restore(tmp_path / "copy", tmp_path / "data")
    assert (tmp_path / "data" / "key.secret").stat().st_mode & 0o777 == 0o600
    for data, backup in [("data", "copy"), ("other", "nowhere"), ("other", "data")]:
        refusal = run("restore", tmp_path / backup, "--data", tmp_path / data)
        assert refusal.returncode == 1 and refusal.stderr.count("\n") == 1, refusal
    assert not (tmp_path / "other").exists()


def test_backups_in_one_directory_share_what_did_not_change_and_old_ones_go(tilth, restored, tmp_path):
    flags = ["--operator", f"http://{tilth.operator_address}", "--token-file", tilth.data / "operator.token"]
    backups = tmp_path / "backups"
    backups.mkdir()
    user = tilth.user()
    made = []
    for number in range(3):
        farm = user.farm(name=f"Farm {number}")
        done = run("backup", backups, "--keep", 2, *flags)
        assert done.returncode == 0 and re.search(r"holds \d+ bytes, of which \d+ are new\.\n$", done.stdout), done
        made.append((done.stdout.split(" ")[0], farm))
        tilth.advance("PT1H")
    held, new = map(int, re.findall(r"\d+(?= bytes)|\d+(?= are new)", done.stdout))
    assert 0 < new < held
    assert sorted(map(str, backups.iterdir())) == [path for path, _ in made[1:]], "the oldest is gone, and no part is left"
    assert not (tilth.data / "backup-aside").exists()
    for source, expected in ((backups, 3), (made[1][0], 2)):
        copy = restored(source)
        assert len(Client(copy.address, user.authorization).listed("/farms")) == expected
    for body, status in (({"keep": 0}, 400), ({"keep": 2, "ownerKeys": "alone"}, 400)):
        invalid(tilth.operate("POST", "/operator/v1/backup", {"directory": str(backups), **body}, status), "keep")
    invalid(tilth.operate("POST", "/operator/v1/backup", {"directory": str(backups / "none"), "keep": 2}, 400), "directory")


def test_a_backup_is_made_although_an_older_one_cannot_be_removed(tilth, tmp_path):
    flags = ["--operator", f"http://{tilth.operator_address}", "--token-file", tilth.data / "operator.token"]
    (tmp_path / "2020-05-01T12-00-00.000Z" / "backup").mkdir(parents=True)  # not the file that it should be
    made = tilth.operate("POST", "/operator/v1/backup", {"directory": str(tmp_path), "keep": 1}, 201).data
    assert "2020-05-01T12-00-00.000Z" in made["left"] and restore(made["directory"], tmp_path / "data")
    tilth.advance("PT1H")
    done = run("backup", tmp_path, "--keep", 1, *flags)
    assert done.returncode == 0 and "Older backups are still there: " in done.stderr, done
    (tmp_path / "2020-05-01T12-00-00.000Z" / "backup").rmdir()
    tilth.advance("PT1H")
    made = tilth.operate("POST", "/operator/v1/backup", {"directory": str(tmp_path), "keep": 1}, 201).data
    assert made["left"] is None


def test_a_backup_is_restored_to_an_earlier_moment(tilth, tmp_path):
    user = tilth.user()
    farm = user.farm(name="As it was")
    moment = tilth.now()
    tilth.advance("PT1H")
    user.put(path_of(farm), {"name": "As it is"})
    late = user.farm(name="Later")
    ends = [event["offset"] for event in tilth.events()]
    back_up(tilth, tmp_path / "copy")
    of_farm = next(event["offset"] for event in tilth.events(owner=user.id) if event["type"] == "tilth.farm.registered")
    for number, place in enumerate((moment, of_farm)):
        service = Service(tmp_path / f"then-{number}")
        service.directory.mkdir()
        done = run("restore", tmp_path / "copy", "--data", service.data, "--at", place)
        assert done.returncode == 0, done
        left, out = map(int, re.search(r"ends at offset (\d+), \S+; (\d+) later", done.stdout).groups())
        assert out > 0 and left + out >= ends[-1] and (place == moment or left == of_farm)
        try:
            again = Client(service.start().address, user.authorization)
            assert again.read(path_of(farm))["name"] == "As it was" and again.get(path_of(late)).status == 404
            assert again.put(path_of(farm), {"name": "Otherwise"}).status == 200, "it goes on from there"
            verified = service.operate("POST", "/operator/v1/projections/all/verify").data
            assert all(each["differences"] == [] for each in verified)
        finally:
            service.kill()
    for place, says in (("2020-01-01T00:00:00Z", "that old"), ("999999", "no record at offset")):
        refusal = run("restore", tmp_path / "copy", "--data", tmp_path / "none", "--at", place)
        assert refusal.returncode == 1 and says in refusal.stderr and not (tmp_path / "none").exists(), refusal
        assert "--existing" not in refusal.stderr, "the moment is wrong, and not where it is restored to"
    last = re.search(r"it ends at offset (\d+)\.", refusal.stderr)[1]
    done = run("restore", tmp_path / "copy", "--data", tmp_path / "all", "--at", last)
    assert done.returncode == 0 and f"ends at offset {last}, " in done.stdout and "; 0 later" in done.stdout, done
    assert run("restore", tmp_path / "copy", "--data", tmp_path / "none", "--at", "yesterday").returncode == 2


def test_a_backup_of_the_owners_keys_alone_is_not_restored_as_a_whole_one(tmp_path):
    service = Service(tmp_path / "of")
    service.directory.mkdir()
    try:
        service.start().user().farm()
        for name, what in (("keys", "alone"), ("rest", "left_out")):
            service.operate("POST", "/operator/v1/backup", {"directory": str(tmp_path / name), "ownerKeys": what}, 201)
    finally:
        service.kill()
    for more in ((), ("--at", "0"), ("--owner-keys", tmp_path / "keys")):
        refusal = run("restore", tmp_path / "keys", "--data", tmp_path / "none", *more)
        assert refusal.returncode == 1 and "holds only the owners' keys: name the backup" in refusal.stderr, refusal
        assert not (tmp_path / "none").exists()
    done = run("restore", tmp_path / "rest", "--data", tmp_path / "data", "--owner-keys", tmp_path / "keys")
    assert done.returncode == 0, done


def test_a_backup_gets_no_others_in_it(tilth, tmp_path):
    tilth.user().farm()
    back_up(tilth, tmp_path / "copy")
    flags = ["--operator", f"http://{tilth.operator_address}", "--token-file", tilth.data / "operator.token"]
    for more in ((tmp_path / "copy", "--keep", 3), (tmp_path / "copy" / "inner",), (f"{tmp_path}/copy/inner/",)):
        refusal = run("backup", *more, *flags)
        assert refusal.returncode == 1, refusal
        assert f"{tmp_path / 'copy'} is a backup itself: name the directory that holds backups." in refusal.stderr, refusal
    restore(tmp_path / "copy", tmp_path / "data")


def test_no_backup_is_made_where_the_service_keeps_its_files(tilth, tmp_path):
    (tmp_path / "link").symlink_to(tilth.data)
    (tilth.data / "scratch").mkdir(exist_ok=True)
    folders = [each.name for each in tilth.data.iterdir() if each.is_dir()]
    assert {"log", "views", "owner-keys", "usage", "requests"} <= set(folders)
    for place in (*(tilth.data / folder / "copy" for folder in folders), tmp_path / "link" / "views" / "copy"):
        invalid(back_up(tilth, place, 400), "directory")
        assert not place.exists()
    for place in (tilth.data, tilth.data / "scratch"):
        keeping = {"directory": str(place), "keep": 2}
        invalid(tilth.operate("POST", "/operator/v1/backup", keeping, 400), "directory")
    # A pod has no other disk that it may write to.
    tilth.user().farm()
    back_up(tilth, tilth.data / "copy")
    tilth.restart()
    restore(tilth.data / "copy", tmp_path / "data")
