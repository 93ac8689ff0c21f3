"""docs/integrating.md is run as it is printed, by somebody who has nothing but the service."""
import os
import pathlib
import re
import subprocess
import sys
import threading

import pytest

from service import BINARY, DEADLINE

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/integrating.md").read_text()
PROGRAMS = dict(re.findall(r"`(\w+\.py)`:\n\n```python\n(.*?)```", PAGE, flags=re.S))


class Running:
    """A program of the page that goes on; its lines can be waited for."""

    def __init__(self, *command, **options):
        self.child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
        self.limit = threading.Timer(DEADLINE, self.child.kill)
        self.limit.start()
        self.seen = []

    def until(self, part):
        """The first line from here on that has this in it."""
        for line in self.child.stdout:
            self.seen.append(line)
            if part in line:
                return line
        raise AssertionError(f"{part} never came:\n{''.join(self.seen)}")

    def end(self):
        self.limit.cancel()
        self.child.kill()
        self.child.wait()


@pytest.fixture(scope="module")
def reader(tilth, tmp_path_factory):
    """The folder of somebody who did the first two steps, with the environment of the shell in which they did."""
    folder = tmp_path_factory.mktemp("reader")
    for name, program in PROGRAMS.items():
        (folder / name).write_text(program)
    # The page has the port of `./run`; here the service has one that was free.
    (shell,) = re.findall(r"```sh\n(.*?)```", PAGE, flags=re.S)
    assert shell.count("http://127.0.0.1:8080") == 1
    shell = shell.replace("http://127.0.0.1:8080", f"http://{tilth.address}")
    environment = {**os.environ, "PATH": f"{BINARY.parent}:{os.environ['PATH']}", "TILTH_DATA": str(tilth.data),
                   "TILTH_OPERATOR": f"http://{tilth.operator_address}"}
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", shell + "\necho; env"], env=environment, cwd=folder,
                          capture_output=True, text=True, timeout=DEADLINE)
    assert done.returncode == 0, done.stderr
    assert '"data":[]' in done.stdout, done.stdout.split("\n\n")[0]
    exported = dict(line.split("=", 1) for line in done.stdout.splitlines() if line.startswith(("TILTH_API_KEY=", "TILTH_URL=")))
    return {"cwd": folder, "env": {**os.environ, **exported, "PYTHONPATH": str(ROOT / "clients/python/src")}}


def ran(name, reader):
    done = subprocess.run([sys.executable, name], capture_output=True, text=True, timeout=DEADLINE, **reader)
    assert done.returncode == 0, done.stderr
    return done.stdout


def printed(heading):
    return re.search(r"```text\n(.*?)```", PAGE.split(f"## {heading}\n", 1)[1], flags=re.S).group(1)


def test_the_page_is_true(reader):
    assert ran("set_up.py", reader).startswith(printed("2. A farm in one request"))
    follower = Running(sys.executable, "follow.py", **reader)
    try:
        created = follower.until("tilth.task.created")
        assert ran("complete.py", reader) == printed("3. A program that follows")
        completed = follower.until("tilth.task.completed")
        assert created.split()[2] == completed.split()[2]
    finally:
        follower.end()


def test_a_webhook_hears_of_a_completed_task(reader):
    receiver = Running(sys.executable, "receive.py", **reader)
    try:
        receiver.until("Listening")
        ran("look_again.py", reader)
        assert receiver.until("tilth.task.completed") == printed("4. A webhook")
    finally:
        receiver.end()


def test_every_program_of_the_page_is_run():
    used = set(re.findall(r'"(\w+\.py)"', pathlib.Path(__file__).read_text()))
    assert used == set(PROGRAMS) and PAGE.count("```python") == len(PROGRAMS)
