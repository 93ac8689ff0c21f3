"""The service on Kafka against librdkafka alone, on one dedicated broker."""
import sys

from measures import FIELD, Line, batches, middle, pairs, rates, recorded_bytes
from processes import ROOT, Load, Service, bare_server, tool

sys.path.insert(0, str(ROOT / "tests" / "kafka"))
from brokers import Cluster  # noqa: E402

CONNECTIONS, EVENTS = (64, 256), 1_000_000
# The broker creates the bare client's topic.
BROKER = {"auto.create.topics.enable": "true", "num.partitions": "12"}


def kafka(folder, seconds, share):
    with Cluster(folder / "brokers", settings=BROKER) as cluster:
        brokers = cluster.addresses
        with Service(folder, folder / "on-kafka", "--log", "kafka", "--brokers", brokers) as service:
            owners = [service.owner(f"-kafka-{number}") for number in range(max(CONNECTIONS))]
            load = Load(folder, "kafka-post", [("POST", f"{farm}/fields", key, FIELD) for key, farm in owners], 201)
            record = recorded_bytes(service, *owners[0])
            bare = lambda in_flight: tool("bench_kafka_produce", brokers, "bare", in_flight, seconds, record)
            yield one_at_a_time(service, load, seconds, bare)
            yield from many_at_once(folder, service, owners, load, seconds, bare)
    # Its events are not sealed, so they go to no log in which others are.
    with Cluster(folder / "brokers-of-history", settings=BROKER) as cluster:
        yield catching_up(folder, cluster.addresses, int(EVENTS * share))


def p10_on_kafka(folder):
    with Cluster(folder / "brokers-of-batches", settings=BROKER) as cluster:
        with Service(folder, folder / "batch-on-kafka", "--log", "kafka", "--brokers", cluster.addresses) as service:
            yield batches(service, "Kafka", 150)


def one_at_a_time(service, load, seconds, bare):
    ours, alone = pairs(3, lambda: load.run(service.address, 1, seconds), lambda: bare(1))
    p50 = lambda runs: sorted(run["p50"] for run in runs)[len(runs) // 2]
    return Line("P4a", f"one POST at a time on Kafka: p50 {p50(ours):.0f} against {p50(alone):.0f} µs",
                middle(ours, alone, "p50"), 2, unit="×")


def many_at_once(folder, service, owners, load, seconds, bare):
    key, farm = owners[0]
    answer, body = service.ask("GET", farm, key)
    with bare_server(folder, answer, body) as address:
        requests = Load(folder, "kafka-bare", [("GET", farm, key, "") for key, farm in owners])
        for connections in CONNECTIONS:
            http = requests.run(address, connections, seconds)
            ours, alone = pairs(3, lambda: load.run(service.address, connections, seconds),
                                lambda: min(bare(connections), http, key=lambda run: run["perSecond"]))
            yield Line("P4b", f"POST on Kafka, {connections} connections: {rates(ours, alone)}",
                       middle(ours, alone, "perSecond"), 0.5, at_least=True)


def catching_up(folder, brokers, events):
    """Reads the log as a node does when it joins."""
    rate = tool("bench_fill_mixed", folder / "filled", events, brokers)["foldedPerSecond"]
    return Line("P4c", f"{events:,} mixed events read from Kafka into the registry, in thousands a second", rate / 1000,
                100, at_least=True, unit="k/s")
