"""P9: nodes that hold a part of the land each, against one that holds everything. Three nodes, one broker, this machine."""
import concurrent.futures
import http.client
import json
import statistics
import sys
import threading
import time

from measures import Line
from processes import PLAN, ROOT, Load, Service, tool

sys.path.insert(0, str(ROOT / "tests" / "kafka"))
from brokers import Cluster  # noqa: E402

PARTITIONS, CONNECTIONS = 12, 64
EVENTS = 1_000_000  # of fewer, cells are folded page by page, and one with everything is filled in bulk
# The broker creates the topic of bench_fill_mixed.
BROKER = {"num.partitions": str(PARTITIONS)}


def divided(copies):
    return f'{PLAN}\n[cluster]\ncopies = {copies}\nlisten = "127.0.0.1:0"\n'


class Node(Service):
    """A node on Kafka; with `copies` it holds a part."""

    def __init__(self, folder, name, brokers, topic, copies=0):
        (folder / name).mkdir()
        super().__init__(folder / name, folder / name / "data", "--log", "kafka", "--brokers", brokers, "--topic", topic,
                         "--no-library", config=divided(copies) if copies else PLAN)
        self.data = folder / name / "data"

    def operate(self, path):
        return json.loads(self.ask("GET", f"/operator/v1/{path}", self.token)[1])["data"]

    def rows(self):
        """Bytes of the read models of the land."""
        files = (file for part in ("registry*", "finance*") for file in (self.data / "views").glob(f"{part}/**/*"))
        return sum(file.stat().st_size for file in files if file.is_file())

    def holds(self, user):
        try:
            return bool(self.operate(f"users/{user}/usage"))
        except RuntimeError as refused:
            if " 409 " in str(refused):
                return False
            raise

    def moving(self):
        connection = http.client.HTTPConnection(self.operator, timeout=30)
        connection.request("GET", "/metrics")
        lines = connection.getresponse().read().decode().splitlines()
        return any(line.startswith("tilth_cells_moving ") and not line.endswith(" 0") for line in lines)


def wait_until_settled(nodes, copies):
    """Each partition has as many holders as it should have, and no node holds more."""
    while True:
        held = [one["partition"] for each in nodes[0].operate("nodes")
                if each["state"] == "live" and each["ready"] for one in each["partitions"]]
        if all(held.count(partition) == copies for partition in range(PARTITIONS)) and not any(
                node.moving() for node in nodes):
            return
        time.sleep(0.2)


def together(*begin):
    """Begins nodes at the same time, so that none takes the part of another."""
    with concurrent.futures.ThreadPoolExecutor(len(begin)) as pool:
        return [done.result() for done in [pool.submit(each) for each in begin]]


def p9a_share(folder, brokers, events):
    """Bytes of rows, and CPU until a node with nothing has read the whole history."""
    tool("bench_fill_mixed", folder / "filled", events, brokers)
    with Node(folder, "whole", brokers, "tilth.events") as whole:
        whole.wait_until_idle()
        rows, spent = whole.rows(), whole.cpu_seconds()
    nodes = together(*(lambda name=name: Node(folder, name, brokers, "tilth.events", 1) for name in ("a", "b", "c")))
    try:
        for node in nodes:
            node.wait_until_idle()
        yield Line("P9a", f"rows on disk of {events:,} events, the largest of 3 nodes with 1 copy against one with all "
                          f"({rows / 1e6:.0f} MB)", max(node.rows() for node in nodes) / rows, 0.40)
        yield Line("P9a", f"CPU to follow them, the same (against {spent:.1f} s)",
                   max(node.cpu_seconds() for node in nodes) / spent, 0.40)
    finally:
        for node in nodes:
            node.stop(60)


def owners_of(node, count):
    """Key, farm and user of new owners."""
    owners = []
    for number in range(count):
        email = f"bench-p9-{node.address}-{number}@example.com"
        user = node.post("/operator/v1/users", node.token, {"email": email, "plan": "bench"})
        key = node.post(f"/operator/v1/users/{user['id']}/api-keys", node.token, {"name": "Bench", "scopes": ["all"]})["key"]
        farm = node.post("/api/v1/farms", key, {"name": "Home", "totalArea": "40"})
        owners.append((key, f"/api/v1/farms/{farm['id']}", user["id"]))
    return owners


def p9b_forwarded(folder, nodes, owners, seconds):
    """A GET through a node that has not its owner, against one that has."""
    asked = nodes[0]
    here = [owner for owner in owners if asked.holds(owner[2])]
    elsewhere = [owner for owner in owners if not asked.holds(owner[2])]
    fields = {}
    for name, some in (("here", here), ("elsewhere", elsewhere)):
        requests = []
        for key, farm, _ in some:
            field = asked.post(f"{farm}/fields", key, {"name": f"Of {name}", "area": "1"})
            requests.append(("GET", f"{farm}/fields/{field['id']}", key, ""))
        fields[name] = Load(folder, f"p9b-{name}", requests * (CONNECTIONS // len(requests) + 1))

    def cpu():
        return sum(node.cpu_seconds() for node in nodes)

    def run(name, connections):
        before = cpu()
        done = fields[name].run(asked.address, connections, seconds)
        return done["p50"], (cpu() - before) / (done["perSecond"] * seconds)
    slower, dearer = [], []
    for _ in range(3):
        local, passed = run("here", 1), run("elsewhere", 1)
        slower.append(passed[0] - local[0])
        local, passed = run("here", CONNECTIONS), run("elsewhere", CONNECTIONS)
        dearer.append((passed[1] / local[1], passed[1], local[1]))
    ratio, passed, local = sorted(dearer)[1]
    yield Line("P9b", "GET of a field that is forwarded, 1 connection: p50 more than of one that is not", statistics.median(slower), 150,
               unit=" µs")
    yield Line("P9b", f"its CPU of all nodes, {CONNECTIONS} connections: {1e6 * passed:.0f} against {1e6 * local:.0f} µs", ratio, 2.2)


KINDS = 60  # of crops, in each answer


def offer(node, owners):
    """Each owner has seen what each crop costs."""
    day = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 86_400))
    for number, (key, farm, _) in enumerate(owners):
        node.ask("PUT", farm, key, {"country": "Japan"})
        for kind in range(KINDS):
            node.post("/api/v1/market/price-reports", key, {
                "farmId": farm.rsplit("/", 1)[1], "cropName": f"Kind {kind}", "price": number + kind + 1,
                "unit": "per_ton", "currency": "JPY", "observedOn": day})


