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


RATES = "Date, USD, JPY, \n02 January 2026, 1.25, 160, \n10 February 2026, 1.20, 162, \n"


def trade(tilth):
    """A user with harvests and what they cost, in dollars and in euros, tasks of several people, plants of every kind,
    and prices on six farms in two countries."""
    tilth.operator.send("POST", "/operator/v1/exchange-rates", RATES, headers={"Content-Type": "text/csv"})
    user = tilth.user()
    start = tilth.now()
    for season, unit, amount in (("2025", "ton", "4"), ("2026", "kg", "2500"), ("2026", "lb", "1000")):
        farm = user.farm(currency="USD", name=f"{season} in {unit}")
        crop = user.crop(user.field(farm), cropType="Barley", plantingDate=f"{season}-01-05", yieldUnit=unit)
        for money, currency in (("300.50", "USD"), ("210", "EUR"), ("9", "NOK")):
            last = user.made(f"/farms/{farm['id']}/expenses",
                             {"amount": money, "currency": currency, "category": "seeds", "cropId": crop["id"],
                              "transactionDate": "2026-02-05"})
        assert user.delete(f"/farms/{farm['id']}/expenses/{last['id']}").status == 204
        assert user.put(f"/crops/{crop['id']}/status", {"status": "harvested", "actualYield": amount}).status == 200
        block = user.block(crop)
        for number, status in enumerate(["alive", "alive", "sick", "dead", "replaced"] + ["dead"] * (unit == "lb")):
            plant = user.plant(block, label=f"Plant {number}", status=status)
        if unit == "kg":
            assert user.delete(path_of(plant, block)).status == 204
    for assignee, hours in (("Ali", 1), ("Ali", 400), ("Zeynep \"=2+2\"", 2)):
        user.task(farm, assignedTo=assignee, dueDate=shifted(start, hours=hours))
    user.put(f"/tasks/{user.task(farm, assignedTo='Ali', dueDate=shifted(start, hours=1))['id']}", {"status": "cancelled"})
    for number in range(6):
        farm = user.farm(country="US" if number < 5 else "JP", name=f"Market {number}")
        crop = user.crop(user.field(farm), cropType="Sorghum")
        for currency, price, quantity in (("USD", f"0.{30 + number}", "700"), ("EUR", "0.25", "1500")):
            user.made(f"/crops/{crop['id']}/sales",
                      {"quantity": quantity, "unit": "lb" if number % 2 else "kg", "pricePerUnit": price,
                       "currency": currency, "saleDate": "2026-02-12"})
        user.made("/market/price-reports", {"farmId": farm["id"], "cropName": "Sorghum", "price": 290 + number,
                                            "unit": "per_ton", "currency": "USD", "observedOn": "2026-02-20"})
    gone = user.farm(country="US", name="Gone market")
    user.made("/market/price-reports", {"farmId": gone["id"], "cropName": "Sorghum", "price": 9_999, "unit": "per_ton",
                                        "currency": "USD", "observedOn": "2026-02-20"})
    assert user.delete(path_of(gone)).status == 204
    return user


def grow_in_every_unit(user):
    """Crops, each of a type of its own, on farms that measure in different units; some are removed in the end. The
    function that is returned harvests them."""
    grown = []

    def grow(name, farm, **members):
        crop = user.crop(user.field(farm), cropType=name, **members)
        water = f"/farms/{farm['id']}/fields/{crop['fieldId']}/irrigations"
        user.made(water, {"startedAt": "2026-03-01T07:00:00Z", "durationMinutes": 60, "waterVolume": 12, "volumeUnit": "m3"})
        grown.append(crop)
        return crop

    for unit in ("hectare", "acre", "square_meter", "square_foot", "feddan", "dunam"):
        farm = user.farm(name=f"In {unit}", areaUnit=unit)
        for weight in ("kg", "ton", "lb"):
            grow(f"{unit} {weight}", farm, area="3.5", plantingDate="2026-02-01", yieldUnit=weight)
    changed = user.farm(name="Changed", areaUnit="hectare")
    cleared = grow("cleared", changed, area="3", plantingDate="2026-02-01")
    grow("blocks", changed, plantingDate="2026-02-01")
    for area in ("0.5", "0.75"):
        user.block(grown[-1], area=area)
    assert user.put(f"/crops/{cleared['id']}", {"area": None}).status == 200  # no area: no yield per hectare
    assert user.put(path_of(changed), {"areaUnit": "dunam"}).status == 200
    gone = user.farm(name="Gone")
    lost = [grow("lost crop", gone), grow("lost field", gone), grow("lost with its farm", gone)]

    def harvest():
        for crop in grown:
            assert user.put(f"/crops/{crop['id']}/status", {"status": "harvested", "actualYield": "8765.4",
                                                            "actualHarvestDate": "2026-03-03"}).status == 200
        assert user.delete(f"/crops/{lost[0]['id']}").status == 204
        assert user.delete(f"/farms/{gone['id']}/fields/{lost[1]['fieldId']}").status == 204
        assert user.delete(path_of(gone)).status == 204

    return harvest


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
        harvest = grow_in_every_unit(user)
        tilth.advance("PT3H")
        assert user.put(f"/tasks/{moved['id']}/reschedule", {"dueDate": shifted(start, hours=4)}).status == 200
        assert user.post(f"/tasks/{done['id']}/complete").status == 200
        assert user.put(path_of(late), {"name": "Too late"}).status == 200
        tilth.advance("P2D")
        assert user.put(f"/crops/{crop['id']}/status", {"status": "harvested", "actualYield": 9_000,
                                                        "actualHarvestDate": "2026-03-03"}).status == 200
        harvest()
        assert user.delete(path_of(tasks[1])).status == 204
        done = run("events", "export", "--output", directory / "history.jsonl", "--operator",
                   f"http://{tilth.operator_address}", "--data", tilth.data)
        assert done.returncode == 0, done
        tilth.seller = trade(tilth)
        tilth.advance("PT3H")
        tilth.tabled = tilth.events()
        for name, more in (("tables", ["--format", "csv"]), ("lines", ["--format", "jsonl"])):
            done = run("tables", "export", directory / name, *more, "--operator", f"http://{tilth.operator_address}",
                       "--data", tilth.data)
            assert done.returncode == 0, done
        yield directory, tilth, user
        tilth.stop()
    finally:
        tilth.kill()


