"""The service runs as packaging/kubernetes/tilth.yaml confines it: as a user without a name, without capabilities, and
with nothing that it can write but the volume of its data; and it answers the probes there."""
import os
import pathlib
import shutil
import tempfile

import pytest
import yaml

import service as services
from service import Service, path_of

MANIFEST = pathlib.Path(__file__).resolve().parents[3] / "packaging/kubernetes/tilth.yaml"
POD = next(each for each in yaml.safe_load_all(MANIFEST.read_text())
           if each["kind"] == "StatefulSet")["spec"]["template"]["spec"]
(CONTAINER,) = POD["containers"]

pytestmark = [pytest.mark.embedded_log,
              pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"),
                                 reason="only root gives a process a file system that it cannot write")]


@pytest.fixture
def service(monkeypatch):
    user, group = POD["securityContext"]["runAsUser"], POD["securityContext"]["fsGroup"]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        folder.chmod(0o755)
        volume = folder / "data"  # as a new one: root's, for the group, and with a folder that only root may read
        volume.mkdir()
        os.chown(volume, 0, group)
        volume.chmod(0o2775)
        (volume / "lost+found").mkdir(mode=0o700)
        start = folder / "start"
        start.write_text(
            "#!/bin/sh\nset -e\n"
            f"mount --bind {volume} {volume}\nmount -o remount,ro,bind /\n"
            f"exec setpriv --reuid={user} --regid={group} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all "
            f"{services.BINARY} \"$@\"\n")
        enter = folder / "enter"
        enter.write_text(f"#!/bin/sh\nexec unshare --mount {start} \"$@\"\n")
        for script in (start, enter):
            script.chmod(0o755)
        monkeypatch.setattr(services, "BINARY", enter)
        running = Service(folder)
        running.ready_file = volume / "ready.json"
        running.environment["ASAN_OPTIONS"] = "detect_leaks=0"  # which takes ptrace
        yield running
        running.kill()


def test_it_works_and_answers_the_probes(service):
    user = service.start().user()
    land = user.land()
    status = pathlib.Path(f"/proc/{service.child.pid}/status").read_text()
    assert "\nCapEff:\t0000000000000000\n" in status and "\nNoNewPrivs:\t1\n" in status
    mounts = [line.split() for line in pathlib.Path(f"/proc/{service.child.pid}/mountinfo").read_text().splitlines()]
    assert [each[5].split(",")[0] for each in mounts if each[4] in ("/", str(service.data))] == ["ro", "rw"]
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert service.operator.send("GET", CONTAINER[probe]["httpGet"]["path"]).status == 200, probe
    assert user.get(path_of(land[0]), {"Tilth-As-Of": service.now()}).status == 200
    service.operate("POST", "/operator/v1/projections/registry/rebuild", {}, 202)
    service.operate("POST", "/operator/v1/backup", {"directory": str(service.data / "seed")}, 201)
    service.restart()
    assert service.client_of(user).read(path_of(land[0])) == land[0]
    service.stop()
    assert "Other users" not in service.errors.read_text()
