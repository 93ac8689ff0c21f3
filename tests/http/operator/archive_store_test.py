"""Archived files in a store that a program of the operator's reaches: read as before, and nothing lost when it fails."""
import concurrent.futures
import json
import re
import shutil
import subprocess
import time

import pytest

from archive_test import archive, client, flags, history, metric, name_at, with_a_farm
from operated import order, wait_for
from service import BROKERS, DEADLINE, Service, path_of, refused, run

pytestmark = [pytest.mark.embedded_log, pytest.mark.skipif(bool(BROKERS), reason="the brokers keep the log")]

# Stands for an object store: a directory, and a file that says what is wrong with it.
PROGRAM = """#!/bin/sh
cd '{directory}' && touch "began-$1"
case $(cat mode) in
  refuses) echo connecting >&2; echo 'AccessDenied: bucket farms' >&2; exit 3 ;;
  wrong) if [ "$1" = get ]; then echo other > "$3"; exit 0; fi ;;
  hangs) exec sleep 1000 ;;
  waits) while grep -q waits mode; do sleep 0.1; done ;;
esac
case $1 in
  put) cp "$2" "store/$3" ;;
  get) cp "store/$2" "$3" ;;
esac
"""


@pytest.fixture
def stored(tmp_path):
    program = tmp_path / "tilth-store"
    program.write_text(PROGRAM.format(directory=tmp_path))
    program.chmod(0o700)
    (tmp_path / "store").mkdir()
    (tmp_path / "mode").write_text("works")
    yield from with_a_farm(Service(tmp_path, config=f'[archive]\ncommand = "{program}"\n'))


def set_mode(service, mode):
    (service.directory / "mode").write_text(mode)


def remove_local_files(service):
    """The rows and the index of the history stay, and so the start does not need them. The index follows the log at its
    own pace; an answer as of earlier waits for it."""
    name_at(service, service.was)
    service.stop()
    shutil.rmtree(service.directory / "archive")
    (service.directory / "archive").mkdir()
    shutil.rmtree(service.data / "archive-cache", ignore_errors=True)
    service.start()
    service.owner = service.client_of(service.owner)  # at its new address


def listed(service):
    return service.operate("GET", "/operator/v1/log/archive").data["files"]


def reasons(service):
    return [line["message"] for line in map(json.loads, service.tail().splitlines()[1:])]


def test_everything_is_read_from_the_store(stored, tmp_path):
    before = history(stored)
    assert archive(stored, stored.later).returncode == 0
    [file] = listed(stored)
    assert re.fullmatch(r"000000000000000-[0-9a-f]{32}\.records", file["storedAs"]) and file["local"], file
    assert [each.name for each in (stored.directory / "store").iterdir()] == [file["storedAs"]]
    remove_local_files(stored)
    assert not listed(stored)[0]["local"] and listed(stored)[0]["problem"] is None, "nothing is known to be wrong"
    table = run("log", "archived", *flags(stored)).stdout
    assert "false" in table and file["storedAs"] in table, table
    assert metric(stored, "tilth_log_archive_missing_files") == 0
    assert not (stored.directory / "began-get").exists(), "until it is needed"
    assert history(stored).startswith(before)
    assert (stored.data / "archive-cache" / file["storedAs"]).exists()
    assert (name_at(stored, stored.was), name_at(stored, stored.later)) == ("As it was", "As it is")
    assert run("log", "verify", *flags(stored)).returncode == 0
    order(stored, "registry", "rebuild", 202)
    wait_for(stored, "registry", lambda row: row["building"] is None and row["state"] == "running")
    assert run("backup", tmp_path / "whole", "--with-archive", *flags(stored)).returncode == 0
    assert [each.name for each in (tmp_path / "whole" / "archive").iterdir()] == ["000000000000000.records"]
    # All rows are folded from it at a start.
    stored.stop()
    shutil.rmtree(stored.data / "views")
    shutil.rmtree(stored.data / "archive-cache")
    stored.start()
    assert client(stored).read(path_of(stored.farm))["name"] == "As it is"


def test_a_restore_fetches_what_its_backup_needs(stored, tmp_path):
    before = history(stored)
    assert archive(stored, stored.later).returncode == 0
    assert run("backup", tmp_path / "backup", *flags(stored)).returncode == 0
    (tmp_path / "archive").rename(tmp_path / "away")
    fresh = tmp_path / "restored" / "data"
    refusal = run("restore", tmp_path / "backup", "--data", fresh, "--existing")
    assert refusal.returncode == 1 and "--archive-command PROGRAM" in refusal.stderr, refusal
    asked = ("restore", tmp_path / "backup", "--data", fresh, "--existing", "--archive-command", tmp_path / "tilth-store")
    set_mode(stored, "refuses")
    refusal = run(*asked)
    assert refusal.returncode == 1 and "exited with 3: AccessDenied: bucket farms." in refusal.stderr, refusal
    set_mode(stored, "works")
    assert run(*asked).returncode == 0
    service = Service(tmp_path / "restored", config=(tmp_path / "tilth.toml").read_text())
    try:
        assert history(service.start()).startswith(before)
    finally:
        service.kill()


def test_nothing_is_moved_that_cannot_be_put(stored):
    before = history(stored)
    set_mode(stored, "refuses")
    done = archive(stored, stored.later)
    sentence = f"{stored.directory}/tilth-store exited with 3: AccessDenied: bucket farms."
    assert done.returncode == 1 and sentence in done.stderr, done
    assert listed(stored) == []
    assert history(stored).startswith(before)
    set_mode(stored, "works")
    assert archive(stored, stored.later).returncode == 0
    assert [file["storedAs"] for file in listed(stored)] == [each.name for each in (stored.directory / "store").iterdir()]


