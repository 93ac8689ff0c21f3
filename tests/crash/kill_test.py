#!/usr/bin/env python3
"""Kills the service at random moments under load, and finds every acknowledged write exactly once."""
import http.client
import itertools
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "http"))
from client import Client  # noqa: E402
from service import VAST, Service  # noqa: E402

ROUNDS = int(os.environ.get("TILTH_KILL_ROUNDS", "50"))
SEED = int(os.environ.get("TILTH_KILL_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 32)
WRITERS = 4
CONFIG = VAST
UNANSWERED = (OSError, http.client.HTTPException)


class Writer:
    """One user's writes, on one connection, and the outcome of each as far as the client knows."""

    def __init__(self, service, seed):
        self.random = random.Random(seed)
        self.user = service.user("vast")
        self.farm = self.user.farm()
        self.names = (f"field {number}" for number in itertools.count())
        self.acknowledged = {}  # name -> the record in the response
        self.unknown = set()    # names that were sent without a key and got no response
        self.pending = []       # (name, key) that were sent with a key and got no response
        self.removed = set()
        self.failures = []
        self.maybe_removed = set()

    def connect(self, service):
        self.client = Client(service.address, self.user.authorization)

    def create(self, name, key):
        headers = {"Idempotency-Key": key} if key else {}
        reply = self.client.post(f"/farms/{self.farm['id']}/fields", {"name": name, "area": 1}, headers)
        assert reply.status == 201, reply
        self.acknowledged[name] = reply.data

    def remove(self, name):
        field = self.acknowledged.pop(name)
        self.maybe_removed.add(name)
        reply = self.client.delete(f"/farms/{self.farm['id']}/fields/{field['id']}")
        assert reply.status == 204, reply
        self.maybe_removed.remove(name)
        self.removed.add(name)

    def write_until_killed(self, begun):
        try:
            while True:
                if self.acknowledged and self.random.random() < 0.2:
                    self.remove(self.random.choice(sorted(self.acknowledged)))
                else:
                    name = next(self.names)
                    key = str(uuid.UUID(int=self.random.getrandbits(128))) if self.random.random() < 0.5 else None
                    try:
                        self.create(name, key)
                    except UNANSWERED:
                        if key:
                            self.pending.append((name, key))
                        else:
                            self.unknown.add(name)
                        raise
                begun.release()
        except UNANSWERED:
            return
        except AssertionError as error:
            self.failures.append(error)

    def stored(self):
        """Every field by name, over all pages; a name that occurs twice is a write that was done twice."""
        found = {}
        for page in itertools.count(1):
            reply = self.client.get(f"/farms/{self.farm['id']}/fields?limit=100&page={page}&sort=name&order=asc")
            assert reply.status == 200, reply
            for field in reply.data:
                assert field["name"] not in found, f"{field['name']} was done twice"
                found[field["name"]] = field
            if not reply.data:
                assert reply.pagination["total"] == len(found)
                return found

    def check(self):
        found = self.stored()
        for name, field in self.acknowledged.items():
            assert found.get(name) == field, f"{name} was acknowledged: {field}, found {found.get(name)}"
        assert not self.removed & set(found), "a removed field is back"
        strangers = set(found) - set(self.acknowledged) - self.unknown - self.maybe_removed
        assert strangers <= {name for name, _ in self.pending}, f"never sent: {strangers}"
        # Retry with the same key: whether the write was done before or not, it is done exactly once now.
        for name, key in self.pending:
            self.create(name, key)
            if name in found:
                assert self.acknowledged[name] == found[name], "the retry returned another record"
            self.create(name, key)
        now = self.stored() if self.pending else {}
        for name, _ in self.pending:
            assert now[name] == self.acknowledged[name]
        self.pending.clear()
        self.settle(found)

    def settle(self, found):
        """Outcomes that were unknown are known from here on, and must not change again."""
        for name in self.unknown | self.maybe_removed:
            if name in found:
                self.acknowledged[name] = found[name]
            else:
                self.removed.add(name)
        self.unknown.clear()
        self.maybe_removed.clear()


def kill_within(service, seconds):
    try:
        service.child.wait(seconds)
    except subprocess.TimeoutExpired:
        service.kill()
    assert service.child.returncode == -signal.SIGKILL, f"it exited by itself:\n{service.tail()}"


def one_round(service, writers, chance):
    begun = threading.Semaphore(0)
    for writer in writers:
        writer.connect(service)
    threads = [threading.Thread(target=writer.write_until_killed, args=(begun,)) for writer in writers]
    for thread in threads:
        thread.start()
    for _ in range(chance.randint(0, 60)):
        begun.acquire(timeout=30)
    kill_within(service, chance.random() * 0.005)  # also between two responses
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    for writer in writers:
        assert not writer.failures, writer.failures
    if chance.random() < 0.2:  # a start may be killed as well
        service.launch()
        kill_within(service, chance.random())


def main():
    print(f"seed {SEED}, {ROUNDS} rounds; repeat with TILTH_KILL_SEED={SEED}", flush=True)
    chance = random.Random(SEED)
    with tempfile.TemporaryDirectory(prefix="tilth-kill-") as directory:
        service = Service(directory, config=CONFIG)
        try:
            service.start()
            writers = [Writer(service, chance.random()) for _ in range(WRITERS)]
            for number in range(1, ROUNDS + 1):
                one_round(service, writers, chance)
                service.start()
                doubtful = sum(len(writer.unknown) + len(writer.pending) for writer in writers)
                for writer in writers:
                    writer.connect(service)
                    writer.check()
                kept = sum(len(writer.acknowledged) for writer in writers)
                print(f"round {number}: {doubtful} unanswered, {kept} kept", flush=True)
            service.stop()
        finally:
            service.kill()
    print("every acknowledged write was found exactly once")


if __name__ == "__main__":
    main()
