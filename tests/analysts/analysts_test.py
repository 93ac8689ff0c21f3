"""Runs every recipe of docs/analysts.md on a service's history and checks the results."""
import ast
import collections
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/http"))

from service import BROKERS, Service, path_of, run  # noqa: E402

PAGE = (ROOT / "docs/analysts.md").read_text()


def recipes(language, heading):
    """The code blocks in a language below a heading, up to the next heading."""
    part = re.split(r"^#+ ", PAGE.split(f" {heading}\n", 1)[1], maxsplit=1, flags=re.M)[0]
    return re.findall(rf"```{language}\n(.*?)```", part, flags=re.S)


def shifted(instant, **by):
    moved = datetime.datetime.fromisoformat(instant.replace("Z", "+00:00")) + datetime.timedelta(**by)
    return moved.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    """A directory with the history.jsonl of a season on two farms, the service and the user."""
    directory = tmp_path_factory.mktemp("analysts")
    tilth = Service(directory)
    try:
        tilth.start()
        user = tilth.user()
        late, good = user.farm(name="Late"), user.farm(name="Good")
        start = tilth.now()
        tasks = [user.task(late, dueDate=shifted(start, hours=hours)) for hours in (1, 2)]
        moved = user.task(late, dueDate=shifted(start, hours=1))
        done = user.task(good, dueDate=shifted(start, hours=2))
        user.task(good)
        template = user.template()
        user.rule(good, template, pattern="daily", startDate=shifted(start, minutes=30), endDate=shifted(start, minutes=30))
        field = user.field(late)
        crop = user.crop(field, area=2, plantingDate="2026-03-01")
        water = f"{path_of(field)}/irrigations"
        for volume, unit in ((100, "m3"), (50_000, "liter"), (999, "m3")):
            last = user.made(water, {"startedAt": shifted(start, hours=1), "durationMinutes": 60, "waterVolume": volume,
                                     "volumeUnit": unit})
        assert user.delete(f"{water}/{last['id']}").status == 204
        tilth.advance("PT3H")
        assert user.put(f"/tasks/{moved['id']}/reschedule", {"dueDate": shifted(start, hours=4)}).status == 200
        assert user.post(f"/tasks/{done['id']}/complete").status == 200
        assert user.put(path_of(late), {"name": "Too late"}).status == 200
        tilth.advance("P2D")
        assert user.put(f"/crops/{crop['id']}/status", {"status": "harvested", "actualYield": 9_000,
                                                        "actualHarvestDate": "2026-03-03"}).status == 200
        assert user.delete(path_of(tasks[1])).status == 204
        done = run("events", "export", "--output", directory / "history.jsonl", "--operator",
                   f"http://{tilth.operator_address}", "--data", tilth.data)
        assert done.returncode == 0, done
        yield directory, tilth, user
        tilth.stop()
    finally:
        tilth.kill()


@pytest.fixture(scope="module")
def database(history):
    duckdb = pytest.importorskip("duckdb")
    directory, *_ = history
    before = os.getcwd()
    os.chdir(directory)
    try:
        database = duckdb.connect()
        database.execute("SET TimeZone = 'UTC'")
        (views,) = recipes("sql", "DuckDB")
        database.execute(views)
        yield database
    finally:
        os.chdir(before)


def asked(database, heading):
    (query,) = recipes("sql", heading)
    return database.execute(query).fetchall()


def test_it_is_known_how_long_tasks_stay_overdue_by_farm(database):
    # Late: two due at 1 h and 2 h, until the export or a removal at 51 h; one due at 1 h, moved at 3 h to 4 h.
    # Good: one from 2 h to 3 h, and one, due before, that a rule created when the clock had jumped to 3 h.
    assert asked(database, "How long do tasks stay overdue, by farm?") == [
        ("Too late", 3, 50 + 49 + 2 + 47, 49.3), ("Good", 2, 1 + 48, 24.5)]


def test_yield_is_held_against_irrigation(database):
    assert asked(database, "Yield against irrigation") == [("Maize", 4.5, 75.0)]


def test_a_farm_s_name_on_a_day_is_known(database):
    assert [name for _, name in asked(database, "What was the farm called on that day?")] == ["Good", "Too late"]


def test_the_view_holds_every_line(history, database):
    lines = (history[0] / "history.jsonl").read_text().splitlines()
    assert database.execute("SELECT count(*) FROM events").fetchone() == (len(lines),)


def test_the_first_cell_of_a_notebook_runs(history, monkeypatch):
    pytest.importorskip("pandas")
    directory, *_ = history
    monkeypatch.chdir(directory)
    (cell,) = recipes("python", "A notebook's first cell")
    body = ast.parse(cell).body
    assert isinstance(body[-1], ast.Expr), "a cell must end with the expression that it shows"
    names = {}
    exec(compile(cell, "cell", "exec"), names)
    kinds = collections.Counter(json.loads(line)["type"] for line in (directory / "history.jsonl").read_text().splitlines())
    assert names["per_day"].sum().to_dict() == kinds
    assert "farmId" in names["said"].columns and len(names["said"]) == kinds.total()


@pytest.mark.skipif(not BROKERS, reason="kcat reads Kafka: see tests/kafka")
def test_kcat_and_jq_read_the_topic(history):
    directory, tilth, _ = history
    assert shutil.which("kcat") and shutil.which("jq")
    environment = {**os.environ, "BROKERS": BROKERS, "TOPIC": tilth.topic}
    counted, counting = (subprocess.run(["bash", "-euo", "pipefail", "-c", recipe], env=environment, capture_output=True,
                                        text=True, timeout=120, check=True).stdout
                         for recipe in recipes("sh", "kcat and jq"))
    events = [json.loads(line) for line in (directory / "history.jsonl").read_text().splitlines()]
    kinds = collections.Counter(event["type"] for event in events)
    told = {kind: int(count) for count, kind in (line.split() for line in counted.splitlines())}
    assert told.keys() == kinds.keys() and all(told[kind] >= kinds[kind] for kind in kinds)
    read = [json.loads(line) for line in counting.splitlines()]
    assert sorted((event["owner"], event["type"], event["time"]) for event in read) == sorted(
        (event["subject"], event["type"], event["time"]) for event in events)


def test_every_recipe_is_run():
    run_here = (recipes("sql", "DuckDB") + recipes("sql", "How long do tasks stay overdue, by farm?") +
                recipes("sql", "Yield against irrigation") + recipes("sql", "What was the farm called on that day?"))
    assert run_here == re.findall(r"```sql\n(.*?)```", PAGE, flags=re.S)
    assert recipes("python", "A notebook's first cell") == re.findall(r"```python\n(.*?)```", PAGE, flags=re.S)
