#!/usr/bin/env python3
"""Clients write to three nodes on three brokers, while nodes are killed and paused, brokers are killed, paused and
restarted, and with TILTH_LEDGER_DISKS=1 disks are full. Every acknowledged write is there exactly once, and all nodes agree.

With --divided each owner is on two of the nodes, which are drained and cut off from one another, too."""
import contextlib
import os
import pathlib
import random
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "http")]
import service  # noqa: E402
from brokers import Cluster, Unavailable, free_ports, skip_or_fail  # noqa: E402
from cut_wire import CutWire  # noqa: E402
from full_disk import full_disk  # noqa: E402
from ledger import Writer, check_history  # noqa: E402

SECONDS = float(os.environ.get("TILTH_LEDGER_SECONDS", "40"))
SEED = int(os.environ.get("TILTH_LEDGER_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 32)
WRITERS = int(os.environ.get("TILTH_LEDGER_WRITERS", "6"))
DIVIDED = "--divided" in sys.argv
FULL_DISKS = os.environ.get("TILTH_LEDGER_DISKS") == "1"


def kill_node(nodes, _, chance):
    node = chance.choice(nodes)
    node.kill()
    time.sleep(chance.random())
    node.start()


def pause_node(nodes, _, chance):
    child = chance.choice(nodes).child
    child.send_signal(19)
    time.sleep(0.5 + 4 * chance.random())
    child.send_signal(18)


def kill_broker(_, cluster, chance):
    broker = chance.choice(cluster.brokers)
    broker.kill()
    time.sleep(2 * chance.random())
    broker.start()


def restart_broker(_, cluster, chance):
    chance.choice(cluster.brokers).restart()


def pause_broker(_, cluster, chance):
    broker = chance.choice(cluster.brokers)
    broker.pause()
    time.sleep(0.5 + 6 * chance.random())
    broker.resume()


def fill_disk_of_node(nodes, _, chance):
    """Its rows cannot be written. It goes on by itself once they can."""
    node = chance.choice(nodes)
    with full_disk(node.child.pid):
        time.sleep(0.5 + 5 * chance.random())
    assert node.child.poll() is None, f"it ended:\n{node.tail()}"


def start_node_on_full_disk(nodes, _, chance):
    """Whether it waits or ends, it starts once there is space."""
    node = chance.choice(nodes)
    node.kill()
    node.launch()
    with full_disk(node.child.pid):
        time.sleep(0.5 + 4 * chance.random())
    node.kill()
    node.start()


def fill_disk_of_broker(_, cluster, chance):
    """A broker whose only disk fails ends."""
    broker = chance.choice(cluster.brokers)
    with full_disk(broker.child.pid):
        time.sleep(0.5 + 5 * chance.random())
    broker.kill()
    broker.start()


def drain_node(nodes, _, chance):
    """Others take what it holds, for as long as it takes; then it begins again."""
    node = chance.choice(nodes)
    with contextlib.suppress(OSError):
        node.operator.send("POST", f"/operator/v1/nodes/{node.id}/drain")
    time.sleep(4 + 4 * chance.random())
    node.kill()
    node.start()


def cut_node(nodes, _, chance):
    """Nothing reaches its port for other nodes, which only silence tells them."""
    with chance.choice(nodes).wire.cut():
        time.sleep(0.5 + 5 * chance.random())


TROUBLES = [kill_node, pause_node, kill_broker, restart_broker, pause_broker]
if FULL_DISKS:
    TROUBLES += [fill_disk_of_node, start_node_on_full_disk, fill_disk_of_broker]
if DIVIDED:
    TROUBLES += [drain_node, cut_node, cut_node]


def main():
    print(f"seed {SEED}, {SECONDS} s; repeat with TILTH_LEDGER_SEED={SEED}", flush=True)
    chance = random.Random(SEED)
    with tempfile.TemporaryDirectory(prefix="tilth-ledger-") as directory:
        directory = pathlib.Path(directory)
        try:
            cluster = Cluster(directory, 3)
        except Unavailable as why:
            skip_or_fail(why)
        with cluster:
            service.BROKERS = cluster.addresses
            nodes = []
            with contextlib.ExitStack() as wires:
                try:
                    run(directory, cluster, nodes, chance, wires)
                finally:
                    for node in nodes:
                        node.kill()


def begin_node(directory, nodes, wires):
    directory.mkdir()
    config, wire = service.VAST, None
    if DIVIDED:
        port, = free_ports(1)
        wire = wires.enter_context(CutWire(port))
        config += f'[cluster]\ncopies = 2\nlisten = "127.0.0.1:{port}"\nadvertise = "{wire.address}"\n'
    node = service.Service(directory, config=config, clock=None, topic=nodes[0].topic if nodes else None)
    nodes.append(node)
    node.start()
    node.wire, node.id = wire, node.operate("GET", "/operator/v1/status").data["node"]


def run(directory, cluster, nodes, chance, wires):
    for name in ("one", "two", "three"):
        begin_node(directory / name, nodes, wires)
    writers = [Writer(nodes, chance.random(), number) for number in range(WRITERS)]
    stopping = threading.Event()
    try:
        for writer in writers:
            writer.start(stopping)
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            time.sleep(2 * chance.random())
            trouble = chance.choice(TROUBLES)
            print(f"{SECONDS - (until - time.monotonic()):5.1f} s: {trouble.__name__}", flush=True)
            trouble(nodes, cluster, chance)
    finally:
        stopping.set()
        for writer in writers:
            writer.thread.join(120)
    for writer in writers:
        assert not writer.thread.is_alive() and not writer.failures, writer.failures
    for writer in writers:
        writer.resolve()
    for writer in writers:
        wait_until_answering(writer)
        writer.check()
    events = check_history(nodes)
    for node in nodes:
        verify(node)
    for node in nodes:
        node.stop()
    answers = {}
    for writer in writers:
        for status, count in writer.answers.items():
            answers[status] = answers.get(status, 0) + count
    kept = sum(len(writer.acknowledged) for writer in writers)
    print(f"{events} events, {kept} fields kept, answers {answers}: every acknowledged write is there once")


def verify(node):
    """The node's rows equal those folded from the log, row for row. While some move to another node, it says so."""
    node.operator.connection().settimeout(180 + SECONDS)  # it folds all that was written meanwhile, several times
    deadline = time.monotonic() + 180
    while (reply := node.operator.send("POST", "/operator/v1/projections/all/verify")).status == 503:
        assert reply.header("Retry-After") and time.monotonic() < deadline, reply
        time.sleep(1)
    assert reply.status == 200, reply
    for row in reply.data:
        assert row["differences"] == [], row


def wait_until_answering(writer):
    """A node that was in trouble a moment ago returns 503 until it has recovered."""
    deadline = time.monotonic() + 60
    for node in writer.nodes:
        while True:
            client = service.Client(node.address, writer.authorization)
            if client.get("/farms").status == 200:
                break
            assert time.monotonic() < deadline, f"it does not recover:\n{node.tail()}"
            time.sleep(0.2)


if __name__ == "__main__":
    main()
