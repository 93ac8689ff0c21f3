"""What clients were told, to compare with what the service returns afterwards."""
import http.client
import itertools
import random
import threading
import time
import uuid

from client import Client

UNANSWERED = (OSError, http.client.HTTPException)


class Writer:
    """One user's writes, one after another, each to a random node."""

    def __init__(self, nodes, seed, number):
        self.nodes = nodes
        self.random = random.Random(seed)
        farmer = nodes[0].user("vast")
        self.id, self.authorization = farmer.id, farmer.authorization
        self.farm = farmer.farm(name=f"Farm of {number}")
        self.names = (f"field {count}" for count in itertools.count())
        self.acknowledged = {}  # name -> id
        self.removed = set()
        self.refused = set()    # names that got a 4xx response
        self.pending = []       # (name, key): the outcome is not known yet
        self.doubtful = set()   # names without a key: the outcome stays unknown
        self.doubtful_removals = set()
        self.failures = []
        self.answers = {}
        self.position = None    # of the last change that was acknowledged
        self.thread = None

    @property
    def path(self):
        return f"/farms/{self.farm['id']}/fields"

    def send(self, method, path, body=None, headers=()):
        """The response of a random node; None if there was none, or if it said that the outcome is unknown."""
        node = self.random.choice(self.nodes)
        client = Client(node.address, self.authorization)
        try:
            connection = client.connection()
            connection.settimeout(15)
            reply = client.send(method, "/api/v1" + path, body, headers)
        except UNANSWERED:
            self.answers["none"] = self.answers.get("none", 0) + 1
            return None
        finally:
            client.close()
        self.answers[reply.status] = self.answers.get(reply.status, 0) + 1
        if reply.status == 503:
            assert reply.header("Retry-After"), reply
            return None
        return reply

    def create(self, name, key):
        headers = {"Idempotency-Key": key} if key else {}
        reply = self.send("POST", self.path, {"name": name, "area": 1}, headers)
        if reply is None or (key and reply.status == 409):  # the first copy still runs
            if key:
                self.pending.append((name, key))
            else:
                self.doubtful.add(name)
            return
        assert reply.status == 201, reply
        self.acknowledged[name] = reply.data["id"]
        self.position = reply.header("Tilth-Position")

    def create_several(self):
        """In one batch, so that each is decided upon those before it."""
        names = [next(self.names) for _ in range(self.random.randrange(2, 40))]
        requests = [{"method": "POST", "path": f"/v1{self.path}", "body": {"name": name, "area": 1}} for name in names]
        reply = self.send("POST", "/batch", {"requests": requests})
        if reply is None:
            self.doubtful.update(names)
            return
        assert reply.status == 200, reply
        for name, answer in zip(names, reply.data):
            assert answer["status"] in (201, 503), answer
            if answer["status"] == 201:
                self.acknowledged[name] = answer["body"]["data"]["id"]
            else:
                self.doubtful.add(name)
        self.position = reply.header("Tilth-Position") or self.position

    def remove(self, name):
        reply = self.send("DELETE", f"{self.path}/{self.acknowledged[name]}")
        del self.acknowledged[name]
        if reply is None:
            self.doubtful_removals.add(name)
        else:
            assert reply.status == 204, reply
            self.removed.add(name)

    def refuse(self):
        reply = self.send("POST", self.path, {"name": "refused"})
        assert reply is None or reply.status == 400, reply

    def step(self):
        dice = self.random.random()
        if self.pending and dice < 0.3:
            name, key = self.pending.pop(0)
            self.create(name, key)
        elif self.acknowledged and dice < 0.4:
            self.remove(self.random.choice(sorted(self.acknowledged)))
        elif dice < 0.45:
            self.refuse()
        elif dice < 0.55:
            self.create_several()
        else:
            self.create(next(self.names), self.key() if dice < 0.75 else None)

    def key(self):
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def start(self, stopping):
        def run():
            try:
                while not stopping.is_set():
                    self.step()
            except Exception as error:  # reported after the join
                self.failures.append(error)
        self.thread = threading.Thread(target=run)
        self.thread.start()

    def resolve(self):
        """Retries every key whose outcome is unknown until it is known; then creates one more field, which overtakes
        whatever is still in flight."""
        self.ask_again()
        self.pending.append((next(self.names), self.key()))
        self.ask_again()

    def ask_again(self):
        deadline = time.monotonic() + 120
        while self.pending:
            assert time.monotonic() < deadline, f"never answered: {self.pending}"
            name, key = self.pending.pop(0)
            self.create(name, key)
            if self.pending and self.pending[-1] == (name, key):
                time.sleep(0.2)

    def stored(self, node):
        """Every field as that node lists it, by name."""
        client = Client(node.address, self.authorization)
        found = {}
        for page in itertools.count(1):
            reply = self.read(client, f"{self.path}?limit=100&page={page}&sort=name&order=asc")
            for field in reply.data:
                assert field["name"] not in found, f"{field['name']} was done twice"
                found[field["name"]] = field
            if len(reply.data) < 100:
                assert reply.pagination["total"] == len(found)
                return found

    def read(self, client, path):
        """What is answered there with everything that was acknowledged; rows that move are asked for again."""
        deadline = time.monotonic() + 60
        while (reply := client.get(path, {"Tilth-Min-Position": self.position})).status == 503:
            assert reply.header("Retry-After") and time.monotonic() < deadline, reply
            time.sleep(0.2)
        assert reply.status == 200, reply
        return reply

    def disagreement(self, lists):
        """What each node has that not all have, with what was known of it; and again: a read that was late agrees then."""
        def told(lists):
            return [{name: (field, self.known_of(name)) for name, field in each.items()
                     if any(other.get(name) != field for other in lists)} for each in lists]
        again = [self.stored(node) for node in self.nodes]
        return f"nodes disagree about {self.id} from {self.position} on: {told(lists)}, and a moment later: {told(again)}"

    def known_of(self, name):
        groups = {"acknowledged": self.acknowledged, "removed": self.removed, "doubtful": self.doubtful,
                  "removal doubtful": self.doubtful_removals}
        return [group for group, names in groups.items() if name in names]

    def check(self):
        lists = [self.stored(node) for node in self.nodes]
        assert all(each == lists[0] for each in lists), self.disagreement(lists)
        found = lists[0]
        for name, record in self.acknowledged.items():
            assert name in found and found[name]["id"] == record, f"{name} was acknowledged, and does not exist"
        assert not self.removed & set(found), "a removed field is back"
        strangers = set(found) - set(self.acknowledged) - self.doubtful - self.doubtful_removals
        assert not strangers, f"unexpected fields: {strangers}"


def check_history(nodes):
    """All nodes return the same history, and no stream has a gap."""
    histories = [node.events() for node in nodes]
    for node, history in zip(nodes, histories):
        differing = [pair for pair in itertools.zip_longest(histories[0], history) if pair[0] != pair[1]]
        assert not differing, f"{node.directory.name} returns another history from here on: {differing[0]}"
    versions = {}
    for event in histories[0]:
        version = versions.get(event["subject"], 0)
        assert event["streamversion"] == version, f"a gap in {event['subject']} before {event}"
        versions[event["subject"]] = version + 1
    return sum(versions.values())
