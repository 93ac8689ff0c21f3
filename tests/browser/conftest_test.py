"""What the tests start leaves nothing on the machine."""
import os
import tempfile

from conftest import chromium


def test_a_browser_leaves_no_temporary_files(monkeypatch):
    with tempfile.TemporaryDirectory() as temporary:  # not pytest's: a socket's path within it would be too long
        monkeypatch.setenv("TMPDIR", temporary)
        monkeypatch.setattr(tempfile, "tempdir", temporary)
        with chromium() as browser:
            browser.get("about:blank")
            assert os.listdir(temporary)
        assert os.listdir(temporary) == []
