#!/usr/bin/env python3
"""Kills the service at random moments while it creates tasks that fell due, and checks that there is one task
for each occurrence: none twice, none missing."""
import os
import pathlib
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from datetime import datetime, timedelta

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "http"))
from kill_test import CONFIG, UNANSWERED, kill_within  # noqa: E402
from service import DEADLINE, Service  # noqa: E402

ROUNDS = int(os.environ.get("TILTH_KILL_ROUNDS", "15"))
SEED = int(os.environ.get("TILTH_KILL_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 32)
OWNERS, RULES, DAYS = 3, 20, 4


def tasks_of(owner):
    found, page = [], 1
    while rows := owner.get(f"/tasks?limit=100&page={page}").data:
        found += [(task["recurringTaskId"], task["dueDate"]) for task in rows]
        page += 1
    return found


def catch_up(service):
    """Waits until everything that fell due is processed; a busy machine may return 503 meanwhile."""
    deadline = time.monotonic() + DEADLINE
    while (reply := service.operator.send("POST", "/operator/v1/clock", {"advance": "PT0S"})).status != 200:
        assert reply.status == 503 and time.monotonic() < deadline, reply


def main():
    print(f"seed {SEED}, {ROUNDS} rounds; repeat with TILTH_KILL_SEED={SEED}", flush=True)
    chance = random.Random(SEED)
    with tempfile.TemporaryDirectory(prefix="tilth-kill-") as directory:
        service = Service(directory, config=CONFIG)
        try:
            service.start()
            begin = datetime.fromisoformat(service.now().replace("Z", "+00:00"))
            owners = [service.user("vast") for _ in range(OWNERS)]
            rules = []
            for owner in owners:
                farm, template = owner.farm(), owner.template()
                rules.append([owner.rule(farm, template, pattern="daily", startDate=service.now(),
                                         generateDaysBefore=chance.choice([0, 2]))
                              for _ in range(RULES)])
            for number in range(1, ROUNDS + 1):
                moved = threading.Thread(target=advance, args=(service, f"P{DAYS}D"))
                moved.start()
                kill_within(service, chance.random() * 0.25)
                moved.join()
                if chance.random() < 0.3:  # also while it catches up
                    service.launch()
                    kill_within(service, chance.random() * 0.5)
                service.start()
                catch_up(service)
                now = datetime.fromisoformat(service.now().replace("Z", "+00:00"))
                made = 0
                for owner, of_owner in zip(owners, rules):
                    owner.__init__(service, owner.id)
                    made += check(tasks_of(owner), of_owner, begin, now)
                print(f"round {number}: {made} tasks by {now}", flush=True)
            service.stop()
        finally:
            service.kill()
    print("every occurrence has exactly one task")


def advance(service, duration):
    try:
        service.advance(duration)
    except UNANSWERED:
        pass


def check(found, rules, begin, now):
    wanted = Counter()
    for rule in rules:
        for day in range((now - begin).days + rule["generateDaysBefore"] + 1):
            at = begin + timedelta(days=day)
            wanted[rule["id"], at.strftime("%Y-%m-%dT%H:%M:%S.000Z")] += 1
    found = Counter(found)
    assert found == wanted, f"too many: {found - wanted}, missing: {wanted - found}"
    return found.total()


if __name__ == "__main__":
    main()
