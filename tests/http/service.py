"""Starts the service as a user would, and makes users, keys and records through its two APIs."""
import contextlib
import itertools
import json
import os
import pathlib
import signal
import socket
import subprocess
import time
import urllib.parse
import uuid

from client import Client

START = "2026-03-01T06:30:00Z"
BINARY = pathlib.Path(os.environ.get("TILTH_BINARY", "build/dev/tilth")).resolve()
BROKERS = os.environ.get("TILTH_TEST_BROKERS")  # if set, the log is on Kafka, with a topic per service
CELLS = os.environ.get("TILTH_TEST_CELLS")  # if set, the land is divided into so many cells
# If set, the first node of each topic holds a part of the land, and forwards what concerns the rest to another one.
DIVIDED = os.environ.get("TILTH_TEST_DIVIDED")
DEADLINE = 120  # seconds, generous: the sanitizers and a busy machine are slow

CLUSTER = """
[cluster]
copies = 1
listen = "127.0.0.1:0"
"""

# A plan whose limits no test reaches, as configuration.
VAST = """
[plans.vast]
requests_per_hour = 1000000
farms = "unlimited"
ai_requests_per_month = "unlimited"
may_mint_keys = false
bytes_per_hour = "unlimited"
"""

_numbers = itertools.count(1)


def environment():
    """Without the settings of the shell that runs the tests: they must not reach the service."""
    return {name: value for name, value in os.environ.items() if not name.startswith("TILTH_")}


def run(*arguments):
    """Runs a command of `tilth` to its end."""
    return subprocess.run([str(BINARY), *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=DEADLINE, env=environment())


class Service:
    """One `tilth serve` over one data directory, which a test can start, stop and kill any number of times.
    With another service's topic it is one more node of that log."""

    def __init__(self, directory, flags=(), config="", clock=START, listen="127.0.0.1:0", topic=None,
                 operator_listen="127.0.0.1:0"):
        self.directory = pathlib.Path(directory)
        self.data = self.directory / "data"
        self.ready_file = self.directory / "ready.json"
        self.errors = self.directory / "stderr.log"
        self.topic = topic or f"{uuid.uuid4()}.events"
        self.flags = [*flags, "--listen", listen, "--operator-listen", operator_listen, "--no-library"]
        if BROKERS:
            self.flags += ["--log", "kafka", "--brokers", BROKERS, "--topic", self.topic]
        if CELLS and "--cells" not in flags:
            self.flags += ["--cells", CELLS]
        if clock:
            self.flags += ["--test-clock", clock]
        self.partner = None
        if DIVIDED and "[cluster]" not in config:
            config += CLUSTER
            if topic is None:
                (self.directory / "partner").mkdir()
                self.partner = Service(self.directory / "partner", flags, config, clock, topic=self.topic)
        if config:
            (self.directory / "tilth.toml").write_text(config)
            self.flags += ["--config", str(self.directory / "tilth.toml")]
        self.environment = environment()
        self.child = None

    def launch(self):
        command = [BINARY, "serve", "--data", self.data, "--ready-file", self.ready_file, *self.flags]
        with open(self.errors, "ab") as errors, open(self.directory / "stdout.log", "ab") as output:
            self.child = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL,
                                          stdout=output, stderr=errors, env=self.environment)

    def start(self):
        if self.partner and not self.partner.child:
            self.partner.start()  # first, so that this node takes a part only
        self.launch()
        deadline = time.monotonic() + DEADLINE
        while not (ready := self.ready()):
            try:
                status = self.child.wait(0.02)
            except subprocess.TimeoutExpired:
                assert time.monotonic() < deadline, f"not ready:\n{self.tail()}"
            else:
                raise AssertionError(f"serve exited with {status}:\n{self.tail()}")
        self.address, self.operator_address = ready["listen"], ready["operatorListen"]
        token = (self.data / "operator.token").read_text().strip()
        self.operator = Client(self.operator_address, f"Bearer {token}")
        return self

    def ready(self):
        """The ready file's content if it is of this process, else None: a kill leaves the file behind."""
        try:
            ready = json.loads(self.ready_file.read_text())
        except FileNotFoundError:
            return None
        return ready if ready["pid"] == self.child.pid else None

    def stop(self):
        self.child.send_signal(signal.SIGTERM)
        status = self.child.wait(DEADLINE)
        assert status == 0, f"serve exited with {status}:\n{self.tail()}"
        assert not self.ready_file.exists()

    def kill(self):
        if self.partner:
            self.partner.kill()
        if self.child and self.child.poll() is None:
            self.child.kill()
            self.child.wait()

    def restart(self):
        self.stop()
        return self.start()

    def tail(self):
        return self.errors.read_text(errors="replace")[-4000:]

    def operate(self, method, path, body=None, status=200):
        reply = self.operator.send(method, path, body)
        assert reply.status == status, reply
        return reply

    def now(self):
        return self.operate("GET", "/operator/v1/clock").data["now"]

    def set_clock(self, instant):
        self.move_clock({"now": instant})

    def advance(self, duration):
        self.move_clock({"advance": duration})

    def move_clock(self, how):
        for node in filter(None, (self, self.partner)):
            node.operate("POST", "/operator/v1/clock", how)

    def user(self, plan="summit", **key):
        email = f"farmer{next(_numbers)}@example.com"
        user = self.operate("POST", "/operator/v1/users", {"email": email, "plan": plan}, 201).data
        return Farmer(self, user["id"], **key)

    def client_of(self, farmer):
        """The same user with the same key, at this node."""
        return Farmer(self, farmer.id, minted={"key": farmer.key, "id": farmer.key_id})

    def stranger(self):
        """A client without a key, at its own address."""
        number = next(_numbers)
        return Client(self.address, source=f"127.9.{number // 250}.{number % 250 + 1}")

    def events(self, owner=None, **filters):
        if owner:
            filters["owner"] = owner
        query = urllib.parse.urlencode(filters)
        reply = self.operate("GET", f"/operator/v1/events?{query}")
        return [json.loads(line) for line in reply.body.splitlines() if line]


