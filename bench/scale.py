"""The constants of docs/scale.md: what an event, a request and an owner take in bytes and in processor time, which depend
less than rates on what else the machine does."""
import json
import pathlib
import secrets
import subprocess
import sys
import time
import uuid

import processes
from measures import FIELD
from processes import PLAN, ROOT, Load, Service, tool

sys.path.insert(0, str(ROOT / "tests" / "kafka"))
from brokers import Cluster  # noqa: E402

CONNECTIONS, FIELDS = 64, 20
BROKER = {"num.partitions": "12"}
MODELS = ("registry", "finance", "market", "access", "history")


class Figure:
    """A line of the table; what bench/run calls met is that it was measured."""

    def __init__(self, what, value, unit):
        self.cells, self.met = ["scale", what, f"{value:,.1f} {unit}", "–"], True


def bytes_of(folder):
    return sum(file.stat().st_size for file in pathlib.Path(folder).rglob("*") if file.is_file())


class Spent:
    """The processor time that a service spends from now on: altogether, and in its busiest thread."""

    def __init__(self, service):
        self.service = service
        self.before = self.by_thread()

    def by_thread(self):
        times = {}
        for task in pathlib.Path(f"/proc/{self.service.process.pid}/task").iterdir():
            try:
                times[task.name] = int((task / "schedstat").read_text().split()[0]) / 1e3
            except OSError:
                pass  # it has ended
        return times

    def micros(self):
        each = [spent - self.before.get(task, 0) for task, spent in self.by_thread().items()]
        return sum(each), max(each)


def disk(folder, events):
    """What a mixed history takes once it is folded and indexed."""
    about = tool("bench_fill_mixed", folder / "mixed", events)
    with Service(folder, folder / "mixed") as service:
        service.wait_until_idle()
    yield Figure("embedded log, an event", bytes_of(folder / "mixed" / "log") / about["events"], "bytes")
    for model in MODELS:
        yield Figure(f"{model}, an event", bytes_of(folder / "mixed" / "views" / model) / about["events"], "bytes")


def reads(folder, service, owners, seconds):
    one, twenty = [], []
    for key, farm in owners:
        made = [service.post(f"{farm}/fields", key, {"name": f"North {number}", "area": "12.5"}) for number in range(FIELDS)]
        one.append(("GET", f"{farm}/fields/{made[0]['id']}", key, ""))
        twenty.append(("GET", f"{farm}/fields?page=1&limit={FIELDS}", key, ""))
    for name, requests in (("GET of a field", one), (f"GET of a list of {FIELDS}", twenty)):
        answer, body = service.ask("GET", requests[0][1], requests[0][2])
        head = sum(len(f"{name}: {value}\r\n") for name, value in answer.getheaders())
        yield Figure(f"{name}, its response", head + len(body), "bytes")
        spent = Spent(service)
        run = Load(folder, "scale-get", requests).run(service.address, CONNECTIONS, seconds)
        yield Figure(f"{name}, of all processors", spent.micros()[0] / (run["perSecond"] * seconds), "µs")


def writes(folder, service, owners, seconds, other):
    """POSTs to one of two nodes: what they cost it, and what they cost the other."""
    spent, followed = Spent(service), Spent(other)
    run = Load(folder, "scale-post", [("POST", f"{farm}/fields", key, FIELD) for key, farm in owners], 201).run(
        service.address, CONNECTIONS, seconds)
    time.sleep(1)  # the other node reads the rest
    for name, costs in (("POST of a field on Kafka", spent.micros()), ("… on another node", followed.micros())):
        for part, micros in zip(("of all processors", "of the busiest thread"), costs):
            yield Figure(f"{name}, {part}", micros / (run["perSecond"] * seconds), "µs")


def on_kafka(folder, events, seconds):
    with Cluster(folder / "brokers", settings=BROKER) as cluster:
        kafka = ("--log", "kafka", "--brokers", cluster.addresses)
        with Service(folder, folder / "one", *kafka) as one, Service(folder, folder / "other", *kafka) as other:
            owners = [one.owner(f"-scale-{number}") for number in range(CONNECTIONS)]
            before = kafka_bytes(folder / "brokers")
            began = events_of(one)
            yield from writes(folder, one, owners, seconds, other)
            yield Figure("POST of a field, a copy in Kafka", (kafka_bytes(folder / "brokers") - before) / (events_of(one) - began), "bytes")
    with Cluster(folder / "more-brokers", settings=BROKER) as cluster:
        tool("bench_fill_mixed", folder / "on-kafka", events, cluster.addresses)
        yield Figure("mixed events, a copy in Kafka", kafka_bytes(folder / "more-brokers") / events, "bytes")


def events_of(service):
    log = json.loads(service.ask("GET", "/operator/v1/status", service.token)[1])["data"]["log"]
    return sum(partition["end"] for partition in log["partitions"])


def kafka_bytes(folder):
    return sum(file.stat().st_size for file in folder.rglob("tilth.events-*/*.log"))


def history_of_owners(folder, count):
    """The events of that many owners with an API key each, who have nothing else."""
    with Service(folder, folder / f"template-{count}", "--no-library") as service:
        service.owner("")
        lines = [json.loads(line) for line in service.ask("GET", "/operator/v1/events", service.token)[1].splitlines()]
    user, key = (next(json.dumps(line) for line in lines if line["type"] == f"tilth.{kind}") for kind in ("user.registered", "api_key.minted"))
    data = json.loads(key)["data"]
    with (folder / "owners.jsonl").open("w") as file:
        for version in range(2 * count):
            number = version // 2
            line = (key if version % 2 else user).replace(data["userId"], f"user_{number:021}").replace("bench@", f"bench{number}@")
            line = line.replace(data["keyId"], f"key_{number:021}").replace(data["keyDigest"], secrets.token_hex(32))
            file.write(json.dumps({**json.loads(line), "id": str(uuid.uuid4()), "streamversion": version}) + "\n")
    return folder / "owners.jsonl"


def owners(folder, count):
    """What owners with one API key each take, whatever they have."""
    held, started = [], []
    for some in (1, count):
        data = folder / f"owners-{some}"
        flags = ("--no-library", "--unsealed")  # as on Kafka, where no owner has a file
        with Service(folder, data, *flags) as service:
            file = history_of_owners(folder, some)
            subprocess.run([processes.BUILD / "tilth", "events", "import", file, "--operator", f"http://{service.operator}",
                            "--data", data], check=True, stdout=subprocess.DEVNULL)
        with Service(folder, data, *flags) as service:
            started.append(service.cpu_seconds())
            service.wait_until_idle()
            held.append(service.resident())
    yield Figure("an owner with a key, in memory", (held[1] - held[0]) * 2**20 / count, "bytes")
    yield Figure("an owner with a key, on disk", bytes_of(data / "views" / "access") / count, "bytes")
    yield Figure("an owner with a key, at the start", (started[1] - started[0]) * 1e6 / count, "µs")


def scale(folder, seconds, events=1_000_000, count=100_000):
    yield from disk(folder, events)
    with Service(folder, folder / "reads") as service:
        yield from reads(folder, service, [service.owner(f"-scale-{number}") for number in range(CONNECTIONS)], seconds)
    yield from on_kafka(folder, events, seconds)
    yield from owners(folder, count)
