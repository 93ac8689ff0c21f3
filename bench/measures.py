"""The measurements. Each alternates with its baseline, so that changes of the machine's speed affect both."""
import json
import statistics
import subprocess
import time

from processes import BUILD, Load, Service, bare_server, filled, filled_by, tool

PLANTS, CROPS, TASKS, DUE = 1_000_000, 100_000, 1_000_000, 100_000
MONEY, LITTLE_MONEY = 1_000_000, 10_000
OFFERS, OFFERING_FARMS, KINDS = 1_000_000, 50_000, 60
OWNERS = 64
FIELD = '{"name":"North {number}","area":"12.5","soilType":"loam","notes":"Drains well in spring."}'


class Line:
    """A line of the table: a figure and its limit."""

    def __init__(self, name, what, value, limit, at_least=False, unit=""):
        self.cells = [name, what, f"{value:.2f}{unit}", f"{'≥' if at_least else '≤'} {limit:g}{unit}"]
        self.met = value >= limit if at_least else value <= limit


def pairs(rounds, ours, bare):
    """Measures both in turns; returns the list of results of each."""
    both = [(bare(), ours()) for _ in range(rounds)]
    return [ours for _, ours in both], [bare for bare, _ in both]


def middle(ours, bare, key):
    return statistics.median(o[key] / b[key] for o, b in zip(ours, bare))


def rates(ours, bare):
    one = lambda runs: f"{statistics.median(run['perSecond'] for run in runs):,.0f}/s"
    return f"{one(ours)} against {one(bare)}"


def p1_get(folder, service, owners, seconds):
    requests = []
    for key, farm in owners:
        field = service.post(f"{farm}/fields", key, {"name": "North", "area": "12.5"})
        requests.append(("GET", f"{farm}/fields/{field['id']}", key, ""))
    answer, body = service.ask("GET", requests[0][1], requests[0][2])
    load = Load(folder, "get", requests)
    with bare_server(folder, answer, body) as bare_address:
        ours, bare = pairs(3, lambda: load.run(service.address, OWNERS, seconds),
                           lambda: load.run(bare_address, OWNERS, seconds))
    yield Line("P1", f"GET a field, 64 connections: {rates(ours, bare)}",
               middle(ours, bare, "perSecond"), 0.8, at_least=True)
    p99 = lambda runs: statistics.median(run["p99"] for run in runs) / 1000
    yield Line("P1", f"… its p99: {p99(ours):.2f} ms against {p99(bare):.2f} ms",
               middle(ours, bare, "p99"), 2, unit="×")


