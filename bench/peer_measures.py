"""The same work by Tilth and by bench/peers, in turns."""
import concurrent.futures
import hashlib
import http.client
import json
import os
import random
import secrets
import statistics

from measures import FIELD, OWNERS, pairs
from peer_processes import SOURCE, Fastify, Postgres
from processes import Load, Service

SIZES = {"fields": 100_000, "tasks": 1_000_000, "small": 100, "processes": min(8, os.cpu_count())}
QUICK = {"fields": 10_000, "tasks": 50_000}
BATCH, FILLERS = 1_000, 4  # one owner may have no more batches carried out at a time
SAMPLE = 1_000  # of the fields of the large owner
HEAD = ("| Work | Tilth: rate, p50, CPU of each | Fastify and PostgreSQL | Rate | CPU | Goal | |\n"
        "|---|---|---|---|---|---|---|")
TASK = {"category": "inspection", "assignedTo": "Hand 7"}


class Owner:
    """An owner's key, the path of their farm, and some of its fields."""

    def __init__(self, key, farm, fields=()):
        self.key, self.farm, self.fields = key, farm, list(fields)


def task(number):
    return {**TASK, "title": f"Row {number}", "priority": ("low", "medium", "high", "urgent")[number % 4],
            "status": ("pending", "pending", "in_progress", "completed", "cancelled")[number // 2 % 5],
            "dueDate": "2020-01-01" if number % 2 == 0 else "2080-01-01"}


def fill_by_batches(service, key, path, bodies):
    """Creates records through the API, some batches at a time."""
    def send(part):
        requests = [{"method": "POST", "path": path, "body": body} for body in part]
        told = json.loads(service.ask("POST", "/api/v1/batch", key, {"requests": requests})[1])
        if told["meta"]["succeeded"] != len(part):
            raise RuntimeError(f"a batch was answered {told['meta']}")

    with concurrent.futures.ThreadPoolExecutor(FILLERS) as threads:
        list(threads.map(send, (bodies[at:at + BATCH] for at in range(0, len(bodies), BATCH))))


def fill_tilth(service, sizes):
    """Returns the large owner and the small ones."""
    def filled(name, fields):
        key, farm = service.owner(name)
        body = json.loads(FIELD)
        fill_by_batches(service, key, f"{farm.removeprefix('/api')}/fields",
                        [{**body, "name": f"North {number}"} for number in range(fields)])
        count = min(fields, SAMPLE)
        pages = [json.loads(service.ask("GET", f"{farm}/fields?limit=100&page={page}", key)[1])["data"]
                 for page in range(1, (count + 99) // 100 + 1)]
        return Owner(key, farm, [field["id"] for page in pages for field in page][:count])

    large = filled("-large", sizes["fields"])
    farm = {"farmId": large.farm.rsplit("/", 1)[1]}
    fill_by_batches(service, large.key, "/v1/tasks", [{**farm, **task(number)} for number in range(sizes["tasks"])])
    return large, [filled(f"-small-{number}", sizes["small"]) for number in range(OWNERS)]


def fill_postgres(postgres, schema, sizes):
    """The same records by SQL, then what autovacuum would do some minutes later."""
    postgres.sql(schema)

    def filled(name, fields):
        key = "svc_live_" + secrets.token_hex(24)
        hashed = hashlib.sha256(key.encode()).hexdigest()
        [[farm]] = postgres.sql(
            f"with o as (insert into owners (email) values ('{name}@example.com') returning id), "
            f"k as (insert into api_keys (hash, owner_id, scopes) select '\\x{hashed}', id, '{{all}}' from o) "
            "insert into farms (owner_id, name) select id, 'Home' from o returning id;")
        body = json.loads(FIELD)
        rows = postgres.sql(
            "with f as (insert into fields (farm_id, name, area, soil_type, notes, created_at) "
            f"select '{farm}', 'North ' || n, {body['area']}, '{body['soilType']}', '{body['notes']}', "
            f"now() + n * interval '1 ms' from generate_series(1, {fields}) n returning id, created_at) "
            f"select id from f order by created_at desc limit {SAMPLE};")
        return Owner(key, f"/api/v1/farms/{farm}", [row[0] for row in rows])

    large = filled("large", sizes["fields"])
    postgres.sql(
        "insert into tasks (owner_id, farm_id, created_by, title, priority, status, category, assigned_to, due_date, "
        "created_at) select owner_id, id, owner_id, 'Row ' || n, (array['low', 'medium', 'high', 'urgent'])[n % 4 + 1], "
        "(array['pending', 'pending', 'in_progress', 'completed', 'cancelled'])[n / 2 % 5 + 1], "
        f"'{TASK['category']}', '{TASK['assignedTo']}', "
        "case n % 2 when 0 then '2020-01-01Z' else '2080-01-01Z' end::timestamptz, now() + n * interval '1 ms' "
        f"from farms, generate_series(0, {sizes['tasks'] - 1}) n where id = '{large.farm.rsplit('/', 1)[1]}'")
    small = [filled(f"small-{number}", sizes["small"]) for number in range(OWNERS)]
    postgres.sql("vacuum analyze")
    return large, small


def works(large, small):
    """Each kind of work: its name, its requests, the connections, and the goal. A line is one connection's."""
    choose = random.Random(7)

    def get(owner):
        return "GET", f"{owner.farm}/fields/{choose.choice(owner.fields)}", owner.key, "", "200"

    def create(owner):
        return "POST", f"{owner.farm}/fields", owner.key, FIELD, "201"

    def in_turns(requests_of):
        """The lines of connection c are c, c + 64, …"""
        return [request for row in zip(*(requests_of(number, owner) for number, owner in enumerate(small)))
                for request in row]

    def mixed(number, owner):
        """The connections create at different times."""
        return [create(owner) if at % 10 == number % 10 else get(owner if at % 2 else large) for at in range(40)]

    yield "create a field, 64 connections", in_turns(lambda _, owner: [create(owner)]), OWNERS, 3
    yield ("get a field, 64 connections",
           in_turns(lambda _, owner: [get(owner if at % 2 else large) for at in range(40)]), OWNERS, None)
    page = "GET", "/api/v1/tasks?page=1&limit=20", large.key, "", "200"
    yield "tasks, page 1 of 20, with total, 8 connections", [page] * 8, 8, None
    yield "90 % get, 10 % create, 64 connections", in_turns(mixed), OWNERS, None


def asked(address, method, path, key, body=""):
    connection = http.client.HTTPConnection(address, timeout=300)
    connection.request(method, path, body or None, {"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
    response = connection.getresponse()
    text = response.read()
    if response.status >= 300:
        raise RuntimeError(f"{method} {path}: {response.status} {text.decode()}")
    return json.loads(text)


def compare_responses(tilth, peer, tilth_owner, peer_owner, tasks):
    """Both must answer the same members with the same values, but for ids and times."""
    own = {"id", "farmId", "createdAt", "updatedAt", "createdBy"}
    plain = lambda record: {name: "its own" if name in own else value for name, value in record.items()}
    told = []
    for service, owner in ((tilth, tilth_owner), (peer, peer_owner)):
        created = asked(service.address, "POST", f"{owner.farm}/fields", owner.key, FIELD)["data"]
        read = asked(service.address, "GET", f"{owner.farm}/fields/{created['id']}", owner.key)["data"]
        if created != read:
            raise RuntimeError(f"A field was created as {created} and read as {read}")
        page = asked(service.address, "GET", "/api/v1/tasks?page=1&limit=20", owner.key)
        if page["pagination"]["total"] != tasks or len(page["data"]) != min(tasks, 20):
            raise RuntimeError(f"A list of {tasks} tasks was answered {page['pagination']}")
        # Batches that are sent at once make the order of the tasks another each time.
        told.append((list(plain(read).items()), list(page["data"][0]), page["pagination"]))
    if told[0] != told[1]:
        raise RuntimeError(f"The responses differ: {told[0]} and {told[1]}")


def measured(service, load, connections, seconds):
    before = service.cpu_seconds()
    run = load.run(service.address, connections, seconds)
    run["cpu"] = 1e6 * (service.cpu_seconds() - before) / run["responses"]
    return run


def shown(runs):
    rate, p50, cpu = (statistics.median(run[key] for run in runs) for key in ("perSecond", "p50", "cpu"))
    return f"{rate:,.0f}/s, {p50 / 1000:.2f} ms, {cpu:,.0f} µs"


def peers(folder, quick, given, seconds):
    """Prints the table; yields the names of the kinds of work that could not be measured."""
    sizes = {**SIZES, **(QUICK if quick else {}), **given}
    schema = (SOURCE / "schema.sql").read_text()
    with Postgres() as postgres, Service(folder, folder / "tilth") as tilth:
        tilth_owners = fill_tilth(tilth, sizes)
        peer_owners = fill_postgres(postgres, schema, sizes)
        tilth.wait_until_idle()
        with Fastify(postgres, sizes["processes"]) as peer:
            compare_responses(tilth, peer, tilth_owners[0], peer_owners[0], sizes["tasks"])
            print(f"One large owner with {sizes['fields']:,} fields and {sizes['tasks']:,} tasks, {OWNERS} small ones "
                  f"with {sizes['small']:,} fields each; {sizes['processes']} Node.js processes\n\n{HEAD}", flush=True)
            for number, (ours, theirs) in enumerate(zip(works(*tilth_owners), works(*peer_owners))):
                what, requests, connections, goal = ours
                try:
                    loads = [Load(folder, f"peers-{number}-{name}", lines)
                             for name, lines in (("tilth", requests), ("peer", theirs[1]))]
                    for service, load in zip((tilth, peer), loads):  # V8 compiles, the caches fill
                        load.run(service.address, connections, seconds)
                    runs, peer_runs = pairs(3, lambda: measured(tilth, loads[0], connections, seconds),
                                            lambda: measured(peer, loads[1], connections, seconds))
                except Exception as error:
                    print(f"| {what} | could not be measured: {error} |" + " |" * 5, flush=True)
                    yield what
                    continue
                ratio, cpu = (statistics.median(one[key] / other[key] for one, other in zip(runs, peer_runs))
                              for key in ("perSecond", "cpu"))
                judged = f"≥ {goal}× | {'met' if ratio >= goal else '**missed**'}" if goal else "|"
                print(f"| {what} | {shown(runs)} | {shown(peer_runs)} | {ratio:.2f}× | {cpu:.2f}× | {judged} |",
                      flush=True)
