"""A log that the disk has damaged: it is found while the service runs, and never becomes a backup."""
import ctypes
import json
import re
import shutil
import time

import pytest

from operated import order, wait_for
from service import BROKERS, DEADLINE, Service, run

pytestmark = [pytest.mark.embedded_log, pytest.mark.skipif(bool(BROKERS), reason="the brokers keep the log")]


@pytest.fixture
def stopped(tmp_path):
    """A stopped service whose log fills several blocks of a table."""
    service = Service(tmp_path)
    try:
        user = service.start().user()
        farm = user.farm()
        for number in range(40):
            user.field(farm, name=f"Field {number}", notes="".join(chr(97 + (number * 7 + i * i) % 26) for i in range(1000)))
        # A backup moves the newest records into a table.
        service.operate("POST", "/operator/v1/backup", {"directory": str(tmp_path / "sound")}, 201)
        service.stop()
        yield service
    finally:
        service.kill()


def damage(directory):
    """Flips 16 bytes of records in the middle of the largest table."""
    table = max((directory / "log").glob("*.sst"), key=lambda path: path.stat().st_size)
    content = bytearray(table.read_bytes())
    for at in range(len(content) // 2, len(content) // 2 + 16):
        content[at] ^= 0xFF
    table.unlink()  # other backups on this disk are links to it
    table.write_bytes(content)
    return table.name


class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def xxh3(content):
    """As a backup's description has it."""
    of = ctypes.CDLL("libxxhash.so.0").XXH3_128bits
    of.restype, of.argtypes = Hash128, [ctypes.c_char_p, ctypes.c_size_t]
    found = of(content, len(content))
    return f"{found.high:016x}{found.low:016x}"


def flags(service):
    return "--operator", f"http://{service.operator_address}", "--token-file", service.data / "operator.token"


def names_the_place(text, table):
    return re.search(rf"record at partition 0, offset \d+ cannot be read: .* {table} offset \d+", text)


def test_a_sound_log_is_said_to_be_sound(stopped):
    stopped.start()
    records = stopped.operate("GET", "/operator/v1/status").data["log"]["partitions"][0]["end"]
    done = run("log", "verify", *flags(stopped))
    check = stopped.operate("GET", "/operator/v1/log/verify").data
    records += check["records"] == records + 1  # that an operator asked for it is recorded, perhaps before it begins
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{records} records, no damage\n", ""), done
    assert check == {"state": "sound", "checked": records, "records": records, "finishedAt": check["finishedAt"],
                     "damage": None, "reason": None} and check["finishedAt"]
    assert stopped.operate("GET", "/operator/v1/status").data["log"]["check"] == check
    metrics = stopped.operate("GET", "/metrics").body.decode()
    assert "\ntilth_log_damaged 0\n" in metrics and f"\ntilth_log_check_records {records}\n" in metrics
    assert re.search(r"\ntilth_log_check_timestamp_seconds 1\.?\d+", metrics)
    assert not (stopped.data / "log-check").exists(), "the copy is gone"


def test_a_check_looks_at_what_came_after_the_last_one(stopped):
    stopped.start()
    before = json.loads(run("log", "verify", "--json", *flags(stopped)).stdout)["data"]["records"]
    stopped.user()
    assert json.loads(run("log", "verify", "--json", *flags(stopped)).stdout)["data"]["records"] > before


def test_a_damaged_log_is_found_named_and_counted(stopped):
    table = damage(stopped.data)
    stopped.start()
    done = run("log", "verify", *flags(stopped))
    assert done.returncode == 1 and done.stdout == "" and names_the_place(done.stderr, table), done
    check = stopped.operate("GET", "/operator/v1/log/verify").data
    assert check["state"] == "damaged" and names_the_place(check["damage"], table)
    assert "\ntilth_log_damaged 1\n" in stopped.operate("GET", "/metrics").body.decode()
    lines = [json.loads(line) for line in stopped.tail().splitlines()]
    assert [line for line in lines if line["message"] == "The event log is damaged."
            and line["level"] == "error" and names_the_place(line["reason"], table)]
    assert "damaged" in run("status", *flags(stopped)).stdout


def test_a_rebuild_that_cannot_go_on_says_so_in_every_place(stopped):
    damage(stopped.data)
    stopped.start()
    order(stopped, "registry", "rebuild", 202)
    row = wait_for(stopped, "registry", lambda row: row["building"]["state"] == "faulted")
    assert row["building"]["eventsPerSecond"] == 0 and row["building"]["etaSeconds"] is None
    metrics = stopped.operate("GET", "/metrics").body.decode()
    of = r'{projection="registry",generation="2"}'
    assert f"\ntilth_projection_building_faulted{of} 1\n" in metrics
    assert f"\ntilth_projection_building_events_per_second{of} 0\n" in metrics


def test_a_damaged_log_is_not_backed_up(stopped, tmp_path):
    table = damage(stopped.data)
    stopped.start()
    done = run("backup", tmp_path / "copy", *flags(stopped))
    assert done.returncode == 1 and names_the_place(done.stderr, table), done
    assert [path.name for path in tmp_path.iterdir() if "copy" in path.name] == [], "not even a partial one is left"


def test_a_backup_of_a_damaged_log_is_not_restored(stopped, tmp_path):
    # As an earlier version made it: its own description calls the damaged file whole.
    backup = tmp_path / "sound"
    described = (backup / "backup").read_text()
    table = damage(backup)
    refusal = run("restore", backup, "--data", tmp_path / "fresh")
    assert refusal.returncode == 1 and f"log/{table}" in refusal.stderr, refusal
    whole = re.search(rf"(\w{{32}}) log/{table}\n", described)[1]
    (backup / "backup").write_text(described.replace(whole, xxh3((backup / "log" / table).read_bytes())))
    refusal = run("restore", backup, "--data", tmp_path / "fresh")
    assert refusal.returncode == 1 and names_the_place(refusal.stderr, table), refusal
    assert not (tmp_path / "fresh").exists() and refusal.stderr.count("\n") == 1


def test_the_file_of_a_backup_repairs_the_log(stopped, tmp_path):
    table = damage(stopped.data)
    stopped.start()
    assert run("log", "verify", *flags(stopped)).returncode == 1
    stopped.stop()
    shutil.copy(tmp_path / "sound" / "log" / table, stopped.data / "log" / table)
    stopped.start()
    assert run("log", "verify", *flags(stopped)).returncode == 0
    assert "\ntilth_log_damaged 0\n" in stopped.operate("GET", "/metrics").body.decode()
    assert run("backup", tmp_path / "copy", *flags(stopped)).returncode == 0


def test_a_stop_does_not_wait_for_a_check(stopped):
    stopped.start()
    stopped.operate("POST", "/operator/v1/log/verify", status=202)
    began = time.monotonic()
    stopped.stop()
    assert time.monotonic() - began < 10 < DEADLINE
    assert not (stopped.data / "log-check").exists()
