"""A provider and a service that uses it."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "http"))

from service import free_port, served  # noqa: E402

CONFIG = """
[open_id]
issuer = "{issuer}"
client_id = "tilth"
client_secret = "a secret of tilth & its provider"
name = "Example"
plan = "sprout"

[limits]
unauthenticated_per_minute = 100000
"""


class Provider:
    def __init__(self, callback, kind):
        environment = {**os.environ, "CALLBACKS": json.dumps([callback]), "KEY_KIND": kind}
        self.child = subprocess.Popen(["node", pathlib.Path(__file__).with_name("provider.mjs")], env=environment, text=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.issuer = self.line()

    def line(self):
        """The next line of our own; the provider's warnings are skipped."""
        while line := self.child.stdout.readline():
            if line.startswith(("http://", "rotated")):
                return line.strip()
        raise AssertionError("the provider ended")

    def rotate(self):
        self.child.stdin.write("rotate\n")
        self.child.stdin.flush()
        assert self.line() == "rotated"

    def stop(self):
        self.child.stdin.close()
        self.child.wait(30)


@pytest.fixture(scope="session", params=["rsa", "ec"])
def pair(request, tmp_path_factory):
    listen = f"127.0.0.1:{free_port()}"
    provider = Provider(f"http://{listen}/api/auth/callback", request.param)
    try:
        with served(tmp_path_factory.mktemp("tilth"), config=CONFIG.format(issuer=provider.issuer), listen=listen) as service:
            yield service, provider
    finally:
        provider.stop()
