"""tilth.analytics: views over an export, a directory or a service hold what the service itself answers."""
import datetime
import json
import pathlib
import re
from decimal import Decimal

import pytest

from service import run
from tilth import Tilth, analytics
from tilth.records import LatLng

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORDS = ["farms", "fields", "crops", "blocks", "plants", "tasks", "task_templates", "recurring_tasks", "irrigations",
           "fertigations", "soil_samples", "leaf_samples", "expenses", "overheads", "sales", "price_reports"]


def season(client):
    """Something of everything, changed, removed and cascaded to."""
    now = datetime.datetime.now(datetime.timezone.utc)
    today = now.date()
    farm = client.farms.create(name="Late", total_area="12.5", country="Saudi Arabia", location=LatLng(lat=24.5, lng=39.6))
    lost = client.farms.create(name="Lost", total_area=3)
    gone = client.fields.create(lost, name="Gone", area=1)
    client.crops.create(farm_id=lost, field_id=gone, crop_type="Wheat")
    client.tasks.create(farm_id=lost, title="Never", category="other")
    field = client.fields.create(farm, name="North", area=4, soil_ph="7.1")
    second = client.fields.create(farm, name="South", area=2)
    crop = client.crops.create(farm_id=farm, field_id=field, crop_type="Date palm", planting_date=today, area="1.25")
    other = client.crops.create(farm_id=farm, field_id=second, crop_type="Fig")
    block = client.blocks.create(farm, field, crop_id=crop, name="A", spacing_x=8, spacing_y="7.5",
                                 grid_metadata={"pattern": "square", "rowCount": 2})
    client.blocks.create(farm, second, crop_id=other, name="B")
    plant = client.plants.create(farm, field, block, label="A-1", position=LatLng(lat=24.5, lng=39.6))
    client.plants.update(farm, field, block, plant, status="sick", notes="Dry")
    client.crops.move(crop, status="growing")
    done = client.tasks.create(farm_id=farm, title="Walk", category="inspection", due_date=now - datetime.timedelta(days=1))
    client.tasks.create(farm_id=farm, title="Overdue", category="other", due_date=now - datetime.timedelta(days=2))
    moved = client.tasks.create(farm_id=farm, title="Moved", category="other", due_date=now, crop_id=crop)
    client.tasks.complete(done, notes="Well.", gps_lat=24.5, gps_lng=39.6)
    client.tasks.reschedule(moved, due_date=now + datetime.timedelta(days=3))
    template = client.task_templates.create(name="Water", category="irrigation", farm_id=farm)
    client.task_templates.apply(template, farm_id=farm)
    rule = client.recurring_tasks.create(farm_id=farm, template_id=template, pattern="daily", start_date=now,
                                         generate_days_before=2)
    client.recurring_tasks.update(rule, interval=2)
    client.irrigations.create(farm, field, started_at=now, duration_minutes=60, water_volume="100.5")
    client.fertigations.create(farm, field, block, applied_at=now, product="Urea", amount=2, unit="kg")
    client.soil_samples.create(farm, field, sampled_at=now - datetime.timedelta(days=3), ph="6.5")
    newest = client.soil_samples.create(farm, field, sampled_at=now, ph="6.9")
    client.soil_samples.create(farm, field, sampled_at=now - datetime.timedelta(days=9), ph="5.5")
    client.soil_samples.delete(farm, field, newest)
    client.leaf_samples.create(farm, field, block, sampled_at=now, nitrogen="1.5")
    client.expenses.create(farm, amount="12.55", category="fuel", transaction_date=today)
    client.expenses.create(farm, amount=7, category="seeds", transaction_date=today, crop_id=other)
    client.overheads.create(farm, amount=100, category="rent", transaction_date=today, period="monthly")
    client.sales.create(crop, quantity="2.5", unit="ton", price_per_unit=940, sale_date=today)
    report = client.price_reports.create(farm_id=farm, crop_name="Wheat", price="6.4", unit="per_kg", observed_on=today)
    between = report.created_at
    while datetime.datetime.now(datetime.timezone.utc) - between < datetime.timedelta(milliseconds=1):
        pass  # what comes now is another millisecond's
    client.farms.update(farm, name="Too late", description="Dry")
    client.farms.update(farm, description=None)
    client.crops.delete(other)
    client.farms.delete(lost)
    return between


