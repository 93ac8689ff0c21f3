#!/usr/bin/env python3
"""Kills the service at random moments while projections are rebuilt under load, and checks that the rows are the
same, byte for byte, as those of a projection that never stopped."""
import os
import pathlib
import random
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "http"))
from kill_test import CONFIG, UNANSWERED, Writer, kill_within  # noqa: E402
from service import DEADLINE, Service  # noqa: E402

ROUNDS = int(os.environ.get("TILTH_KILL_ROUNDS", "25"))
SEED = int(os.environ.get("TILTH_KILL_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 32)
WRITERS = 2
PROJECTIONS = ("access", "registry")


def standing(service):
    rows = service.operate("GET", "/operator/v1/status").data["projections"]
    return {row["name"]: row for row in rows}


def order(service, name, what, *statuses):
    reply = service.operator.send("POST", f"/operator/v1/projections/{name}/{what}")
    assert reply.status in statuses, reply
    return reply


def give_orders(service, chance, until):
    """Sends operator commands at random, without a pause, until the service is gone."""
    try:
        while not until.is_set():
            name = chance.choice(PROJECTIONS)
            what = chance.choice(["rebuild", "rebuild", "rebuild?switch=manual", "switch", "switch?to=previous", "pause",
                                  "resume", "release"])
            building = standing(service)[name]["building"]
            if what == "pause" and not (building and building["state"] == "running"):
                continue  # unless a generation waits for its switch, this would pause the projection and its writers
            order(service, name, what, 200, 202, 409)
            if chance.random() < 0.2:
                assert order(service, name, "verify", 200, 409).json.get("data", {}).get("differences", []) == []
    except UNANSWERED:
        pass


def let_finish(service):
    """Rebuilds continue by themselves after the start; generations that wait for their switch are switched to."""
    deadline = time.monotonic() + DEADLINE
    for name in PROJECTIONS:
        order(service, name, "resume", 200)
        while building := (row := standing(service)[name])["building"]:
            assert time.monotonic() < deadline, row
            assert building["state"] != "faulted", row
            if building["state"] == "running":
                order(service, name, "switch", 200, 409)
            time.sleep(0.01)
        assert row["state"] in ("running", "catching_up") and row["reason"] is None, row


def one_round(service, writers, chance):
    begun, over, failures = threading.Semaphore(0), threading.Event(), []

    def orders():
        try:
            give_orders(service, chance, over)
        except AssertionError as error:
            failures.append(error)

    for writer in writers:
        writer.connect(service)
    threads = [threading.Thread(target=writer.write_until_killed, args=(begun,)) for writer in writers]
    threads.append(threading.Thread(target=orders))
    for thread in threads:
        thread.start()
    for _ in range(chance.randint(0, 40)):
        begun.acquire(timeout=30)
    kill_within(service, chance.random() * 0.3)
    over.set()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert not failures, failures
    service.start()
    generations = {name: row["generation"] for name, row in standing(service).items()}
    for writer in writers:
        assert not writer.failures, writer.failures
        writer.connect(service)
        writer.check()
    let_finish(service)
    for name in PROJECTIONS:
        verified = order(service, name, "verify", 200).data
        assert verified["differences"] == [] and verified["rows"] > 0, verified
    return generations


def main():
    print(f"TILTH_KILL_SEED={SEED} TILTH_KILL_ROUNDS={ROUNDS}", flush=True)
    chance = random.Random(SEED)
    with tempfile.TemporaryDirectory() as directory:
        service = Service(directory, config=CONFIG, clock=None)
        try:
            service.start()
            writers = [Writer(service, chance.random()) for _ in range(WRITERS)]
            for number in range(ROUNDS):
                generations = one_round(service, writers, chance)
                print(f"round {number + 1}: {generations}", flush=True)
            service.stop()
        finally:
            service.kill()


if __name__ == "__main__":
    main()
