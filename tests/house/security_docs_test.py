"""docs/security.md names a test for each promise, and these tests exist."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/security.md"
LINK = re.compile(r"\[[^\]]+\]\(([^)#]+)(?:#[^)]*)?\)")
BOUNDARIES = ["key", "session", "pages", "provider", "operator port", "nodes", "log", "backups", "memory", "processors"]


def promises():
    """The rows of all tables: a promise, and the files that are named next to it."""
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", PAGE.read_text(), re.MULTILINE)
    return [(promise, LINK.findall(held)) for promise, held in rows if promise != "Promise"]


def test_each_boundary_has_a_section():
    headings = " ".join(re.findall(r"^## (.+)$", PAGE.read_text(), re.MULTILINE)).lower()
    for boundary in BOUNDARIES:
        assert boundary in headings, boundary


def test_each_promise_is_held_by_a_test_that_exists():
    assert len(promises()) > 30
    for promise, files in promises():
        assert files, promise
        for file in files:
            path = (PAGE.parent / file).resolve()
            assert path.is_file(), f"{promise}: {file}"
            name = path.relative_to(ROOT).as_posix()
            is_test = name.startswith("tests/") and re.search(r"_(test|spec|fuzz)\.(py|cc)$", name)
            assert is_test or name == "bench/attacks.py", f"{promise}: {name} is no test"


def test_what_a_test_of_attacks_holds_is_named_there():
    """A link to the attacks is for what a test cannot assert: times and memory."""
    for promise, files in promises():
        if [pathlib.Path(file).name for file in files] == ["attacks.py"]:
            assert re.search(r"leaves places|does not occupy", promise), promise


def test_its_other_links_lead_somewhere():
    for page in (PAGE, ROOT / "SECURITY.md"):
        for file in LINK.findall(page.read_text()):
            assert "://" in file or (page.parent / file).resolve().exists(), file


def test_the_readme_names_both():
    readme = (ROOT / "README.md").read_text()
    assert "docs/security.md" in readme and "SECURITY.md" in readme