def p9e_prices(folder, brokers, nodes, owners, seconds):
    """Regional prices of a country whose farms are on all nodes, against one node with all of them."""
    prices = "/api/v1/market/regional-prices?country=Japan"
    with Node(folder, "alone", brokers, "p9e.events") as alone:
        of_alone = owners_of(alone, len(owners))
        loads = []
        for name, node, some in (("alone", alone, of_alone), ("spread", nodes[0], owners)):
            offer(node, some)
            shown = json.loads(node.ask("GET", prices, some[0][0])[1])["data"]
            if len(shown) != KINDS or {row["sampleSize"] for row in shown} != {len(some)}:
                raise RuntimeError(f"{prices} of {name} tells of other farms: {shown[:2]}")
            loads.append((Load(folder, f"p9e-{name}", [("GET", prices, some[0][0], "")]), node.address))
        runs = [[load.run(address, 1, seconds)["p50"] for load, address in loads] for _ in range(3)]
    one, spread = (statistics.median(times) for times in zip(*runs))
    yield Line("P9e", f"regional prices of farms on 3 nodes, 1 connection: p50 {spread:.0f} against {one:.0f} µs of one node",
               spread / one, 3, unit="×")


class Writers:
    """Owners who post fields through nodes in turn; notes each answer with its time."""

    def __init__(self, nodes, owners):
        self.addresses, self.owners, self.answers, self.ended = [node.address for node in nodes], owners, [], threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(number,)) for number in range(len(owners))]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join()

    def run(self, number):
        key, farm, _ = self.owners[number]
        count = 0
        while not self.ended.is_set():
            count += 1
            address = self.addresses[count % len(self.addresses)]
            connection = http.client.HTTPConnection(address, timeout=30)
            try:
                connection.request("POST", f"{farm}/fields", json.dumps({"name": f"W{number}-{count}", "area": 1}),
                                   {"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
                answer = connection.getresponse()
                answer.read()
                said = answer.status if answer.status != 503 or answer.getheader("Retry-After") else "503 without Retry-After"
            except OSError:
                said = "none"
            finally:
                connection.close()
            self.answers.append((time.monotonic(), number, said))

    def since(self, when):
        return [each for each in self.answers if each[0] >= when]


def p9c_death(nodes, owners):
    """A node is killed under load: until each owner has been answered again through those that live."""
    with Writers(nodes[:2], owners) as writers:
        time.sleep(2)
        began = time.monotonic()
        nodes[2].process.kill()
        while {number for _, number, said in writers.since(began + 0.5) if said == 201} != set(range(len(owners))):
            time.sleep(0.01)
        time.sleep(5)
        last_refused = max((when for when, _, said in writers.since(began) if said != 201), default=began)
    wrong = {said for _, _, said in writers.answers} - {201, 503}
    yield Line("P9c", f"a node of 3 is killed, 2 copies: until no owner is refused (wrong: {wrong or 'none'})",
               last_refused - began, 5, unit=" s")


def p9d_join(folder, brokers, topic, nodes, owners):
    with Writers(nodes, owners) as writers:
        time.sleep(1)
        began = time.monotonic()
        fourth = Node(folder, "fourth", brokers, topic, 2)
        wait_until_settled([*nodes, fourth], 2)
        answers = writers.since(began)
    refused = [said for _, _, said in answers if said != 201]
    yield Line("P9d", f"a fourth node joins under load: requests refused of {len(answers):,} (other than 503 with Retry-After: "
                      f"{sum(said != 503 for said in refused)})", 100 * len(refused) / len(answers), 1, unit=" %")
    nodes.append(fourth)


def p9(folder, seconds):
    with Cluster(folder / "brokers", settings=BROKER) as cluster:
        brokers = cluster.addresses
        yield from p9a_share(folder, brokers, EVENTS)
        nodes = together(*(lambda name=name: Node(folder, name, brokers, "p9.events", 1) for name in ("one", "two", "three")))
        try:
            wait_until_settled(nodes, 1)
            owners = owners_of(nodes[0], 24)
            yield from p9b_forwarded(folder, nodes, owners, seconds)
            yield from p9e_prices(folder, brokers, nodes, owners, seconds)
        finally:
            for node in nodes:
                node.stop(60)
        nodes = together(*(lambda name=name: Node(folder, name, brokers, "p9cd.events", 2) for name in ("x", "y", "z")))
        try:
            wait_until_settled(nodes, 2)
            owners = owners_of(nodes[0], 8)
            yield from p9c_death(nodes, owners)
            nodes[2].process.wait()
            nodes[2] = Node(folder, "instead", brokers, "p9cd.events", 2)
            wait_until_settled(nodes, 2)
            yield from p9d_join(folder, brokers, "p9cd.events", nodes, owners)
        finally:
            for node in nodes:
                node.process.kill()
                node.process.wait()
