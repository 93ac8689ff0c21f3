"""How the tests of the command line run the real `tilth` against a stand-in for the service."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import fake_operator

TILTH = os.path.abspath(sys.argv.pop(1))


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.fake = fake_operator.FakeOperator()
        self.addCleanup(self.fake.close)
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)
        self.token = self.directory / "operator.token"
        self.token.write_text(fake_operator.TOKEN)

    def run_tilth(self, *words, environment=None, stdin=""):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TILTH_")}
        return subprocess.run([TILTH, *words], input=stdin, capture_output=True, text=True, timeout=60,
                              cwd=self.directory, env=clean | (environment or {}))

    def service(self):
        return "--operator", self.fake.url, "--token-file", str(self.token)

    def ask(self, *words, **options):
        """The output of a command that succeeds."""
        ran = self.run_tilth(*words, *self.service(), **options)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""), words)
        return ran.stdout

    def refuse(self, code, *words, **options):
        """The one sentence that a failing command prints."""
        ran = self.run_tilth(*words, **options)
        self.assertEqual(ran.returncode, code, ran.stderr)
        self.assertEqual(ran.stdout, "")
        self.assertEqual(ran.stderr.count("\n"), 1, ran.stderr)
        self.assertRegex(ran.stderr, r"[.?]\n$")
        return ran.stderr

    def last_request(self):
        return self.fake.requests[-1]
