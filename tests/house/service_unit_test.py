"""The systemd unit is valid, exposes little, and starts the binary as it can be started."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("TILTH_BINARY", ROOT / "build/dev/tilth")).resolve()
UNIT = ROOT / "packaging/tilth.service"
MOST_EXPOSURE = 2.0  # of 10

needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")


def settings():
    return dict(re.findall(r"^(\w+)=(.*)$", UNIT.read_text(), re.MULTILINE))


@needs_systemd
def test_it_exposes_little():
    done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", UNIT], capture_output=True, text=True)
    assert done.returncode == 0, done
    exposure = float(re.search(r"Overall exposure level for tilth.service: ([0-9.]+)", done.stdout)[1])
    assert exposure <= MOST_EXPOSURE, done.stdout


@needs_systemd
def test_systemd_understands_every_line(tmp_path):
    unit = tmp_path / "tilth.service"
    unit.write_text(UNIT.read_text().replace("/usr/bin/tilth", str(BINARY)))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
    complaints = [line for line in done.stderr.splitlines() if "tilth.service" in line]
    assert not complaints, complaints


def test_its_flags_exist():
    program, command, *flags = settings()["ExecStart"].split()
    assert (program, command) == ("/usr/bin/tilth", "serve")
    known = subprocess.run([BINARY, "serve", "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    for flag in flags[::2]:
        assert f"{flag} " in known.stdout, flag


def test_only_its_user_can_read_what_it_writes():
    unit = settings()
    data = unit["ExecStart"].split("--data ")[1]
    assert f"/var/lib/{unit['StateDirectory']}" == data
    assert (unit["StateDirectoryMode"], unit["UMask"], unit["LimitCORE"]) == ("0700", "0077", "0")
    assert unit["User"] == "tilth"


def test_systemd_waits_longer_than_the_service_takes_to_stop():
    assert int(settings()["TimeoutStopSec"]) > 10


def test_the_operators_guide_uses_it():
    guide = (ROOT / "docs/operations.md").read_text()
    assert "packaging/tilth.service" in guide and "[Service]" not in guide
