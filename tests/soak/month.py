"""Months of farm work in fast motion: the real binary, whose clock the soak moves by hours, and what it holds
after each day. Records come and go, so that only the history grows."""
import collections
import contextlib
import datetime
import json
import pathlib
import random
import sys
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "http"))
from client import Client  # noqa: E402
from entries import KINDS  # noqa: E402
from operated import order, wait_for  # noqa: E402
from person import Person  # noqa: E402
from receiver import Receiver, eventually  # noqa: E402
from service import VAST, Service, path_of, run, served  # noqa: E402

CONFIG = VAST + """
[webhooks]
allow_http = true
allow_private = true

[limits]
unauthenticated_per_minute = 100000
"""
KEPT = 30  # entries and closed tasks of an owner; older ones are removed
BACKUPS = 3
PROJECTIONS = ("access", "registry", "finance", "market")
DATABASES = "bytes that databases hold"
# The block caches of rows and log, 32 and 8 MiB; what they have not written to tables, 24 MiB and twice 16 MiB.
DATABASES_HOLD = (32 + 8 + 24 + 2 * 16) << 20
# What belongs to the history grows with it: the log, its archive, the index of it, and notes of destroyed keys.
HISTORY = ("log", "archive", "views/history", "owner-keys")


def bytes_below(directory):
    """What its files hold; one with several links counts once."""
    sizes = {}
    for path in pathlib.Path(directory).rglob("*"):
        with contextlib.suppress(FileNotFoundError):  # the service removes files meanwhile
            if path.is_file():
                sizes[path.stat().st_ino] = path.stat().st_size
    return sum(sizes.values())


def bytes_by_part(data):
    """The bytes of each part of a data directory, the index of the history apart from other rows."""
    for part in data.iterdir():
        if part.name == "views":
            yield "views/history", bytes_below(part / "history")
            yield "views", bytes_below(part) - bytes_below(part / "history")
        else:
            yield part.name, bytes_below(part) if part.is_dir() else part.stat().st_size


def memory_of(shown):
    """Of what /metrics shows: what the databases hold, which their settings bound, and all the rest. `allocated` is
    without what the allocator keeps for later; it is missing of a build with sanitizers."""
    parts = [value for name, value in shown.items() if name.startswith("tilth_database_memory_bytes")]
    assert parts, "the service does not say what its databases hold"
    databases = sum(parts)
    memory = {DATABASES: databases, "resident apart from databases": shown["process_resident_memory_bytes"] - databases}
    if "tilth_heap_allocated_bytes" in shown:
        memory["allocated apart from databases"] = shown["tilth_heap_allocated_bytes"] - databases
    return memory