@pytest.fixture
def database(history, monkeypatch):
    """DuckDB on the history."""
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.chdir(history[0])
    database = duckdb.connect()
    database.execute("SET TimeZone = 'UTC'")
    (views,) = recipes("sql", "The history in DuckDB")
    database.execute(views)
    return database


@pytest.fixture(params=["tables", "lines"])
def tables(history, monkeypatch, request):
    """DuckDB on the tables, from CSV and from JSON lines."""
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.chdir(history[0] / request.param)
    database = duckdb.connect()
    database.execute(pathlib.Path("tables.sql").read_text())
    return database


def asked(database, heading):
    (query,) = recipes("sql", heading)
    return database.execute(query).fetchall()


def test_it_is_known_how_long_tasks_stay_overdue_by_farm(history, database):
    # Late: two due at 1 h and 2 h, until the export or a removal at 51 h; one due at 1 h, moved at 3 h to 4 h.
    # Good: one from 2 h to 3 h, and one, due before, that a rule created when the clock had jumped to 3 h.
    assert asked(database, "How long do tasks stay overdue, by farm?") == [
        ("Too late", 3, 50 + 49 + 2 + 47, 49.3), ("Good", 2, 1 + 48, 24.5)]
    # The service says how many are overdue at a time; between the full hours nothing changes here.
    _, _, user = history
    served = collections.Counter()
    for hour in range(51):
        at = shifted("2026-03-01T07:00:00Z", hours=hour)
        names = {farm["id"]: farm["name"] for farm in user.get("/farms?limit=100").data}
        for task in user.get("/tasks?status=overdue&limit=100", {"Tilth-As-Of": at}).data:
            served[names[task["farmId"]]] += 1
    assert served == {"Too late": 148, "Good": 49}


def own_yields(user):
    """The tons per hectare of the owner's harvests by type, as the service's predictions take them for a base: asked
    for with a crop of each type that nothing else is known about."""
    probe = user.farm(name="Probe")
    field = user.field(probe)
    types = {crop["cropType"] for page in range(1, 9) for crop in user.get(f"/crops?limit=50&page={page}").data
             if crop["status"] == "harvested"}
    crops = {user.crop(field, cropType=kind, area=1)["id"]: kind for kind in types | {"lost crop", "lost field"}}
    shown = user.read(f"/farms/{probe['id']}/yield-prediction")
    assert {crops[each["cropId"]] for each in shown["skipped"]} == {"cleared", "lost crop", "lost field"}
    return {crops[each["cropId"]]: each["yieldPerHectare"] for each in shown["predictions"]}


def test_yield_is_held_against_irrigation(history, tables):
    asked_for = {kind: (yielded, water) for kind, yielded, water in asked(tables, "Yield against irrigation")}
    assert asked_for["Maize"] == (4.5, 75.0)
    assert asked_for["hectare kg"] == (2.504, 3.4), "8.7654 t and 12 m3 on 3.5 ha"
    assert asked_for["feddan ton"][0] == 5961.679, "8,765.4 t on 3.5 feddans of 0.420083 ha"
    assert asked_for["blocks"][0] == 70.123, "8.7654 t on 1.25 dunams"
    served = history[1].own_yields = getattr(history[1], "own_yields", None) or own_yields(history[2])
    assert len(served) == 20 and asked_for.keys() == served.keys()
    for kind, (yielded, _) in asked_for.items():
        assert yielded == pytest.approx(served[kind], rel=1e-9, abs=0.001), kind