@contextlib.contextmanager
def served(directory, **settings):
    """A running service, which ends in order afterwards."""
    service = Service(directory, **settings)
    try:
        yield service.start()
        service.stop()
    finally:
        service.kill()


class Farmer(Client):
    """A user's client, with one key; `with_key` gives another client of the same user."""

    def __init__(self, service, user, minted=None, **key):
        wanted = {"name": "test", "scopes": ["all"], **key}
        record = minted or service.operate("POST", f"/operator/v1/users/{user}/api-keys", wanted, 201).data
        super().__init__(service.address, f"Bearer {record['key']}")
        self.service, self.id, self.key, self.key_id = service, user, record["key"], record["id"]

    def with_key(self, **key):
        return Farmer(self.service, self.id, **key)

    def made(self, path, body):
        reply = self.post(path, body)
        assert reply.status == 201, reply
        return reply.data

    def farm(self, **members):
        return self.made("/farms", {"name": f"Farm {next(_numbers)}", "totalArea": 100, **members})

    def field(self, farm, **members):
        return self.made(f"/farms/{farm['id']}/fields", {"name": "North", "area": 10, **members})

    def crop(self, field, **members):
        return self.made("/crops", {"farmId": field["farmId"], "fieldId": field["id"],
                                    "cropType": "Maize", **members})

    def block(self, crop, **members):
        return self.made(blocks_of(crop), {"cropId": crop["id"], "name": "Block", **members})

    def plant(self, block, **members):
        return self.made(f"{path_of(block)}/plants", {"label": "Plant", **members})

    def task(self, farm, **members):
        return self.made("/tasks", {"farmId": farm["id"], "title": "Prune", "category": "other", **members})

    def template(self, **members):
        return self.made("/templates", {"name": "Prune", "category": "other", **members})

    def rule(self, farm, template, **members):
        return self.made("/recurring-tasks", {"farmId": farm["id"], "templateId": template["id"], "pattern": "yearly",
                                              "startDate": "2030-01-01T00:00:00Z", **members})

    def webhook(self, **members):
        """One that gets nothing, unless it is made active."""
        made = self.made("/webhooks", {"url": "https://farm.invalid/", "isActive": False, **members})
        return {name: value for name, value in made.items() if name != "secret"}

    def land(self):
        """One record of each kind, each below the one before; a task refers to the farm, a template to none, and
        a rule to both. Entries and a webhook are created on demand."""
        farm = self.farm()
        field = self.field(farm)
        crop = self.crop(field)
        block = self.block(crop)
        plant = self.plant(block)
        template = self.template()
        return Land(self, (farm, field, crop, block, {**plant, "block": block}, self.task(farm), template,
                           self.rule(farm, template)))

    def entry(self, kind, crop, block, **members):
        """An entry of work, a sample or money, on the crop, the block or their parents."""
        ids = {"id": (crop["id"] if kind.path.startswith("/crops") else crop["farmId"]),
               "fieldId": crop["fieldId"], "blockId": block["id"]}
        farm = {"farmId": crop["farmId"]} if kind.path.startswith("/market") else {}
        path = kind.path.format(**ids)
        record = self.made(path, {**kind.body, **farm, **members})
        return {**record, "path": f"{path}/{record['id']}"}


class Land(tuple):
    def __new__(cls, user, records):
        land = super().__new__(cls, records)
        land.user, land.entries, land.own_webhook = user, {}, None
        return land

    def webhook(self):
        self.own_webhook = self.own_webhook or self.user.webhook()
        return self.own_webhook

    def entry(self, kind):
        if kind.name not in self.entries:
            self.entries[kind.name] = self.user.entry(kind, self[2], self[3])
        return self.entries[kind.name]


def blocks_of(crop):
    return f"/farms/{crop['farmId']}/fields/{crop['fieldId']}/blocks"


def path_of(record, below=None):
    """The path of a record. A plant does not name its farm: pass its block as `below`."""
    if "disabledReason" in record:
        return f"/webhooks/{record['id']}"
    if "defaultAssignee" in record:
        return f"/templates/{record['id']}"
    if "rrule" in record:
        return f"/recurring-tasks/{record['id']}"
    if "recurringTaskId" in record:
        return f"/tasks/{record['id']}"
    if "blockId" in record:
        return f"{path_of(below or record['block'])}/plants/{record['id']}"
    if "cropType" in record:
        return f"/crops/{record['id']}"
    if "cropId" in record:
        return f"{blocks_of(record)}/{record['id']}"
    if "farmId" in record:
        return f"/farms/{record['farmId']}/fields/{record['id']}"
    return f"/farms/{record['id']}"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def refused(reply, status, code, *paths):
    """The response is an error of this status and code, whose details name exactly these paths, if any."""
    assert reply.status == status, reply
    assert reply.header("Content-Type").split(";")[0] == "application/json", reply.headers
    body = reply.json
    assert body.get("code") == code, reply
    assert isinstance(body["error"], str) and body["error"], reply
    if paths:
        assert set(body["details"]) == set(paths), reply
        for messages in body["details"].values():
            assert messages and all(isinstance(text, str) and text for text in messages), reply
    return True


def invalid(reply, *paths):
    return refused(reply, 400, "VALIDATION_ERROR", *paths)