def answered(client):
    """Every record, as the service answers it."""
    found = {name: [] for name in RECORDS}
    found["farms"] = list(client.farms.list())
    for farm in found["farms"]:
        fields = list(client.fields.list(farm))
        found["fields"] += fields
        found["expenses"] += client.expenses.list(farm)
        found["overheads"] += client.overheads.list(farm)
        for field in fields:
            found["irrigations"] += client.irrigations.list(farm, field)
            found["soil_samples"] += client.soil_samples.list(farm, field)
            for block in client.blocks.list(farm, field):
                found["blocks"].append(block)
                found["plants"] += client.plants.list(farm, field, block)
                found["fertigations"] += client.fertigations.list(farm, field, block)
                found["leaf_samples"] += client.leaf_samples.list(farm, field, block)
    for name in ("crops", "tasks", "task_templates", "recurring_tasks", "price_reports"):
        found[name] = list(getattr(client, name).list())
    found["sales"] = [sale for crop in found["crops"] for sale in client.sales.list(crop)]
    return {name: sorted((record.to_json() for record in records), key=lambda row: row["id"])
            for name, records in found.items()}


def plain(value, kind):
    """A value of a column as the API writes it."""
    if value is None:
        return None
    if "DECIMAL" in kind:
        return format(value.normalize(), "f")
    if kind == "TIMESTAMP WITH TIME ZONE":
        return value.astimezone(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if kind in ("UUID", "DATE"):
        return str(value)
    return json.loads(value) if kind == "JSON" else value


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def viewed(connection, relation):
    rows = connection.sql(f"SELECT * EXCLUDE (owner) FROM {relation} ORDER BY id::VARCHAR")
    names = [(camel(name), str(kind)) for name, kind in zip(rows.columns, rows.types)]
    return [{name: plain(value, kind) for (name, kind), value in zip(names, row)} for row in rows.fetchall()]


@pytest.fixture(scope="module")
def played(tilth, tmp_path_factory):
    """A user with a season behind it, a time in the middle, and an export of the history."""
    user = tilth.user()
    with Tilth(user.key, f"http://{tilth.address}") as client:
        between = season(client)
        export = tmp_path_factory.mktemp("export") / "history.jsonl"
        done = run("events", "export", "--output", export, "--owner", user.id, "--operator",
                   f"http://{tilth.operator_address}", "--data", tilth.data)
        assert done.returncode == 0, done
        yield client, between, export


def check(connection, client, suffix=""):
    expected = answered(client)
    assert all(expected.values()), [name for name, rows in expected.items() if not rows]
    for name, rows in expected.items():
        assert viewed(connection, name + suffix) == rows, name


def test_an_export_holds_what_the_service_answers(played):
    client, _, export = played
    check(analytics.open(export), client)


def test_a_directory_a_service_and_a_client_hold_the_same(played, monkeypatch):
    client, _, export = played
    monkeypatch.setenv("TILTH_API_KEY", client._transport.session.key)
    for source in (str(export.parent), str(client._http.base_url), client):
        assert viewed(analytics.open(source), "farms") == answered(client)["farms"]


def test_the_past_is_what_the_service_answers_as_of_then(played):
    client, between, export = played
    then = client.as_of(between)
    check(analytics.open(export, as_of=between), then)
    east = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
    check(analytics.open(export, as_of=between.astimezone(east)), then)
    connection = analytics.open(export)
    check(connection, then, f"_as_of(TIMESTAMPTZ '{between.isoformat()}')")
    assert connection.sql(f"SELECT name FROM farms_as_of(TIMESTAMPTZ '{between.isoformat()}') ORDER BY name"
                          ).fetchall() == [("Late",), ("Lost",)]
    assert connection.sql("FROM farms_as_of(TIMESTAMPTZ '2000-01-01')").fetchall() == []


def test_columns_have_types(played):
    connection = analytics.open(played[2])
    types = {(view, name): str(kind) for view in ("farms", "sales", "expense_recorded")
             for name, kind in zip(connection.view(view).columns, connection.view(view).types)}
    assert types["farms", "total_area"] == types["sales", "total_amount"] == types["expense_recorded", "amount"] == "DECIMAL(38,8)"
    assert types["farms", "created_at"] == types["expense_recorded", "time"] == "TIMESTAMP WITH TIME ZONE"
    assert types["sales", "sale_date"] == "DATE"
    assert connection.sql("SELECT sum(amount) FROM expense_recorded").fetchall() == [(Decimal("19.55"),)]


def test_every_type_of_event_has_a_view(played):
    connection = analytics.open(played[2])
    kinds = connection.sql("SELECT type, count(*) FROM events GROUP BY type").fetchall()
    assert len(kinds) > 20
    for kind, count in kinds:
        view = kind[len("tilth."):].replace(".", "_")
        assert connection.sql(f"SELECT count(*) FROM {view}").fetchall() == [(count,)]


def test_names_are_resolved_also_of_what_was_removed(played):
    connection = analytics.open(played[2])
    assert connection.sql("SELECT DISTINCT name_of(farm_id) FROM fields").fetchall() == [("Too late",)]
    assert connection.sql("SELECT name_of(farm_id) FROM farm_removed").fetchall() == [("Lost",)]
    assert ("crop", "Fig") in connection.sql("SELECT record, name FROM names").fetchall()
    assert connection.sql("SELECT title, name_of(crop_id) FROM tasks WHERE crop_id IS NOT NULL").fetchall() == [
        ("Moved", "Date palm")]


def test_an_export_that_repeats_events_holds_them_once(played, tmp_path):
    lines = played[2].read_text()
    (tmp_path / "a.jsonl").write_text(lines)
    (tmp_path / "b.jsonl").write_text(lines)
    assert analytics.open(tmp_path).sql("SELECT count(*) FROM events").fetchall() == [(len(lines.splitlines()),)]


def test_the_names_of_files_do_not_tell_their_order(played, tmp_path):
    lines = played[2].read_text().splitlines(keepends=True)
    (tmp_path / "history-9.jsonl").write_text("".join(lines[:9]))
    (tmp_path / "history-10.jsonl").write_text("".join(lines[9:]))
    assert analytics.open(tmp_path).sql("SELECT count(*) FROM events").fetchall() == [(len(lines),)]
    assert viewed(analytics.open(tmp_path), "fields") == viewed(analytics.open(played[2]), "fields")


def test_who_was_erased_has_no_records_since(tilth, tmp_path):
    user = tilth.user()
    service = ("--operator", f"http://{tilth.operator_address}", "--data", tilth.data)
    with Tilth(user.key, f"http://{tilth.address}") as client:
        farm = client.farms.create(name="Erased", total_area=1)
        client.fields.create(farm, name="North", area=1)
    for command in (("users", "erase", user.id), ("events", "export", "--output", tmp_path / "a.jsonl", "--owner", user.id)):
        done = run(*command, *service)
        assert done.returncode == 0, done
    history = analytics.open(tmp_path)
    assert [history.sql(f"FROM {record}").fetchall() for record in ("farms", "fields")] == [[], []]
    ended = history.sql("SELECT valid_to = (SELECT time FROM records_erased) FROM field_versions").fetchall()
    assert ended == [(True,)]


def test_views_of_records_have_what_they_are_named_after(played):
    shown = {name for (name,) in analytics.open(played[2]).sql("SELECT view_name FROM duckdb_views()").fetchall()}
    assert not {name for name in shown if "api_ke" in name} - {"api_key_minted", "api_key_revoked"}


@pytest.mark.parametrize("line", [b'{"subject": "a", "time": "2026', '{"id": "a", "data": {"name": "\u00e9'.encode()[:-1]])
def test_an_export_that_is_cut_off_says_where(played, tmp_path, line):
    whole = played[2].read_bytes()
    (tmp_path / "a.jsonl").write_bytes(whole + line)
    for source in (tmp_path, tmp_path / "a.jsonl"):
        with pytest.raises(ValueError, match=rf"a\.jsonl, line {whole.count(chr(10).encode()) + 1} is cut off.*--resume"):
            analytics.open(source)
    (tmp_path / "a.jsonl").write_bytes(b"{\n" + whole)
    with pytest.raises(ValueError, match="line 1 is not JSON"):
        analytics.open(tmp_path)


def test_an_empty_history_has_empty_views(tmp_path):
    (tmp_path / "a.jsonl").write_text("")
    assert analytics.open(tmp_path).sql("SELECT * FROM tasks").fetchall() == []
    with pytest.raises(FileNotFoundError):
        analytics.open(tmp_path / "missing.jsonl")


def test_the_example_for_analysts_runs(played, monkeypatch, capsys):
    monkeypatch.chdir(played[2].parent)
    (example,) = re.findall(r"```pycon\n(.*?)```", (ROOT / "docs/analysts.md").read_text(), flags=re.S)
    exec(example.replace(">>> ", ""), {})
    shown = capsys.readouterr().out
    assert "Too late" in shown and "12.55" in shown  # the fig, with its seeds, was removed


def test_the_service_has_the_last_word_on_keys(tilth):
    with pytest.raises(Exception, match="INVALID_API_KEY"):
        analytics.open(f"http://{tilth.address}", key="svc_live_" + "0" * 32)