@pytest.mark.parametrize("mode, reason", [
    ("refuses", "tilth-store exited with 3: AccessDenied: bucket farms."),
    ("wrong", "the store returned 6 bytes, and not ")])
def test_a_file_that_cannot_be_fetched_is_missed_and_told_to_operators(stored, mode, reason):
    before = history(stored)
    assert archive(stored, stored.later).returncode == 0
    remove_local_files(stored)
    set_mode(stored, mode)
    asked = client(stored).get(path_of(stored.farm), {"Tilth-As-Of": stored.was})
    assert asked.status == 503 and "cannot be fetched from its store." in asked.json["message"], asked
    assert "bucket" not in asked.body.decode()
    assert [line for line in reasons(stored) if reason in line], stored.tail()
    assert reason in listed(stored)[0]["problem"]
    assert metric(stored, "tilth_log_archive_missing_files") == 1
    exported = run("events", "export", *flags(stored))
    assert exported.returncode == 1 and exported.stdout == "" and "cannot be fetched" in exported.stderr, exported
    verified = run("log", "verify", *flags(stored))
    assert verified.returncode == 1 and reason in verified.stderr, verified
    set_mode(stored, "works")
    assert history(stored).startswith(before), "without a restart"
    assert metric(stored, "tilth_log_archive_missing_files") == 0


def test_a_start_needs_no_record_that_was_read_before_the_end(stored):
    """Not for the projections either that had nothing to fold of the newest ones, of a user without a farm."""
    stored.user()
    stored.advance("PT24H")
    assert archive(stored, stored.now()).returncode == 0
    name_at(stored, stored.was)  # the index of the history follows at its own pace
    shutil.rmtree(stored.directory / "archive")
    set_mode(stored, "refuses")
    stored.restart()
    assert not (stored.directory / "began-get").exists()
    assert stored.client_of(stored.owner).read(path_of(stored.farm))["name"] == "As it is"


def test_a_store_that_hangs_holds_up_neither_changes_nor_the_end(stored):
    assert archive(stored, stored.later).returncode == 0
    remove_local_files(stored)
    set_mode(stored, "hangs")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        asked = pool.submit(lambda: client(stored).get(path_of(stored.farm), {"Tilth-As-Of": stored.was}))
        until = time.monotonic() + DEADLINE
        while not (stored.directory / "began-get").exists():
            assert time.monotonic() < until and not concurrent.futures.wait([asked], 0.05).done, stored.tail()
        assert stored.owner.put(path_of(stored.farm), {"name": "Meanwhile"}).status == 200
        stored.stop()  # within its deadline, and not that of the program
        assert asked.exception() or asked.result().status == 503
    # Nor a start that needs it.
    (stored.directory / "began-get").unlink()
    shutil.rmtree(stored.data / "views")
    stored.launch()
    while not (stored.directory / "began-get").exists():
        assert time.monotonic() < until, stored.tail()
        with pytest.raises(subprocess.TimeoutExpired):
            stored.child.wait(0.05)
    stored.stop()


def test_until_the_rows_of_access_are_folded_operators_are_told_to_wait(stored):
    """A store that does not answer yet holds up the folding."""
    assert archive(stored, stored.later).returncode == 0
    remove_local_files(stored)
    stored.stop()
    set_mode(stored, "waits")
    shutil.rmtree(stored.data / "views")
    stored.flags[stored.flags.index("--operator-listen") + 1] = stored.operator_address
    stored.launch()
    until = time.monotonic() + DEADLINE
    while not answers(stored):
        assert time.monotonic() < until and stored.child.poll() is None, stored.tail()
        time.sleep(0.05)
    of_user = f"users/{stored.owner.id}"
    for path in ("users", "users?email=farmer@example.com", "users?search=farmer", of_user, f"{of_user}/api-keys",
                 f"{of_user}/requests", f"{of_user}/erasure", f"{of_user}/usage", "operators", "sessions",
                 f"sessions?user={stored.owner.id}", "audit", "templates", "library"):
        reply = stored.operator.send("GET", f"/operator/v1/{path}")
        refused(reply, 503, "SERVICE_UNAVAILABLE")
        assert reply.header("Retry-After") and "is not ready yet" in reply.json["message"], reply
    for path in ("me", "status", "nodes", "plans", "clock", "log/archive"):
        stored.operate("GET", f"/operator/v1/{path}")
    stored.operate("GET", "/metrics")
    set_mode(stored, "works")
    while not stored.ready():
        assert time.monotonic() < until and stored.child.poll() is None, stored.tail()
        time.sleep(0.05)
    assert [user["id"] for user in stored.operate("GET", "/operator/v1/users").data] == [stored.owner.id]


def answers(service):
    try:
        return service.operator.send("GET", "/healthz").status == 200
    except OSError:
        return False


def test_a_backup_needs_the_store_if_no_directory_has_the_files(stored):
    assert archive(stored, stored.later).returncode == 0
    done = run("backup", stored.directory / "first", *flags(stored))
    assert done.returncode == 0 and f"archived records in {stored.directory / 'archive'}.\n" in done.stdout, done
    remove_local_files(stored)
    done = run("backup", stored.directory / "second", *flags(stored))
    assert done.returncode == 0 and "It needs the archived records in the store.\n" in done.stdout, done
