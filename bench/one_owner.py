"""What one owner with much land gets: changes over many connections, an import of tasks, and the removal of a farm."""
import json
import statistics
import time

from innocent import Running
from isolation import Innocent
from measures import FIELD, OWNERS, Line, middle, pairs, rates
from peer_measures import measured
from processes import Load, Service, tool

TASK = '{"farmId":"%s","title":"Prune row {number}","category":"maintenance","dueDate":"2026-12-01T08:00:00Z"}'
FOLDED = 100_000
READERS = 8  # connections
BEFORE, DURING = 10, 20  # seconds of another owner's changes


def one_owner(folder, seconds, tasks):
    with Service(folder, folder / "one-owner") as service:
        yield changes_of_one(folder, service, seconds)
        key, farm = service.owner("-large")
        yield from imported(folder, service, key, farm, tasks, seconds)
        yield page_beside_field(folder, service, key, farm, seconds)
        yield from removed(service, key, farm)
    rate = tool("bench_fill", folder / "folded", 0, 1, FOLDED, 0)["foldedPerSecond"]
    yield Line("owner", f"{FOLDED:,} tasks of one owner, folded live: events/s", rate, 60_000, at_least=True)


def changes_of_one(folder, service, seconds):
    requests = [("POST", f"{farm}/fields", key, FIELD)
                for key, farm in (service.owner(f"-small-{number}") for number in range(OWNERS))]
    one, many = Load(folder, "one", requests[:1] * OWNERS, 201), Load(folder, "many", requests, 201)
    ours, theirs = pairs(3, lambda: one.run(service.address, OWNERS, seconds),
                         lambda: many.run(service.address, OWNERS, seconds))
    return Line("owner", f"POST fields, 64 connections, of one owner against 64: {rates(ours, theirs)}",
                middle(ours, theirs, "perSecond"), 0.5, at_least=True)


def imported(folder, service, key, farm, tasks, seconds):
    """Tasks of one owner through the API, in parts, each followed by a list."""
    load = Load(folder, "tasks", [("POST", "/api/v1/tasks", key, TASK % farm.rsplit("/", 1)[1])] * OWNERS, 201)
    took, made, cpu, first_lists = 0, 0, [], []
    while made < tasks:
        used, began = service.cpu_seconds(), time.monotonic()
        load.run(service.address, OWNERS, seconds)
        ended = time.monotonic()
        took += ended - began
        before, made = made, json.loads(service.ask("GET", "/api/v1/tasks?limit=20", key)[1])["pagination"]["total"]
        first_lists.append((time.monotonic() - ended) * 1000)
        cpu.append((service.cpu_seconds() - used) / (made - before) * 1e6)
    yield Line("owner", f"{made:,} tasks of one owner through the API, 64 connections: {made / took:,.0f}/s; "
                        "1,000,000 of them at this rate", 1e6 / made * took / 60, 3, unit=" min")
    yield Line("owner", f"… CPU of the last {made - before:,} against the first: {cpu[-1]:.0f} against {cpu[0]:.0f} µs",
               cpu[-1] / cpu[0], 1.5, unit="×")
    yield Line("owner", f"… the first list after {made // len(cpu):,} of them, p50", statistics.median(first_lists), 30,
               unit=" ms")


def page_beside_field(folder, service, key, farm, seconds):
    field = service.post(f"{farm}/fields", key, {"name": "North", "area": "12.5"})["id"]
    cpu = []
    for name, path in (("page", "/api/v1/tasks?limit=20"), ("field", f"{farm}/fields/{field}")):
        load = Load(folder, name, [("GET", path, key, "")] * READERS)
        cpu.append(measured(service, load, READERS, seconds)["cpu"])
    page, field = cpu
    return Line("owner", f"CPU of a page of 20 of its tasks against a GET of a field: {page:.0f} against {field:.0f} µs",
                page / field, 4, unit="×")


def removed(service, key, farm):
    """The farm with all its tasks, while another owner changes a field at a fixed rate."""
    puts = Innocent(service).usual()["PUT"]
    quiet = Running(puts.send, service.address, BEFORE).result()
    used = service.cpu_seconds()
    meanwhile = Running(puts.send, service.address, DURING)
    service.ask("DELETE", farm, key)
    busy = meanwhile.result()
    service.wait_until_idle()
    yield Line("owner", "… CPU to remove their farm", service.cpu_seconds() - used, 10, unit=" s")
    before, during = quiet.percentile(99) * 1000, busy.percentile(99) * 1000
    yield Line("owner", f"… p99 of another owner's PUT meanwhile: {during:.1f} against {before:.1f} ms before",
               during / before, 5, unit="×")