def p2_lists(folder, seconds):
    data, about = filled(PLANTS, CROPS)
    with Service(folder, data) as service:
        farm = f"/api/v1/farms/{about['farm']}"
        plants = f"{farm}/fields/{about['field']}/blocks/{about['block']}/plants"
        lists = [(plants, "plants", sort, status, PLANTS // 5 if status else PLANTS)
                 for sort in ("createdAt", "label") for status in ("", "status=alive")]
        lists += [("/api/v1/crops", "crops", sort, status, CROPS // 5 if status else CROPS)
                  for sort in ("createdAt", "plantingDate", "cropType") for status in ("", "status=planted")]
        for each in lists:
            yield pages_of("P2", folder, service, about["key"], *each, seconds)


def p5b_export(folder, events, rounds):
    """The export of a long history to a file, against only reading the log; the first round warms the page cache."""
    data, about = filled_by("bench_fill_mixed", events)
    ours, bare, largest = [], [], 0
    for _ in range(rounds + 1):
        bare.append(tool("bench_read_log", data)["perSecond"])
        with Service(folder, data) as service:
            service.wait_until_idle()
            file = folder / "history.jsonl"
            began = time.monotonic()
            subprocess.run([BUILD / "tilth", "events", "export", "--output", file, "--operator",
                            f"http://{service.operator}", "--data", data], check=True)
            ours.append(about["events"] / (time.monotonic() - began))
            largest = max(largest, service.resident())
            file.unlink()
    rate = lambda runs: statistics.median(runs[1:])
    yield Line("P5b", f"export of {about['events']:,} events: {rate(ours):,.0f}/s against {rate(bare):,.0f}/s read, "
               f"the service holds {largest:,.0f} MiB",
               statistics.median(o / b for o, b in zip(ours[1:], bare[1:])), 0.5, at_least=True)


def task_lists(folder, seconds):
    data, about = filled(0, 1, TASKS)
    farm = f"farmId={about['farm']}"
    # Of every ten tasks on each farm, five are due in the past and six are open.
    filters = {"": 1, "status=overdue": 0.3, "status=pending": 0.2, farm: 0.5, f"status=overdue&{farm}": 0.15}
    with Service(folder, data) as service:
        for filter, share in filters.items():
            for sort in ("dueDate", "priority", "title"):
                yield pages_of("tasks", folder, service, about["key"], "/api/v1/tasks", "tasks", sort, filter,
                               round(TASKS * share), seconds)


def p6b_summary(folder, seconds, much=MONEY, little=LITTLE_MONEY):
    """The financial summary of a farm with many entries against that of one with few, on the same days."""
    spans = {"whole": "", "2020": "?from=2020-01-01&to=2020-12-31", "a year from 15 March": "?from=2020-03-15&to=2021-03-14"}
    (much_data, much_about), (little_data, little_about) = (filled(0, 1, 0, rows) for rows in (much, little))
    homes = [folder / name for name in ("much", "little")]  # both data directories have the same name
    for home in homes:
        home.mkdir()
    with Service(homes[0], much_data) as rich, Service(homes[1], little_data) as poor:
        farms = [(rich, much_about), (poor, little_about)]
        for name, span in spans.items():
            loads = []
            for number, (service, about) in enumerate(farms):
                path = f"/api/v1/farms/{about['farm']}/financial-summary{span}"
                told = json.loads(service.ask("GET", path, about["key"])[1])["data"]
                if len(told["expenses"]["byCurrency"]) != 4 or told["unconvertedCurrencies"]:
                    raise RuntimeError(f"{path} tells of other currencies: {told}")
                loads.append((Load(folder, f"summary-{number}", [("GET", path, about["key"], "")]), service.address))
            runs = [[load.run(address, 1, seconds)["p50"] for load, address in loads] for _ in range(3)]
            rich_p50, poor_p50 = (statistics.median(times) for times in zip(*runs))
            yield Line("P6b", f"financial summary, {name}, of {much:,} rows against {little:,}: "
                              f"p50 {rich_p50:.0f} µs against {poor_p50:.0f} µs", rich_p50 / poor_p50, 1.2, unit="×")
            yield Line("P6b", "… its p50", rich_p50 / 1000, 5, unit=" ms")


def p6_market(folder, seconds, offers=OFFERS, farms=OFFERING_FARMS):
    """Regional prices against GET of a field of the same service, with many offers and with few."""
    for many, of in ((offers, farms), (offers // 100, farms // 100)):
        data, about = filled_by("bench_fill_market", many, of)
        with Service(folder, data) as service:
            prices = "/api/v1/market/regional-prices?country=Japan"
            field = f"/api/v1/farms/{about['farm']}/fields/{about['field']}"
            told = json.loads(service.ask("GET", prices, about["key"])[1])["data"]
            if len(told) != KINDS or sum(row["sampleSize"] for row in told) < of:
                raise RuntimeError(f"{prices} tells of other farms: {told}")
            loads = [Load(folder, f"market-{number}", [("GET", path, about["key"], "")])
                     for number, path in enumerate((prices, field))]
            runs = [[load.run(service.address, 1, seconds)["p50"] for load in loads] for _ in range(3)]
            ours, plain = (statistics.median(times) for times in zip(*runs))
            yield Line("P6", f"regional prices, {many:,} offers of {of:,} farms: p50 {ours:.0f} µs against "
                             f"{plain:.0f} µs of GET a field", ours / plain, 1.2, unit="×")


def pages_of(line, folder, service, key, path, name, sort, filter, total, seconds):
    """The middle and the last page of a list against the first one."""
    pages = {"first": 1, "middle": total // 40, "last": total // 20}
    loads = {}
    for which, page in pages.items():
        query = f"{path}?page={page}&limit=20&sort={sort}" + (f"&{filter}" if filter else "")
        listed = service.ask("GET", query, key)[1]
        if f'"total":{total}'.encode() not in listed or listed.count(b'"createdAt"') != 20:
            raise RuntimeError(f"{query} did not answer 20 of {total}: {listed[-200:].decode()}")
        loads[which] = Load(folder, f"list-{which}", [("GET", query, key, "")])
    runs = {which: [] for which in pages}
    for _ in range(3):
        for which, load in loads.items():
            runs[which].append(load.run(service.address, 1, seconds)["p50"])
    p50 = {which: statistics.median(times) for which, times in runs.items()}
    filtered = ", ".join(part.split("=")[1][:8] for part in filter.split("&")) if filter else "all"
    what = f"{total:,} {name} by {sort}, {filtered}: p50 of the pages " + \
           " ".join(f"{time:.0f}" for time in p50.values()) + " µs"
    return Line(line, what, max(p50["middle"], p50["last"]) / p50["first"], 1.5, unit="×")


def due_at_once(folder, seconds):
    """All rules of many owners fall due at the same instant; compared with the rate of durable appends."""
    with Service(folder, folder / "rules", "--test-clock", "2026-03-01T06:30:00Z") as service:
        requests = []
        for number in range(OWNERS):
            key, farm = service.owner(f"-due-{number}")
            template = service.post("/api/v1/templates", key, {"name": "Walk the rows", "category": "inspection"})
            requests.append(("POST", "/api/v1/recurring-tasks", key, json.dumps(
                {"farmId": farm.split("/")[-1], "templateId": template["id"], "pattern": "daily",
                 "startDate": "2026-03-02T06:30:00Z"})))
        load, made = Load(folder, "rules", requests, 201), 0
        while made < DUE:
            load.run(service.address, OWNERS, 5)
            lists = [service.ask("GET", f"{path}?limit=1", key)[1] for _, path, key, _ in requests]
            made = sum(json.loads(each)["pagination"]["total"] for each in lists)
        bare = [tool("bench_synced_writes", folder / "bare-due-0", OWNERS, seconds, 700)["perSecond"]]
        began = time.monotonic()
        service.ask("POST", "/operator/v1/clock", service.token, {"advance": "P1D"})
        rate = made / (time.monotonic() - began)
        bare.append(tool("bench_synced_writes", folder / "bare-due-1", OWNERS, seconds, 700)["perSecond"])
        yield Line("due", f"{made:,} tasks that fall due at once: {rate:,.0f}/s against "
                          f"{statistics.mean(bare):,.0f} appends/s", rate / statistics.mean(bare), 0.5, at_least=True)


def recorded_bytes(service, key, farm):
    """The size in the log of the event of one such POST, with its envelope."""
    position = service.ask("POST", f"{farm}/fields", key, json.loads(FIELD))[0].getheader("Tilth-Position")
    partition, offset = position.removeprefix("p").split(".")
    lines = service.ask("GET", f"/operator/v1/events?partition={partition}&from={offset}&limit=1", service.token)[1]
    event = json.loads(lines)
    return sum(len(value if isinstance(value, str) else json.dumps(value, separators=(",", ":")))
               for value in event.values())


def p3_post(folder, service, owners, seconds):
    requests = [("POST", f"{farm}/fields", key, FIELD) for key, farm in owners]
    load = Load(folder, "post", requests, 201)
    record = recorded_bytes(service, *owners[0])
    for connections in (1, 16, 64):
        turn = iter(range(100))
        ours, bare = pairs(3, lambda: load.run(service.address, connections, seconds),
                           lambda: tool("bench_synced_writes", folder / f"bare-{connections}-{next(turn)}",
                                        connections, seconds, record))
        yield Line("P3", f"POST fields, {connections} connection{'s'[:connections > 1]}: {rates(ours, bare)}",
                   middle(ours, bare, "perSecond"), 0.6, at_least=True)


def p10_batch(folder):
    with Service(folder, folder / "batch") as service:
        yield batches(service, "the embedded log", 60)


def batches(service, log, limit):
    """A thousand plants of one owner in one batch, each time into another block."""
    key, farm = service.owner("-batch")
    field = service.post(f"{farm}/fields", key, {"name": "North", "area": 5})
    crop = service.post("/api/v1/crops", key, {"farmId": farm.rsplit("/", 1)[1], "fieldId": field["id"],
                                               "cropType": "Date palm"})
    blocks = f"{farm}/fields/{field['id']}/blocks"
    times = []
    for number in range(9):
        block = service.post(blocks, key, {"cropId": crop["id"], "name": f"B{number}"})
        path = f"{blocks}/{block['id']}/plants".removeprefix("/api")
        batch = {"requests": [{"method": "POST", "path": path, "body": {"label": f"P{plant}"}}
                              for plant in range(1_000)]}
        began = time.monotonic()
        answer = json.loads(service.ask("POST", "/api/v1/batch", key, batch)[1])
        times.append(1_000 * (time.monotonic() - began))
        if answer["meta"]["succeeded"] != 1_000:
            raise RuntimeError(f"a batch was answered {answer['meta']}")
    what = f"1,000 plants of one owner in one batch on {log}, p50 of 9"
    return Line("P10", what, statistics.median(times), limit, unit=" ms")


def p7_memory(folder):
    with Service(folder, folder / "empty") as service:
        yield Line("P7", "memory, idle", service.resident(), 60, unit=" MB")
    data, about = filled(PLANTS, CROPS)
    ready, sizes = [], []
    for _ in range(3):
        with Service(folder, data) as service:
            ready.append(service.seconds_to_ready)
            sizes.append(service.resident())
    yield Line("P7", f"memory with {about['events']:,} events", statistics.median(sizes), 300, unit=" MB")
    yield Line("P7", f"ready with {about['events']:,} events", statistics.median(ready), 1, unit=" s")


def post_times(folder, service, owners, seconds):
    """The p50 of each kind of POST, one at a time."""
    key, farm = owners[0]
    field = service.post(f"{farm}/fields", key, {"name": "North", "area": "12.5"})["id"]
    crop = service.post(f"/api/v1/crops", key, {"farmId": farm.split("/")[-1], "fieldId": field,
                                                "cropType": "Olive"})["id"]
    blocks = f"{farm}/fields/{field}/blocks"
    block = service.post(blocks, key, {"cropId": crop, "name": "Terrace"})["id"]
    bodies = {
        "farms": ("/api/v1/farms", '{"name":"Farm {number}","totalArea":"40"}'),
        "fields": (f"{farm}/fields", FIELD),
        "crops": ("/api/v1/crops", '{"farmId":"%s","fieldId":"%s","cropType":"Olive"}'
                  % (farm.split("/")[-1], field)),
        "blocks": (blocks, '{"cropId":"%s","name":"Block {number}"}' % crop),
        "plants": (f"{blocks}/{block}/plants", '{"label":"Tree","tagId":"tag {number}"}'),
    }
    return {name: Load(folder, f"post-{name}", [("POST", path, key, body)], 201)
            .run(service.address, 1, seconds)["p50"] for name, (path, body) in bodies.items()}
