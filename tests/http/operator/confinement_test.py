"""All of the service works under the restrictions of packaging/tilth.service."""
import os
import pathlib
import platform
import pwd
import re
import shutil
import subprocess
import sys
import tempfile

import pytest

import confined
import service as services
from service import Service, path_of

USER = "nobody"

pytestmark = [pytest.mark.embedded_log,
              pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed"),
              pytest.mark.skipif(platform.machine() != "x86_64", reason="the filter is written for x86-64")]


@pytest.fixture
def service(monkeypatch):
    with tempfile.TemporaryDirectory() as folder:  # that of pytest may be closed to other users
        folder = pathlib.Path(folder)
        if os.geteuid() == 0:
            os.chown(folder, pwd.getpwnam(USER).pw_uid, -1)
        start = folder / "start"
        start.write_text(f"#!/bin/sh\numask 022\nexec {sys.executable} {confined.__file__} {USER} {services.BINARY} \"$@\"\n")
        start.chmod(0o755)
        monkeypatch.setattr(services, "BINARY", start)
        running = Service(folder)
        running.environment["ASAN_OPTIONS"] = "detect_leaks=0"  # which takes ptrace
        yield running
        running.kill()


def test_the_filter_refuses_what_it_should():
    code = ("import confined, ctypes, mmap, os, socket; confined.confine('nobody')\n"
            "def refused(what):\n"
            "    try: what()\n"
            "    except OSError as error: return True\n"
            "    return False\n"
            "assert refused(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))\n"
            "assert refused(lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE | mmap.PROT_EXEC))\n"
            "assert ctypes.CDLL(None).ptrace(0, 0, 0, 0) == -1 and refused(lambda: os.chroot('/'))\n"
            "socket.socket(), mmap.mmap(-1, 4096)\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          cwd=pathlib.Path(confined.__file__).parent)
    assert done.returncode == 0, done.stderr


def test_everything_works(service):
    user = service.start().user()
    land = user.land()
    status = pathlib.Path(f"/proc/{service.child.pid}/status").read_text()
    assert re.search(r"^Seccomp:\s+2$", status, re.MULTILINE) and re.search(r"^NoNewPrivs:\s+1$", status, re.MULTILINE)
    assert user.get(path_of(land[0]), {"Tilth-As-Of": service.now()}).status == 200
    assert len(user.get("/events?limit=1000").body.splitlines()) >= len(land)
    service.operate("POST", "/operator/v1/projections/registry/rebuild", {}, 202)
    service.operate("POST", "/operator/v1/backup", {"directory": str(service.directory / "backup")}, 201)
    metrics = service.operator.send("GET", "/metrics").body.decode()
    for name in ("process_resident_memory_bytes", "process_open_fds", "process_cpu_seconds_total"):
        assert float(re.search(rf"^{name} (\S+)$", metrics, re.MULTILINE)[1]) > 0, name
    assert service.operate("POST", "/operator/v1/users", {"email": "a@example.com", "plan": "seed",
                                                          "password": "correct horse battery"}, 201)
    service.restart()
    assert service.client_of(user).read(path_of(land[0])) == land[0]
    service.stop()
