"""Attacks on the service, each small and runnable alone: `bench/run P12 --attack openapi`.

An attack is a class: `prepare` makes what it needs before anything is measured, `run` attacks until a time, in a
process of its own, and returns what the attacker saw. The numbers in `sizes` can be set with `--size NAME=VALUE`;
`quick` replaces some of them with `--quick`. None of them needs more than the standard library.
"""
import collections
import contextlib
import json
import re
import resource
import threading
import time

from innocent import connect, read_response, request

ATTACKER = "127.6.0.1"  # an innocent client has another address
PROXY = "127.0.0.3"  # X-Forwarded-For is believed from there
STATUS = re.compile(rb"HTTP/1\.1 (\d{3})")


class Attack:
    """One line of the table of attacks."""
    name = ""
    what = ""  # with the sizes, for the table
    fill = ()  # the names of the sizes plants and tasks, if the attacker needs much land
    also = ()  # what else the innocent owner does meanwhile: names in isolation.py
    sizes, quick = {}, {}

    def __init__(self, service, about, sizes):
        self.service, self.address, self.about = service, service.address, about
        self.seen = collections.Counter()
        self.__dict__.update(sizes)

    def prepare(self):
        pass

    def run(self, until):
        raise NotImplementedError

    # The rest is for the attacks.

    def owner(self, name="attacker"):
        """A key and the path of a farm, on a shipped plan."""
        return self.service.owner(f"-{name}", plan="summit")

    def wait(self, until):
        time.sleep(max(0.0, until - time.monotonic()))

    @contextlib.contextmanager
    def unread(self, count, send, source=ATTACKER, receive_buffer=4_096):
        """Opens connections that send something and read nothing; closes them at the end."""
        connections = []
        for number in range(count):
            try:
                connection = connect(self.address, source, receive_buffer)
                connections.append(connection)
                connection.settimeout(1)
                connection.sendall(send(number))
                self.seen["sent"] += 1
            except OSError as error:
                self.seen[type(error).__name__] += 1
        yield connections
        for connection in connections:
            connection.setblocking(False)
            with contextlib.suppress(OSError):
                status = STATUS.match(connection.recv(1 << 16))
                self.seen[status[1].decode() if status else "closed"] += 1
            connection.close()

    def keep_asking(self, count, send, until, source=ATTACKER, each=1):
        """Opens connections that send, read `each` responses and send again; counts the statuses. If `source` is a
        function, every request comes from the address that it returns, over a connection of its own."""
        def one(number):
            turn = 0
            while time.monotonic() < until:
                try:
                    address = source(number, turn) if callable(source) else source
                    with contextlib.closing(connect(self.address, address)) as connection:
                        goes_on = True
                        while goes_on and time.monotonic() < until:
                            connection.settimeout(max(0.01, until - time.monotonic()))
                            connection.sendall(send(number, turn))
                            turn += 1
                            self.count_responses(connection, each)
                            goes_on = not callable(source)
                except OSError as error:
                    self.seen["no answer" if isinstance(error, TimeoutError) else type(error).__name__] += 1
                    time.sleep(0.05)

        threads = [threading.Thread(target=one, args=(number,), daemon=True) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, until + 2 - time.monotonic()))
        return dict(self.seen)

    def count_responses(self, connection, count):
        """Reads that many responses without parsing more than their status lines."""
        kept = b""
        while count > 0:
            if not (piece := connection.recv(1 << 18)):
                raise ConnectionError("closed")
            kept += piece
            statuses = STATUS.findall(kept)
            for status in statuses:
                self.seen[status.decode()] += 1
            count -= len(statuses)
            kept = b"" if kept.endswith(b"\r\n") else kept[-11:]  # a status line may be split
        connection.setblocking(False)
        with contextlib.suppress(BlockingIOError):  # the end of the last body
            while connection.recv(1 << 18):
                pass


class OpenApi(Attack):
    name = "openapi"
    what = "no key: {connections} connections send {requests} GET /api/openapi.json each and read nothing"
    sizes = {"connections": 100, "requests": 64}
    quick = {"connections": 20}

    def run(self, until):
        with self.unread(self.connections, lambda _: request("GET", "/api/openapi.json") * self.requests):
            self.wait(until)
        return dict(self.seen)