def test_a_farm_s_name_on_a_day_is_known(history, database):
    _, tilth, user = history
    (query,) = recipes("sql", "What was the farm called on that day?")
    (day,) = re.findall(r"TIMESTAMPTZ '([^']+)'", query)
    for instant in (day, "2026-03-01 06:30:00Z", "2026-03-03 09:30:00Z"):
        told = sorted(database.execute(query.replace(day, instant)).fetchall())
        served = user.get("/farms?limit=100", {"Tilth-As-Of": instant.replace(" ", "T")}).data
        assert told == sorted((farm["id"], farm["name"]) for farm in served if farm["name"] != "Probe")
        assert told, instant
    assert "Too late" in {name for _, name in told} and not {"Late", "Gone"} & {name for _, name in told}


def all_of(user, path):
    return [record for page in range(1, 9) for record in user.get(f"{path}?limit=100&page={page}").data]


def test_what_a_ton_costs_is_known_by_crop_and_season(history, tables):
    seller = history[1].seller
    spent, tons = collections.Counter(), collections.Counter()
    for crop in all_of(seller, "/crops"):
        if crop["cropType"] != "Barley":
            continue
        season = int(crop["plantingDate"][:4])
        summary = seller.read(f"/farms/{crop['farmId']}/financial-summary")
        assert summary["baseCurrency"] == "USD" and float(summary["expenses"]["total"]) == 300.50 + 210 * 1.25
        spent[season] += float(summary["expenses"]["total"])
        tons[season] += float(crop["actualYield"]) * {"ton": 1, "kg": 0.001, "lb": 0.00045359237}[crop["yieldUnit"]]
    assert asked(tables, "Cost per ton, by crop and season") == [
        ("Barley", season, crops, round(spent[season] / tons[season], 2)) for season, crops in ((2025, 1), (2026, 2))]


def test_lateness_is_known_by_assignee(history, tables):
    _, tilth, user = history
    (epoch,) = tables.execute("SELECT epoch(getvariable('as_of'))").fetchone()
    now = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc)
    assert now == datetime.datetime.fromisoformat(tilth.now().replace("Z", "+00:00"))
    late, tasks = collections.defaultdict(list), collections.Counter()
    for task in all_of(user, "/tasks") + all_of(tilth.seller, "/tasks"):
        due, done = (task[name] and datetime.datetime.fromisoformat(task[name].replace("Z", "+00:00"))
                     for name in ("dueDate", "completedDate"))
        if not due or due > now or task["status"] == "cancelled":
            continue
        assert task["status"] == ("completed" if done else "overdue")
        tasks[task["assignedTo"] or "-"] += 1
        late[task["assignedTo"] or "-"].append(max(0, ((done or now) - due).total_seconds()) / 3600)
    told = asked(tables, "Lateness of tasks, by assignee")
    assert told == sorted(told, key=lambda row: (-row[3], row[0]))
    assert {row[0]: row[1:] for row in told} == {
        name: (tasks[name], sum(hour > 0 for hour in hours), pytest.approx(sum(hours) / len(hours), abs=0.051))
        for name, hours in late.items()}
    assert set(tasks) == {"-", "Ali", "Zeynep \"=2+2\""} and tasks["Ali"] == 1


def test_plant_survival_is_known(history, tables):
    seller = history[1].seller
    told = asked(tables, "Plant survival")
    assert told == [("2026 in lb", "Barley", 5, 2, 0.5), ("2025 in ton", "Barley", 4, 1, 0.625),
                    ("2026 in kg", "Barley", 4, 1, 0.625)]
    farms = {farm["name"]: farm["id"] for farm in all_of(seller, "/farms")}
    for farm, _, _, _, survival in told:
        factors = {each["key"]: each["score"] for each in seller.read(f"/farms/{farms[farm]}/health-score")["factors"]}
        assert factors["plantVitality"] == pytest.approx(100 * survival, abs=0.051)


def test_price_trends_are_known_by_country(history, tables):
    told = {row[:3]: row[3:] for row in asked(tables, "Price trends, by country")}
    month = datetime.date(2026, 2, 1)
    assert told.keys() == {("United States", "Sorghum", month), ("Japan", "Sorghum", month)}
    (served,) = history[1].seller.get("/market/regional-prices?country=US").data
    assert (served["cropName"], served["currency"], served["sampleSize"]) == ("Sorghum", "USD", 5)
    assert told["United States", "Sorghum", month] == (15, served["avgPrice"])