class Owner:
    """A farmer who works every hour, and knows what must be on the farm."""

    def __init__(self, service, receiver, chance):
        self.service, self.chance = service, chance
        self.user = service.user("vast")
        self.farm = self.user.farm(country="JP")
        self.field = self.user.field(self.farm)
        self.crop = self.user.crop(self.field)
        self.block = self.user.block(self.crop)
        self.template = self.user.template()
        for ahead in (0, 2):
            self.user.rule(self.farm, self.template, pattern="daily", startDate=service.now(), generateDaysBefore=ahead)
        self.webhook = self.user.made("/webhooks", {"url": receiver.url})
        self.entries, self.closed = collections.deque(), collections.deque()

    def move(self):
        """After a restart the service has another address."""
        self.user.close()
        self.user.address = Client(self.service.address).address

    def work(self):
        for _ in range(2):
            self.chance.choice([self.record, self.record, self.record, self.amend, self.plant, self.look])()

    def record(self):
        """An entry of any kind, with a key; the same request again changes nothing."""
        kind = self.chance.choice(KINDS)
        ids = {"id": self.crop["id"] if kind.path.startswith("/crops") else self.farm["id"],
               "fieldId": self.field["id"], "blockId": self.block["id"]}
        path = kind.path.format(**ids)
        body = {**kind.body, **({"farmId": self.farm["id"]} if kind.path.startswith("/market") else {})}
        now = self.service.time
        body[kind.time] = now[:10] if len(kind.body[kind.time]) == 10 else now
        key = {"Idempotency-Key": str(uuid.UUID(int=self.chance.getrandbits(128), version=4))}
        first, again = (self.user.post(path, body, key) for _ in range(2))
        assert first.status == again.status == 201 and first.body == again.body, (first, again)
        self.entries.append(f"{path}/{first.data['id']}")
        while len(self.entries) > KEPT:
            self.remove(self.entries.popleft())

    def amend(self):
        changed = self.user.put(path_of(self.field), {"notes": f"Seen at {self.service.time}"})
        assert changed.status == 200, changed

    def plant(self):
        """A block with plants, which goes with them."""
        block = self.user.block(self.crop, name="Nursery")
        for number in range(3):
            self.user.plant(block, label=f"Seedling {number}", tagId=f"{block['id']}-{number}")
        self.remove(path_of(block))

    def look(self):
        for path in ("/tasks?open=true", f"/farms/{self.farm['id']}/financial-summary",
                     f"/farms/{self.farm['id']}/health-score", "/market/regional-prices?country=JP"):
            reply = self.user.get(path)
            assert reply.status == 200, reply
        past = self.user.get(path_of(self.field), {"Tilth-As-Of": self.service.time})
        assert past.status == 200, past

    def remove(self, path):
        reply = self.user.delete(path)
        assert reply.status == 204, reply

    def end_day(self):
        """Does what is due. The oldest tasks that are done are removed."""
        for task in self.user.read("/tasks?open=true&limit=100"):
            done = self.user.post(path_of(task) + "/complete", {"notes": "Done."})
            assert done.status == 200, done
            self.closed.append(path_of(task))
        while len(self.closed) > KEPT:
            self.remove(self.closed.popleft())

    def told(self):
        """The ids of all events since the webhook was made, which its receiver must get."""
        lines = self.user.get("/events").body.splitlines()
        events = [json.loads(line) for line in lines]
        made = next(number for number, event in enumerate(events) if event["type"] == "tilth.webhook.created")
        return {event["id"] for event in events[made + 1:]}

    def check(self):
        """Everything is there that was acknowledged and not removed, and nothing else."""
        for path in self.entries:
            if "price-reports" not in path:  # are not read one by one
                assert self.user.get(path).status == 200, path
        listed = self.user.get("/tasks?limit=100")
        assert listed.pagination["total"] == len(self.closed), listed
        assert {path_of(task) for task in listed.data} == set(self.closed)