class Lists(Attack):
    name = "lists"
    what = "{lists} pipelined lists of {entries} entries of up to {bytes} bytes on one connection, unread"
    sizes = {"entries": 100, "bytes": 1_000_000, "lists": 32}
    quick = {"entries": 30, "lists": 8}

    def prepare(self):
        self.key, _ = self.owner()
        crops = []
        while len(crops) < self.entries:
            listed = json.loads(self.service.ask(
                "GET", f"/api/v1/crop-library/crops?limit=100&page={len(crops) // 100 + 1}", self.key)[1])["data"]
            crops += listed
            if len(listed) < 100:
                break
        for crop in crops[:self.entries]:
            for size in (self.bytes, 16_000, 1_000):  # the largest that is accepted
                with contextlib.suppress(RuntimeError):
                    self.service.post("/api/v1/user-crops", self.key,
                                      {"adminCropId": crop["id"], "customizations": {"x": "y" * size}})
                    break

    def run(self, until):
        line = request("GET", "/api/v1/user-crops?limit=100", self.key)
        with self.unread(1, lambda _: line * self.lists):
            self.wait(until)
        return dict(self.seen)


class Bodies(Attack):
    name = "bodies"
    what = "no key: {connections} connections send {sent} bytes of a body of 1,048,576 and wait"
    sizes = {"connections": 4_000, "sent": 1_000_000}
    quick = {"connections": 500}

    def run(self, until):
        head = (b"POST /api/v1/farms HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                b"Content-Length: 1048576\r\n\r\n")
        with self.unread(self.connections, lambda _: head + b" " * self.sent):
            self.wait(until)
        return dict(self.seen)


class Filters(Attack):
    name = "filters"
    what = "{connections} connections pipeline {each} lists of an owner's {tasks} tasks with three filters"
    fill = ("tasks",)
    sizes = {"connections": 2, "each": 32, "tasks": 250_000}
    quick = {"tasks": 50_000}

    def run(self, until):
        sorts = ("dueDate", "priority", "title", "createdAt")

        def send(number, turn):
            return b"".join(request("GET", "/api/v1/tasks?status=pending&priority=low&category=other"
                                    f"&sort={sorts[(number + each) % 4]}&page={1 + (turn + each) % 7}", self.about["key"])
                            for each in range(self.each))
        return self.keep_asking(self.connections, send, until, each=self.each)


class Geometry(Attack):
    name = "geometry"
    what = "{connections} connections each PUT a polygon of {holes} long thin holes, again and again"
    also = ("boundary",)
    sizes = {"connections": 20, "holes": 2_498}
    quick = {"connections": 4}

    def prepare(self):
        self.key, farm = self.owner()
        field = self.service.post(f"{farm}/fields", self.key, {"name": "North", "area": "12.5"})
        crop = self.service.post("/api/v1/crops", self.key, {"farmId": farm.split("/")[-1], "fieldId": field["id"],
                                                             "cropType": "Maize"})
        blocks = f"{farm}/fields/{field['id']}/blocks"
        block = self.service.post(blocks, self.key, {"cropId": crop["id"], "name": "Block"})
        self.path = f"{blocks}/{block['id']}"

    def body(self):
        """Parallel diagonal slivers: the envelope of each overlaps those of all the others."""
        holes = ",".join(f"[[{at / 100:g},1],[{at / 100 + 40:g},41],[{at / 100 + 40.005:g},41],[{at / 100:g},1]]"
                         for at in range(1, self.holes + 1))
        outer = "[[-1,0],[80,0],[80,50],[-1,50],[-1,0]]"
        return f'{{"geometry":{{"type":"Polygon","coordinates":[{outer},{holes}]}}}}'.encode()

    def run(self, until):
        line = request("PUT", self.path, self.key, self.body())
        return self.keep_asking(self.connections, lambda *_: line, until)


class AsOf(Attack):
    name = "as-of"
    what = "{connections} connections each GET a farm as of now, of an owner with {plants} events"
    fill = ("plants",)
    also = ("as_of",)
    sizes = {"connections": 100, "plants": 950_000}
    quick = {"plants": 100_000}

    def prepare(self):
        self.now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

    def run(self, until):
        line = request("GET", f"/api/v1/farms/{self.about['farm']}", self.about["key"],
                       headers=[("Tilth-As-Of", self.now)])
        return self.keep_asking(self.connections, lambda *_: line, until)


class Cascade(Attack):
    name = "cascade"
    what = "one DELETE of a farm with {plants} records"
    fill = ("plants",)
    sizes = {"plants": 950_000}
    quick = {"plants": 100_000}

    def run(self, until):
        began = time.monotonic()
        with contextlib.closing(connect(self.address, ATTACKER)) as connection:
            connection.settimeout(max(0.01, until - began))
            connection.sendall(request("DELETE", f"/api/v1/farms/{self.about['farm']}", self.about["key"]))
            try:
                status = read_response(connection)[0]
            except TimeoutError:
                return {"no answer in s": round(until - began)}
        took = time.monotonic() - began
        self.wait(until)
        return {str(status): f"after {took:.2f} s"}


class WholeLists(Attack):
    name = "whole-lists"
    what = "{connections} connections each request a list of {plants} plants whole and read nothing"
    fill = ("plants",)
    also = ("plants",)
    sizes = {"connections": 40, "plants": 950_000}
    quick = {"plants": 100_000}

    def run(self, until):
        of = self.about
        path = f"/api/v1/farms/{of['farm']}/fields/{of['field']}/blocks/{of['block']}/plants"
        with self.unread(self.connections, lambda _: request("GET", path, of["key"])):
            self.wait(until)
        return dict(self.seen)


class Followers(Attack):
    name = "followers"
    what = "{owners} owners follow their histories with {each} connections each"
    also = ("events",)
    sizes = {"owners": 16, "each": 64}
    quick = {"owners": 16}

    def prepare(self):
        self.keys = [self.owner(f"follower{number}")[0] for number in range(self.owners)]

    def run(self, until):
        def send(number):
            return request("GET", "/api/v1/events", self.keys[number % self.owners],
                           headers=[("Accept", "text/event-stream")])
        with self.unread(self.owners * self.each, send):
            self.wait(until)
        return dict(self.seen)


class Idle(Attack):
    name = "idle"
    what = "{connections} idle connections from one address"
    also = ("connect",)
    sizes = {"connections": 4_096}

    def run(self, until):
        with self.unread(self.connections, lambda _: b""):
            self.wait(until)
        return dict(self.seen)


class SignInFlood(Attack):
    name = "sign-in-flood"
    what = "sign-ins with wrong passwords, {connections} at a time, each with another email from another address"
    also = ("sign_in", "first_sign_in")
    sizes = {"connections": 200}
    quick = {"connections": 120}

    def run(self, until):
        def send(number, turn):
            return request("POST", "/api/auth/sign-in", body={"email": f"x{number}.{turn}@example.com",
                                                              "password": "not the right one"})
        address = lambda number, turn: f"127.{64 + turn % 64}.{number // 250}.{number % 250 + 1}"
        return self.keep_asking(self.connections, send, until, source=address)


class LockOut(Attack):
    name = "lock-out"
    what = "wrong passwords for somebody else's email, {each} from each of {connections} addresses"
    also = ("sign_in",)
    sizes = {"connections": 4, "each": 5}

    def run(self, until):
        def send(number, turn):
            if turn >= self.each:
                self.wait(until)
            return request("POST", "/api/auth/sign-in", body={"email": self.service.innocent_email,
                                                              "password": "not the right one"})
        return self.keep_asking(self.connections, send, until, source=lambda number, _: f"127.6.1.{number + 1}")


class Guesses(Attack):
    name = "guesses"
    what = "{connections} connections guess keys, each request from another address of one IPv6 /64"
    sizes = {"connections": 8}

    def run(self, until):
        def send(number, turn):
            return request("GET", "/api/v1/farms", f"svc_live_{number:04x}{turn:044x}",
                           headers=[("X-Forwarded-For", f"2001:db8::{number:x}:{turn % 65_536:x}")])
        return self.keep_asking(self.connections, send, until, source=PROXY)


class Details(Attack):
    name = "details"
    what = "{connections} connections send bodies with {members} wrong members and an Idempotency-Key"
    sizes = {"connections": 2, "members": 250_000}

    def prepare(self):
        self.key, self.farm = self.owner()

    def run(self, until):
        body = json.dumps({"farmId": self.farm.split("/")[-1], "templateId": "0" * 8, "pattern": "weekly",
                           "startDate": "2030-01-01T00:00:00Z", "daysOfWeek": [9] * self.members},
                          separators=(",", ":")).encode()

        def send(number, turn):
            key = f"{number:08x}-0000-4000-8000-{turn:012x}"
            return request("POST", "/api/v1/recurring-tasks", self.key, body, [("Idempotency-Key", key)])
        return self.keep_asking(self.connections, send, until)


class Large(Attack):
    name = "large"
    what = "{connections} connections store {bytes} bytes with each request"
    sizes = {"connections": 2, "bytes": 1_000_000}

    def prepare(self):
        self.key, _ = self.owner()
        crops = json.loads(self.service.ask("GET", "/api/v1/crop-library/crops?limit=100", self.key)[1])["data"]
        self.crops = [crop["id"] for crop in crops]

    def run(self, until):
        def one(number):
            """Adds an entry to the shortlist and removes it, so that there is always room for another one."""
            turn = number
            with contextlib.suppress(OSError), contextlib.closing(connect(self.address, ATTACKER)) as connection:
                while time.monotonic() < until:
                    connection.settimeout(max(0.01, until - time.monotonic()))
                    text = f"{turn:08x}" * (self.bytes // 8)
                    connection.sendall(request("POST", "/api/v1/user-crops", self.key,
                                               {"adminCropId": self.crops[turn % len(self.crops)],
                                                "customizations": {"x": text}}))
                    status, answer = read_response(connection)
                    self.seen[str(status)] += 1
                    if status == 201:
                        entry = json.loads(answer.split(b"\r\n\r\n", 1)[1])["data"]["id"]
                        connection.sendall(request("DELETE", f"/api/v1/user-crops/{entry}", self.key))
                        read_response(connection)
                    else:
                        time.sleep(0.05)
                    turn += self.connections

        threads = [threading.Thread(target=one, args=(number,), daemon=True) for number in range(self.connections)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, until + 2 - time.monotonic()))
        return dict(self.seen)


class Ahead(Attack):
    name = "ahead"
    what = "{connections} connections pipeline {each} requests each for a position that the log has not reached"
    sizes = {"connections": 3_000, "each": 64}
    quick = {"connections": 1_000}

    def prepare(self):
        self.key, self.farm = self.owner()

    def run(self, until):
        line = request("GET", self.farm, self.key, headers=[("Tilth-Min-Position", "p0.999999999999")])
        while time.monotonic() < until:
            with contextlib.ExitStack() as stack:
                for address in range(1, 9):  # each may have a share of the connections
                    send = lambda _: line * self.each
                    stack.enter_context(self.unread(self.connections // 8, send, f"127.6.2.{address}"))
                self.wait(min(until, time.monotonic() + 2))  # the service waits no longer
        return dict(self.seen)


class SlowFollowers(Attack):
    name = "slow-followers"
    what = "{connections} connections follow a history that grows, and read a byte a second"
    also = ("events",)
    sizes = {"connections": 64}

    def prepare(self):
        self.key, farm = self.owner()
        self.field = f"{farm}/fields/" + self.service.post(f"{farm}/fields", self.key, {"name": "A", "area": "1"})["id"]

    def run(self, until):
        line = request("GET", "/api/v1/events", self.key, headers=[("Accept", "text/event-stream")])
        change = lambda _, turn: request("PUT", self.field, self.key, {"notes": f"{turn:08}" * 500})
        with self.unread(self.connections, lambda _: line) as connections:
            def read():
                while time.monotonic() < until:
                    time.sleep(1)
                    for connection in connections:
                        with contextlib.suppress(OSError):
                            connection.setblocking(False)
                            connection.recv(1)
            reader = threading.Thread(target=read, daemon=True)
            reader.start()
            return self.keep_asking(4, change, until)


class HeadFlood(Attack):
    name = "heads"
    what = "no key: {connections} connections send requests with a query and headers of {bytes} bytes"
    sizes = {"connections": 32, "bytes": 15_000}

    def run(self, until):
        half = "q" * (self.bytes // 2)
        line = request("GET", "/api/v1/farms?limit=" + half[:7000], "svc_live_" + "0" * 48,
                       headers=[(f"X-{number}", half[:200]) for number in range(len(half) // 200)])
        return self.keep_asking(self.connections, lambda *_: line * 8, until, each=8)


class BatchFlood(Attack):
    name = "batches"
    what = "{connections} connections pipeline {each} batches of {requests} lists each"
    sizes = {"connections": 4, "each": 8, "requests": 1_000}
    quick = {"requests": 300}

    def prepare(self):
        self.key, self.farm = self.owner()

    def run(self, until):
        one = {"method": "GET", "path": "/v1/crop-library/crops?limit=100&search=a"}
        line = request("POST", "/api/v1/batch", self.key, {"requests": [one] * self.requests})
        return self.keep_asking(self.connections, lambda *_: line * self.each, until, each=self.each)


ATTACKS = [OpenApi, Lists, Bodies, Filters, Geometry, AsOf, Cascade, WholeLists, Followers, Idle, SignInFlood, LockOut,
           Guesses, Details, Large, Ahead, SlowFollowers, HeadFlood, BatchFlood]


def attack(one, until):
    """Runs it; for a process of its own."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return one.run(until)