def test_removed_records_are_in_the_tables_and_marked(history, tables):
    _, tilth, user = history
    for table, path in (("farms", "/farms"), ("tasks", "/tasks"), ("crops", "/crops")):
        probes = {farm["id"] for farm in all_of(user, "/farms") if farm["name"] == "Probe"}  # of another test
        there = {record["id"] for record in all_of(user, path) + all_of(tilth.seller, path)
                 if not probes & {record["id"], record.get("farmId")}}
        told = tables.execute(f"SELECT id::VARCHAR FROM {table} WHERE removedAt IS NULL").fetchall()
        assert there == {row[0] for row in told} and len(there) == len(told)
    gone = tables.execute("SELECT cropType, farmName FROM crops WHERE removedAt IS NOT NULL ORDER BY ALL").fetchall()
    assert gone == [("lost crop", "Gone"), ("lost field", "Gone"), ("lost with its farm", "Gone")]


def test_tables_of_an_earlier_time_are_what_the_service_says_of_it(history, tmp_path):
    directory, tilth, user = history
    duckdb = pytest.importorskip("duckdb")
    for number, at in enumerate(("2026-03-01T07:45:00Z", "2026-03-02T00:00:00Z", "2026-03-03T09:30:00Z")):
        done = run("tables", "export", tmp_path / str(number), "--as-of", at, "--owner", user.id, "--operator",
                   f"http://{tilth.operator_address}", "--data", tilth.data)
        assert done.returncode == 0, done
        for table, path, shown in (("farms", "/farms", ("id", "name")), ("tasks", "/tasks", ("id", "status")),
                                   ("crops", "/crops", ("id", "status"))):
            told = duckdb.sql(f"SELECT {shown[0]}, {shown[1]} FROM read_csv('{tmp_path}/{number}/{table}.csv', "
                              "all_varchar = true) WHERE removedAt IS NULL").fetchall()
            served = user.get(f"{path}?limit=100", {"Tilth-As-Of": at}).data
            assert sorted(told) == sorted((row[shown[0]], row[shown[1]]) for row in served) and told, (at, table)


def test_every_table_can_be_read_and_is_described(history, tables):
    described = json.loads(pathlib.Path("tables.json").read_text())
    assert described["asOf"] == history[1].now()
    kinds = collections.Counter(f"event_{event['type'].split('.', 1)[1].replace('.', '_')}" for event in history[1].tabled)
    for table in described["tables"]:
        name, columns = table["name"], [column["name"] for column in table["columns"]]
        assert [row[0] for row in tables.execute(f"DESCRIBE {name}").fetchall()] == columns
        rows, *_ = tables.execute(f"SELECT count(*), count(COLUMNS(*)) FROM {name}").fetchone()
        assert rows == described["rows"][name]
        assert not name.startswith("event_") or rows == kinds[name], name


def test_no_secret_is_in_the_tables(history):
    _, tilth, user = history
    minted = [event["data"]["keyDigest"] for event in tilth.events("access") if "keyDigest" in event["data"]]
    assert minted
    for path in (*(history[0] / "tables").iterdir(), *(history[0] / "lines").iterdir()):
        text = path.read_text()
        assert path.stat().st_mode & 0o777 == 0o600
        assert user.key not in text and not any(digest in text for digest in minted), path


def test_the_tables_open_in_pandas(history, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(history[0] / "tables")
    (cell,) = recipes("python", "Tables")
    names = {}
    exec(compile(cell, "cell", "exec"), names)
    assert len(names["tasks"]) == json.loads(pathlib.Path("tables.json").read_text())["rows"]["tasks"]
    assert str(names["tasks"]["dueDate"].dtype).startswith("datetime64")


def test_the_page_of_tables_is_what_the_command_prints():
    assert run("tables", "describe").stdout == (ROOT / "docs/tables.md").read_text()


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
    assert all(told[kind] >= kinds[kind] for kind in kinds)
    read = [json.loads(line) for line in counting.splitlines()]
    on_the_topic = collections.Counter((event["owner"], event["type"], event["time"]) for event in read)
    exported = collections.Counter((event["subject"], event["type"], event["time"]) for event in events)
    assert exported <= on_the_topic, "other tests go on to change records"


def test_every_recipe_is_run():
    headings = re.findall(r"^##+ (.*)$", PAGE, flags=re.M)
    run_here = [query for heading in headings for query in recipes("sql", heading)]
    assert run_here == re.findall(r"```sql\n(.*?)```", PAGE, flags=re.S)
    source = pathlib.Path(__file__).read_text()
    for heading in headings:
        assert not recipes("sql", heading) + recipes("python", heading) or f'"{heading}"' in source, heading
