"""Old records of the log in files outside of it: everything still reads them, and a file that is away is missed."""
import json
import re
import shutil

import pytest

from client import Client
from operated import order, wait_for
from service import BROKERS, Service, invalid, path_of, refused, run

pytestmark = [pytest.mark.embedded_log, pytest.mark.skipif(bool(BROKERS), reason="the brokers keep the log")]

FIRST = "000000000000000.records"


def with_a_farm(service):
    """Its name has changed since, at known times. There is the directory of an archive, too."""
    (service.directory / "archive").mkdir()
    try:
        service.start()
        service.was = service.now()
        user = service.user()
        service.farm = user.farm(name="As it was")
        service.owner = user
        service.advance("PT24H")
        service.later = service.now()
        assert user.put(path_of(service.farm), {"name": "As it is"}).status == 200
        yield service
    finally:
        service.kill()


@pytest.fixture
def farmed(tmp_path):
    yield from with_a_farm(Service(tmp_path))


def flags(service):
    return "--operator", f"http://{service.operator_address}", "--token-file", service.data / "operator.token"


def archive(service, before, *more):
    return run("log", "archive", "--to", service.directory / "archive", "--before", before, *more, *flags(service))


def history(service):
    """What an operator orders is recorded, too, so it grows."""
    return service.operate("GET", "/operator/v1/events").body


def name_at(service, at):
    reply = service.owner.get(path_of(service.farm), {"Tilth-As-Of": at})
    return reply.data["name"] if reply.status == 200 else reply


def metric(service, name):
    return float(re.search(rf"\n{name} (\S+)\n", service.operate("GET", "/metrics").body.decode())[1])


def client(service):
    return Client(service.address, service.owner.authorization)


def test_everything_is_read_from_an_archive_as_before(farmed):
    before = history(farmed)
    done = archive(farmed, farmed.later)
    assert done.returncode == 0 and re.match(r"\d+ records moved; the archive holds \d+ in \d+ bytes\.\n$", done.stdout), done
    moved = int(done.stdout.split()[0])
    assert 0 < moved < len(before.splitlines())
    assert archive(farmed, farmed.later).stdout.startswith("0 records moved"), "a second time there is nothing to do"
    assert history(farmed).startswith(before)
    assert (name_at(farmed, farmed.was), name_at(farmed, farmed.later)) == ("As it was", "As it is")
    assert [event["type"] for event in farmed.events(owner=farmed.owner.id)][-1] == "tilth.farm.amended"
    records = farmed.operate("GET", "/operator/v1/status").data["log"]["partitions"][0]["end"]
    assert run("log", "verify", *flags(farmed)).stdout == f"{records + 1} records, no damage\n", "the order is one, too"
    assert metric(farmed, "tilth_log_archived_records") == moved and metric(farmed, "tilth_log_archive_missing_files") == 0
    # Rows and the index are folded from it again.
    farmed.stop()
    shutil.rmtree(farmed.data / "views")
    farmed.start()
    assert client(farmed).read(path_of(farmed.farm))["name"] == "As it is"
    assert history(farmed).startswith(before)
    order(farmed, "registry", "rebuild", 202)
    wait_for(farmed, "registry", lambda row: row["building"] is None and row["state"] == "running")
    verified = farmed.operate("POST", "/operator/v1/projections/all/verify").data
    assert all(each["differences"] == [] for each in verified)


def test_a_file_that_is_away_is_missed_and_never_an_empty_history(farmed):
    before = history(farmed)
    assert archive(farmed, farmed.later).returncode == 0
    farmed.stop()
    (farmed.directory / "archive" / FIRST).rename(farmed.directory / "away")
    shutil.rmtree(farmed.data / "views" / "history")
    farmed.start()
    sentence = f"The file {FIRST} with the archived records from offset 0 to "
    assert [line for line in map(json.loads, farmed.tail().splitlines()) if line["message"].startswith(sentence)]
    assert client(farmed).read(path_of(farmed.farm))["name"] == "As it is", "what was folded is served"
    assert metric(farmed, "tilth_log_archive_missing_files") == 1
    verified = run("log", "verify", *flags(farmed))
    assert verified.returncode == 1 and sentence in verified.stderr, verified
    listed = run("log", "archived", *flags(farmed))
    assert listed.returncode == 0 and "is missing" in listed.stdout, listed
    exported = run("events", "export", *flags(farmed))
    assert exported.returncode == 1 and exported.stdout == "" and sentence in exported.stderr, exported
    asked = client(farmed).get(path_of(farmed.farm), {"Tilth-As-Of": farmed.was})
    assert asked.status == 503, asked
    refusal = farmed.operate("POST", "/operator/v1/backup", {"directory": str(farmed.directory / "copy")}, 503)
    assert sentence in refusal.body.decode()
    (farmed.directory / "away").rename(farmed.directory / "archive" / FIRST)
    assert history(farmed).startswith(before), "it is back without a restart"
    assert metric(farmed, "tilth_log_archive_missing_files") == 0


def test_a_check_tells_what_is_away_by_now(farmed):
    assert archive(farmed, farmed.later).returncode == 0
    file = farmed.directory / "archive" / FIRST
    file.rename(farmed.directory / "away")
    assert run("log", "verify", *flags(farmed)).returncode == 1
    assert metric(farmed, "tilth_log_archive_missing_files") == 1
    (farmed.directory / "away").rename(file)
    assert run("log", "verify", *flags(farmed)).returncode == 0
    assert metric(farmed, "tilth_log_archive_missing_files") == 0


