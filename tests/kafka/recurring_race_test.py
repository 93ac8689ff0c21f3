#!/usr/bin/env python3
"""Three nodes with clocks create due tasks at the same time, while some of them are killed, and each occurrence
gets exactly one task. Needs brokers: see with_brokers.py."""
import os
import pathlib
import random
import sys
import tempfile
import threading
import time
from datetime import datetime, timedelta

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "crash"), str(HERE.parent / "http")]
from kill_test import UNANSWERED, kill_within  # noqa: E402
from recurring_kill_test import check, tasks_of  # noqa: E402
from service import DEADLINE, VAST, Service  # noqa: E402

ROUNDS = int(os.environ.get("TILTH_KILL_ROUNDS", "8"))
SEED = int(os.environ.get("TILTH_KILL_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 32)
OWNERS, RULES, DAYS = 3, 10, 4


def instant(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def move(node, to):
    """Moves the node's clock; returns whether the node reports that everything due by then is processed."""
    try:
        reply = node.operator.send("POST", "/operator/v1/clock", {"now": to})
    except UNANSWERED:
        return False
    assert reply.status in (200, 503), reply
    return reply.status == 200


def settle(node, to):
    deadline = time.monotonic() + DEADLINE
    while not move(node, to):
        assert time.monotonic() < deadline, node.tail()


def race(nodes, to, chance):
    """Moves the clocks of all nodes at once; some nodes are killed meanwhile, and restarted."""
    told = [threading.Thread(target=move, args=(node, to)) for node in nodes]
    for each in told:
        each.start()
    dying = chance.sample(nodes, chance.choice([0, 1, 1, 2]))
    for node in dying:
        kill_within(node, chance.random() * 0.2)
    for each in told:
        each.join()
    for node in dying:
        node.start()


def run(nodes, chance):
    owners = [nodes[0].user("vast") for _ in range(OWNERS)]
    begin = instant(nodes[0].now())
    rules = []
    for owner in owners:
        farm, template = owner.farm(), owner.template()
        rules.append([owner.rule(farm, template, pattern="daily", startDate=nodes[0].now(),
                                 generateDaysBefore=chance.choice([0, 2])) for _ in range(RULES)])
    for number in range(1, ROUNDS + 1):
        now = begin + timedelta(days=DAYS * number)
        race(nodes, to := now.strftime("%Y-%m-%dT%H:%M:%SZ"), chance)
        for node in nodes:
            settle(node, to)
        for node in nodes:
            made = sum(check(tasks_of(node.client_of(owner)), of_owner, begin, now)
                       for owner, of_owner in zip(owners, rules))
        print(f"round {number}: {made} tasks by {now}", flush=True)


def main():
    print(f"seed {SEED}, {ROUNDS} rounds; repeat with TILTH_KILL_SEED={SEED}", flush=True)
    nodes = []
    with tempfile.TemporaryDirectory(prefix="tilth-race-") as directory:
        try:
            for name in ("one", "two", "three"):
                path = pathlib.Path(directory) / name
                path.mkdir()
                topic = nodes[0].topic if nodes else None
                nodes.append(Service(path, config=VAST, topic=topic).start())
            run(nodes, random.Random(SEED))
            for node in nodes:
                node.stop()
        finally:
            for node in nodes:
                node.kill()
    print("every occurrence has exactly one task, on every node")


if __name__ == "__main__":
    main()