class Month:
    """One service and its owners. `process` has samples of each step, `daily` of each day."""

    def __init__(self, directory, owners, step, seed):
        self.directory, self.chance = pathlib.Path(directory), random.Random(seed)
        for name in ("archive", "backups"):
            (self.directory / name).mkdir()
        self.service = Service(self.directory, config=CONFIG)
        self.count, self.step = owners, step
        self.process, self.daily = collections.defaultdict(list), collections.defaultdict(list)
        self.erased = self.refused = 0

    def __enter__(self):
        self.receiver = Receiver(self.respond)
        return self

    def __exit__(self, *error):
        self.service.kill()
        self.receiver.close()

    def respond(self, number, _):
        """One delivery of 20 is refused, so that it waits for the clock."""
        if number % 20:
            return 204
        self.refused += 1
        return 503

    def live(self, days):
        self.service.start()
        self.service.time = self.service.now()
        self.owners = [Owner(self.service, self.receiver, self.chance) for _ in range(self.count)]
        self.people = [Person(self.service) for _ in range(3)]
        for day in range(1, days + 1):
            self.sign_in()
            for _ in range(24 // self.step):
                self.pass_time()
                for owner in self.owners:
                    owner.work()
                self.sample_process()
            for owner in self.owners:
                owner.end_day()
            self.operate(day)
            self.sample_disk()
            print(f"day {day}: {self.daily['events'][-1]} events, "
                  + ", ".join(f"{name} {values[-1]:,}" for name, values in self.process.items()), flush=True)

    def pass_time(self):
        self.service.advance(f"PT{self.step}H")
        self.service.time = self.service.now()

    def sample_process(self):
        text = self.service.operate("GET", "/metrics").body.decode()
        shown = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        memory = memory_of({name: float(value) for name, value in shown.items()})
        for name, value in (*memory.items(), *((name, shown[name]) for name in ("process_open_fds", "process_threads"))):
            self.process[name].append(int(float(value)))
        self.offset = sum(float(value) for name, value in shown.items() if name.startswith("tilth_log_end_offset"))

    def sample_disk(self):
        used = collections.Counter(dict(bytes_by_part(self.service.data)))
        used["archive"] = bytes_below(self.directory / "archive")
        self.daily["events"].append(int(self.offset))
        self.daily["history"].append(sum(used[name] for name in HISTORY))
        self.daily["rest"].append(sum(used.values()) - self.daily["history"][-1])
        self.daily["parts"].append(dict(used))

    def sign_in(self):
        """The session of the day before has ended, whether its person has signed out or not."""
        for number, person in enumerate(self.people):
            if person.cookie:
                assert person.ask("GET", "/api/me").status == 401
            person.signed_in()
            assert person.ask("GET", "/api/me").status == 200
            if number == 0:
                assert person.ask("POST", "/api/auth/sign-out").status == 204

    def operate(self, day):
        """Each day a backup; each week an archive, a rebuild that replaces the rows, a check, and somebody who leaves."""
        self.command("backup", self.directory / "backups", "--keep", BACKUPS)
        if day % 7:
            return
        a_week_ago = datetime.datetime.fromisoformat(self.service.time) - datetime.timedelta(days=7)
        self.command("log", "archive", "--to", self.directory / "archive",
                     "--before", a_week_ago.strftime("%Y-%m-%dT%H:%M:%SZ"))
        order(self.service, "all", "rebuild", 202)
        for name in PROJECTIONS:
            wait_for(self.service, name, lambda row: not row["building"] and row["state"] == "running")
        self.service.operate("POST", "/operator/v1/projections/all/release")
        self.verify(self.service)
        leaving = self.service.user("vast")
        leaving.land()
        erased = self.service.operate("POST", f"/operator/v1/users/{leaving.id}/erase", {"reason": "asked"}).data
        assert erased["complete"], erased
        self.erased += 1

    def command(self, *words):
        done = run(*words, "--operator", f"http://{self.service.operator_address}",
                   "--token-file", self.service.data / "operator.token")
        assert done.returncode == 0, done

    @staticmethod
    def verify(service):
        service.operator.connection().settimeout(180)
        for row in service.operate("POST", "/operator/v1/projections/all/verify").data:
            assert row["differences"] == [], row

    def check(self):
        """What was acknowledged is there: before and after a restart, in a backup, and at the receiver of webhooks."""
        for owner in self.owners:
            owner.check()
        eventually(self.is_delivered, "every event delivered")
        for owner in self.owners:  # what fell due meanwhile
            owner.end_day()
        self.command("backup", self.directory / "backups", "--keep", BACKUPS)
        self.service.restart()
        for owner in self.owners:
            owner.move()
            owner.check()
        self.verify(self.service)
        kept = list((self.directory / "backups").iterdir())
        assert len(kept) == BACKUPS, kept
        restored = self.directory / "restored"
        restored.mkdir()
        done = run("restore", self.directory / "backups", "--data", restored / "data")
        assert done.returncode == 0, done
        with served(restored, config=CONFIG) as copy:
            self.verify(copy)
            for owner in self.owners:
                owner.service = copy
                owner.move()
                owner.check()
        self.service.stop()

    def is_delivered(self):
        """Asked again some hours later, since what was refused is tried again by the clock."""
        self.pass_time()
        got = {one.id for one in list(self.receiver.received)}
        return all(owner.told() <= got for owner in self.owners)