def test_a_damaged_file_is_named(farmed):
    assert archive(farmed, farmed.later).returncode == 0
    farmed.stop()
    file = farmed.directory / "archive" / FIRST
    content = bytearray(file.read_bytes())
    content[len(content) // 3] ^= 0xFF
    file.write_bytes(content)
    farmed.start()
    verified = run("log", "verify", *flags(farmed))
    assert verified.returncode == 1 and f"The file {file.name} " in verified.stderr and "is damaged" in verified.stderr, verified


def test_whatever_reads_a_stream_names_the_file_that_it_lacks(farmed):
    """The audit trail has a record in each of two files."""
    def exported(owner="audit", *more):
        return run("events", "export", "--owner", owner, *more, *flags(farmed))

    whole = exported().stdout
    assert archive(farmed, "3").returncode == 0 and archive(farmed, farmed.later).returncode == 0
    farmed.stop()
    _, second = sorted((farmed.directory / "archive").iterdir())
    content = second.read_bytes()
    second.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    farmed.start()
    lacking = f"The file {second.name} with the archived records from offset 3 to "
    done = exported()
    assert done.returncode == 1 and lacking in done.stderr and "is damaged" in done.stderr, done
    assert done.stdout.count("\n") == 1 and whole.startswith(done.stdout), "and no event after a gap"

    second.unlink()
    for owner in ("audit", farmed.owner.id):
        done = exported(owner)
        assert done.returncode == 1 and done.stdout == "" and lacking in done.stderr, done
    first = exported("audit", "--partition", "0", "--to", "3")
    assert first.returncode == 0 and first.stdout == whole.splitlines(True)[0], "it does not need it"
    shown = run("events", "show", json.loads(first.stdout)["id"], *flags(farmed))
    assert shown.returncode == 0, shown
    refusal = farmed.operate("GET", f"/operator/v1/events?owner={farmed.owner.id}", status=503)
    assert lacking in refusal.json["message"], refusal
    asked = client(farmed).get(path_of(farmed.farm), {"Tilth-As-Of": farmed.was})
    assert asked.status == 503 and lacking in asked.json["message"], asked
    order(farmed, "registry", "rebuild", 202)
    wait_for(farmed, "registry", lambda row: any(
        "rebuild" in line["message"] and lacking in line.get("reason", "")
        for line in map(json.loads, farmed.tail().splitlines()[1:])))


def test_a_backup_names_the_archive_or_contains_it(farmed, tmp_path):
    before = history(farmed)
    assert archive(farmed, farmed.later).returncode == 0
    named = run("backup", tmp_path / "named", *flags(farmed))
    assert named.stdout.endswith(f"It needs the archived records in {tmp_path / 'archive'}.\n"), named
    assert run("backup", tmp_path / "whole", "--with-archive", *flags(farmed)).returncode == 0
    (tmp_path / "archive").rename(tmp_path / "moved")
    refusal = run("restore", tmp_path / "named", "--data", tmp_path / "one" / "data", "--existing")
    assert refusal.returncode == 1 and "is missing" in refusal.stderr and "--archive DIR" in refusal.stderr, refusal
    settings = f'[archive]\ndirectory = "{tmp_path / "moved"}"\n'
    for backup, more, config in (("named", ("--archive", tmp_path / "moved"), settings), ("whole", (), "")):
        directory = tmp_path / f"of-{backup}"
        directory.mkdir()
        service = Service(directory, config=config)
        done = run("restore", tmp_path / backup, "--data", service.data, *more)
        assert done.returncode == 0, done
        try:
            assert history(service.start()).startswith(before)
            assert client(farmed).read(path_of(farmed.farm))["name"] == "As it is"
        finally:
            service.kill()


def test_what_is_refused(farmed):
    def post(body, status):
        return farmed.operate("POST", "/operator/v1/log/archive", body, status)

    there = str(farmed.directory / "archive")
    invalid(post({"directory": there}, 400), "before")
    invalid(post({"directory": there, "before": farmed.later, "beforeOffset": 3}, 400), "before")
    invalid(post({"directory": "here", "beforeOffset": 3}, 400), "directory")
    invalid(post({"directory": there + "/none", "beforeOffset": 3}, 400), "directory")
    invalid(post({"beforeOffset": 3}, 400), "directory")
    invalid(post({"directory": str(farmed.data / "log"), "beforeOffset": 3}, 400), "directory")
    assert run("log", "archive", "--to", there, "--before", "yesterday", *flags(farmed)).returncode == 2
    (farmed.directory / "archive" / FIRST).write_text("of another log")
    refused(post({"directory": there, "beforeOffset": 3}, 409), 409, "CONFLICT")
    assert (farmed.directory / "archive" / FIRST).read_text() == "of another log"
    assert farmed.operate("GET", "/operator/v1/log/archive").data == {"records": 0, "moved": 0, "bytes": 0, "files": []}


def test_a_backup_names_every_directory_that_it_needs(farmed):
    (farmed.directory / "later").mkdir()
    assert archive(farmed, farmed.later).returncode == 0
    farmed.advance("PT24H")
    assert run("log", "archive", "--to", farmed.directory / "later", "--before", farmed.now(), *flags(farmed)).returncode == 0
    made = farmed.operate("POST", "/operator/v1/backup", {"directory": str(farmed.directory / "copy")}, 201).data
    assert made["needsArchive"] == f"{farmed.directory / 'archive'} and {farmed.directory / 'later'}"
    whole = {"directory": str(farmed.directory / "whole"), "archive": True}
    assert farmed.operate("POST", "/operator/v1/backup", whole, 201).data["needsArchive"] is None
