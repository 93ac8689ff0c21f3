"""Nodes that divide the owners' land among them: any node answers for every owner, also while others join, leave or die."""
import concurrent.futures
import subprocess
import threading
import time
import uuid

import pytest

from client import Client
from named_person import NAME, events_of, files_with_words, owner, wait_until_complete
from operated import order
from receiver import Receiver, eventually
from service import BINARY, BROKERS, VAST, Service, free_port, path_of, run

pytestmark = pytest.mark.skipif(not BROKERS, reason="needs a broker")

PARTITIONS = set(range(12))


def divided(copies, more=""):
    return f'{VAST}[cluster]\ncopies = {copies}\nlisten = "127.0.0.1:0"\n{more}'


class Cluster:
    """Nodes of one topic, which a test can add to."""

    def __init__(self, make_directory, copies, more=""):
        self.make_directory, self.config, self.nodes = make_directory, divided(copies, more), []

    def add(self, **settings):
        topic = self.nodes[0].topic if self.nodes else None
        node = Service(self.make_directory(f"node{len(self.nodes)}"), config=self.config, topic=topic, **settings)
        self.nodes.append(node)
        return node.start()

    def holdings(self, asked=None):
        """The partitions of each node's cells, as one of them tells, by id; without nodes that do not live."""
        told = (asked or self.nodes[0]).operate("GET", "/operator/v1/nodes").data
        return {each["node"]: {one["partition"] for one in each["partitions"]} for each in told if each["state"] == "live"}

    def is_settled(self, copies, asked=None):
        """Each partition has exactly so many holders, and each node that runs holds something."""
        holdings = self.holdings(asked)
        held = [partition for partitions in holdings.values() for partition in partitions]
        running = sum(node.child.poll() is None for node in self.nodes)
        return (len(holdings) == running and all(holdings.values())
                and all(held.count(partition) == copies for partition in PARTITIONS))

    def moving(self):
        """Cells that a node takes, or that it still answers for although another holds them."""
        return sum(metric(node, "tilth_cells_moving") for node in self.nodes)

    def end(self):
        for node in self.nodes:
            node.kill()


def everywhere(cluster, farmer):
    return [farmer, *(node.client_of(farmer) for node in cluster.nodes[1:])]


def since(reply):
    """What makes every node answer from rows that have what was answered then."""
    return {"Tilth-Min-Position": reply.header("Tilth-Position")}


def id_of(node):
    return node.operate("GET", "/operator/v1/status").data["node"]


def ask(node, *words):
    """What a command of `tilth` prints that asks this node."""
    service = ["--operator", f"http://{node.operator_address}", "--token-file", node.data / "operator.token"]
    done = run(*words, *service)
    assert done.returncode == 0, done
    return done.stdout


def metric(node, name):
    lines = node.operator.send("GET", "/metrics").body.decode().splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name) and line[len(name)] in " {")


def test_nodes_with_different_secrets_do_not_speak(tmp_path_factory):
    nodes = []
    try:
        for name in ("one", "two"):
            directory = tmp_path_factory.mktemp(name)
            (directory / "secret").write_text(f"the secret of node {name}")
            (directory / "secret").chmod(0o600)
            config = divided(1, f'secret_file = "{directory}/secret"\n')
            nodes.append(Service(directory, config=config, topic=nodes[0].topic if nodes else None).start())
        one, other = nodes
        farmers = [one.user("vast") for _ in range(12)]
        eventually(lambda: metric(other, "tilth_cells_held") == 6 and metric(one, "tilth_cells_moving") == 0)
        replies = [other.client_of(farmer).get("/farms") for farmer in farmers]
        assert {reply.status for reply in replies} == {200, 503}
        assert all(reply.header("Retry-After") for reply in replies if reply.status == 503)
        assert metric(one, "tilth_peer_refused_handshakes_total") > 0
        said = one.errors.read_text()
        assert "did not prove" in said and "the secret of" not in said + other.errors.read_text()
    finally:
        for node in nodes:
            node.kill()


def test_webhooks_are_sent_by_one_node_each(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp, 2, "[webhooks]\nallow_http = true\nallow_private = true\n")
    try:
        for _ in range(3):
            cluster.add()
        eventually(lambda: cluster.is_settled(2))
        with Receiver(lambda number, one: 204) as receiver:
            farmers = [cluster.nodes[0].user("vast") for _ in range(6)]
            for farmer in farmers:
                farmer.made("/webhooks", {"url": receiver.url, "types": ["tilth.farm.*"]})
            eventually(lambda: sum(metric(node, "tilth_webhooks") for node in cluster.nodes) == len(farmers))
            farms = [client.farm()["id"] for farmer in farmers for client in everywhere(cluster, farmer)]
            receiver.wait(lambda all_of_them: len(all_of_them) >= len(farms))
            farms += [farmer.farm()["id"] for farmer in farmers]  # by then a second sender would have sent
            received = receiver.wait(lambda all_of_them: len(all_of_them) >= len(farms))
            assert sorted(one.json["data"]["farmId"] for one in received) == sorted(farms), "each once"
            for farmer in farmers:
                hook = farmer.read("/webhooks")[0]
                for client in everywhere(cluster, farmer):
                    assert client.post(f"/webhooks/{hook['id']}/test").data["status"] == 204
            cluster.nodes[2].kill()
            more = [farmer.farm()["id"] for farmer in farmers]
            received = receiver.wait(lambda all_of_them: {one.json["data"].get("farmId") for one in all_of_them} >= set(more))
    finally:
        cluster.end()


def test_both_holders_of_a_person_forget_them_also_one_that_was_away(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp, copies=2)
    try:
        for _ in range(3):
            cluster.add()
        eventually(lambda: cluster.is_settled(2) and not cluster.moving())
        stays = cluster.nodes[0].user("vast")
        farm = stays.farm()
        people = [owner(node) for node in cluster.nodes[:2]]
        partition = {person.id: cluster.nodes[0].events(person.id)[0]["partition"] for person, _ in people}

        def holds(node, person):
            return partition[person.id] in cluster.holdings()[id_of(node)]

        def is_forgotten(person, user, nodes):
            for node in nodes:
                assert Client(node.address, user.authorization).get("/farms").status == 401
                after = events_of(node, person.id)
                assert [event["type"] for event in after].count("tilth.user.erased") == 1
                assert NAME.lower() not in str(after).lower(), "an export through any node"
                assert node.client_of(stays).read(path_of(farm)) == farm

        (first, first_user), (second, second_user) = people
        for node in cluster.nodes:
            assert NAME in str(events_of(node, second.id)), "each opens it"
        asked = next(node for node in cluster.nodes if not holds(node, first))
        wait_until_complete(asked, first.id)
        is_forgotten(first, first_user, cluster.nodes)

        away = next(node for node in cluster.nodes[1:] if holds(node, second))
        others = [node for node in cluster.nodes if node is not away]
        away.stop()
        wait_until_complete(others[1], second.id)
        is_forgotten(second, second_user, others)
        for node in others:
            assert files_with_words(node.data) == []
        away.start()
        wait_until_complete(away, second.id)
        assert files_with_words(away.data) == [], "it makes up for it"
        is_forgotten(second, second_user, [away])

        line = ["kcat", "-C", "-e", "-q", "-b", BROKERS, "-o", "beginning", "-f", "%k %S\\n", "-t"]
        topic = away.topic.replace(".events", ".owner-keys")
        keys = subprocess.run([*line, topic], check=True, capture_output=True, text=True).stdout.splitlines()
        for person, _ in people:
            assert [key for key in keys if key.startswith("key/") and person.id in key][-1].endswith(" -1")
            assert [key for key in keys if key.startswith(f"destroyed/{person.id} ")]
    finally:
        cluster.end()


class Load:
    """Owners who make fields through nodes that a test may change, and note what was acknowledged and what refused."""

    def __init__(self, cluster, owners, pause=0):
        self.pause = pause  # of each owner after a field; a node that folds again reads all of them
        self.cluster, self.refused, self.made, self.wrong = cluster, [], {}, []
        self.farmers = [cluster.nodes[0].user("vast") for _ in range(owners)]
        self.farms = [farmer.farm() for farmer in self.farmers]
        self.entries = list(cluster.nodes)
        self.ended = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(number,)) for number in range(owners)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join()

    def run(self, owner):
        farmer, farm, number = self.farmers[owner], self.farms[owner], 0
        made = self.made.setdefault(owner, [])
        while not self.ended.wait(self.pause):
            number += 1
            node = self.entries[number % len(self.entries)]
            client = Client(node.address, f"Bearer {farmer.key}")
            key = {"Idempotency-Key": str(uuid.uuid4())}
            try:
                self.create(client, farm, number, key, made)
            except OSError:
                pass  # its node was killed; what became of the request is seen below
            finally:
                client.close()

    def create(self, client, farm, number, key, made):
        reply = client.post(f"/farms/{farm['id']}/fields", {"name": f"F{number}", "area": 1}, key)
        if reply.status == 201:
            made.append(reply.data["id"])
            position = {"Tilth-Min-Position": reply.header("Tilth-Position")}
            read = client.get(f"/farms/{farm['id']}/fields/{reply.data['id']}", position)
            if read.status == 200 and read.data == reply.data:
                return
            reply = read
        if reply.status == 503 and reply.header("Retry-After"):
            self.refused.append(reply)
        else:
            self.wrong.append(reply)

    def check(self, node):
        """Everything that was acknowledged is there, once."""
        assert not self.wrong, self.wrong[:3]
        for owner, made in self.made.items():
            farmer = node.client_of(self.farmers[owner])
            found, page = [], 1
            while True:
                reply = farmer.get(f"/farms/{self.farms[owner]['id']}/fields?limit=100&page={page}")
                assert reply.status == 200, reply
                found += [each["id"] for each in reply.data]
                if page >= reply.pagination["totalPages"]:
                    break
                page += 1
            assert len(set(found)) == len(found) and set(found) >= set(made)

    def count(self):
        return sum(map(len, self.made.values()))


def test_nodes_join_drain_and_die_under_load_and_nothing_is_lost(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp, copies=2)
    try:
        for _ in range(3):
            cluster.add()
        eventually(lambda: cluster.is_settled(2))
        with Load(cluster, owners=6) as load:
            fourth = cluster.add()  # joins
            eventually(lambda: cluster.is_settled(2, fourth) and len(cluster.holdings(fourth)[id_of(fourth)]) > 0)
            load.entries.append(fourth)
            assert not load.refused, load.refused[:3]

            drained = cluster.nodes[2]
            assert "may be stopped" in ask(cluster.nodes[0], "nodes", "drain", id_of(drained))
            for warning in ("It gives away what it holds", "It has given away all that it held"):
                assert cluster.nodes[0].errors.read_text().count(warning) <= 1
            load.entries.remove(drained)
            before = load.count()
            eventually(lambda: load.count() > before + 20)
            drained.stop()
            assert not load.refused, load.refused[:3]

            killed = cluster.nodes[1]
            load.entries.remove(killed)
            gone, left = id_of(killed), [node for node in cluster.nodes if node not in (drained, killed)]
            killed.kill()
            eventually(lambda: not any(gone in cluster.holdings(node) for node in left))
            eventually(lambda before=load.count(): load.count() > before + 20)  # begun when they knew that it is dead
            refused = len(load.refused)
            eventually(lambda before=load.count(): load.count() > before + 50)
            assert len(load.refused) == refused, "the other holders answer"
            eventually(lambda: cluster.is_settled(2))
        load.check(cluster.nodes[0])
        load.check(fourth)
    finally:
        cluster.end()


def test_what_lacks_no_event_of_a_paused_projection_is_answered_by_any_node(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp, copies=2)
    try:
        for _ in range(3):
            cluster.add()
        eventually(lambda: cluster.is_settled(2) and not cluster.moving())
        farmers = [cluster.nodes[0].user("vast") for _ in range(6)]
        farms = [path_of(farmer.farm()) for farmer in farmers]
        clients = [everywhere(cluster, farmer) for farmer in farmers]
        for node in cluster.nodes:
            order(node, "finance", "pause")
        paused_at = time.monotonic()

        def others_have_heard():
            told = [each for node in cluster.nodes for each in node.operate("GET", "/operator/v1/nodes").data]
            return time.monotonic() > paused_at + 3 and all(each["state"] == "live" for each in told)

        eventually(others_have_heard)
        assert cluster.is_settled(2), "they hold what they held"
        assert [[client.get(farm).status for client in some] for some, farm in zip(clients, farms)] == [[200] * 3] * 6
        assert [some[2].post("/farms", {"name": "Late", "totalArea": 1}).status for some in clients] == [201] * 6
        for node in cluster.nodes:
            order(node, "finance", "resume")
    finally:
        cluster.end()


def test_a_change_is_forwarded_to_a_holder_that_takes_changes(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp, copies=2)
    try:
        cluster.add()
        cluster.add()
        cluster.add(flags=["--roles", "query,project"])
        eventually(lambda: cluster.is_settled(2) and not cluster.moving())
        for farmer in [cluster.nodes[0].user("vast") for _ in range(12)]:
            batch = {"requests": [{"method": "POST", "path": "/v1/farms", "body": {"name": "Of a batch", "totalArea": 1}}]}
            for number, client in enumerate(everywhere(cluster, farmer)[:2]):
                assert client.post("/farms", {"name": f"Farm {number}", "totalArea": 1}).status == 201
            assert farmer.post("/batch", batch).status == 200
    finally:
        cluster.end()


def test_a_node_that_comes_back_catches_up_with_what_it_held(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp, copies=1)
    try:
        one, other = cluster.add(), cluster.add()
        eventually(lambda: cluster.is_settled(1))
        farmers = [one.user("vast") for _ in range(8)]
        farms = [farmer.farm() for farmer in farmers]
        other.stop()
        eventually(lambda: cluster.holdings()[id_of(one)] == PARTITIONS)
        for farmer, farm in zip(farmers, farms):
            assert farmer.put(path_of(farm), {"name": "While it was away"}).status == 200
        other.start()
        eventually(lambda: cluster.is_settled(1))
        for farmer, farm in zip(farmers, farms):
            for client in (farmer, other.client_of(farmer)):
                assert client.read(path_of(farm))["name"] == "While it was away"
    finally:
        cluster.end()


def test_nodes_that_are_ready_forward_to_one_another_at_once(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp, copies=1)
    try:
        nodes = [cluster.add(), cluster.add()]
        eventually(lambda: cluster.is_settled(1) and not cluster.moving())
        farmers = [nodes[0].user("vast") for _ in range(8)]
        farms = [path_of(farmer.farm()) for farmer in farmers]
        for node in nodes:
            node.stop()
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(Service.start, nodes))
        clients = [[node.client_of(farmer) for node in nodes] for farmer in farmers]
        for node in nodes:  # which has heard that the other is ready as this has, but perhaps some milliseconds later
            eventually(lambda: all(each["ready"] for each in node.operate("GET", "/operator/v1/nodes").data))
        assert [[client.get(farm).status for client in some] for some, farm in zip(clients, farms)] == [[200, 200]] * 8
    finally:
        cluster.end()


def test_what_makes_no_sense_is_refused_at_the_start(tmp_path):
    def refused(config):
        (tmp_path / "tilth.toml").write_text(config)
        done = subprocess.run([BINARY, "serve", "--data", tmp_path / "data", "--config", tmp_path / "tilth.toml",
                               "--log", "kafka", "--brokers", BROKERS], capture_output=True, text=True, timeout=60)
        assert done.returncode != 0, done
        return done.stderr
    assert "cluster.copies needs cluster.listen" in refused("[cluster]\ncopies = 2\n")
    assert "cluster.advertise is every address" in refused(
        '[cluster]\ncopies = 2\nlisten = "127.0.0.1:0"\nadvertise = "0.0.0.0:8090"\n')
    assert "cluster.listen needs cluster.copies" in refused('[cluster]\nlisten = "127.0.0.1:0"\n')
    assert "cluster.advertise" in refused('[cluster]\ncopies = 2\nlisten = "0.0.0.0:8090"\n')
    assert "needs the roles" in refused('roles = ["command", "query", "project"]\n[cluster]\ncopies = 2\nlisten = "127.0.0.1:0"\n')


@pytest.mark.parametrize("listens", [False, True])
def test_no_land_is_given_to_a_node_that_cannot_be_reached(tmp_path_factory, listens):
    """It answers for a part itself, and the others go on to answer for that, too. Where it advertises, nothing
    listens, or another node does."""
    cluster = Cluster(tmp_path_factory.mktemp, copies=1)
    try:
        port = free_port() if listens else 9
        if listens:
            cluster.config = cluster.config.replace("127.0.0.1:0", f"127.0.0.1:{port}")
        near = cluster.add()
        farmers = [near.user("vast") for _ in range(12)]
        for farmer in farmers:
            farmer.farm()
        cluster.config = divided(1, f'advertise = "127.0.0.1:{port}"\n')
        far = cluster.add()
        why = f"At its cluster.advertise, 127.0.0.1:{port}, another node answers: {id_of(near)}." if listens else \
            "The node at 127.0.0.1:9 cannot be reached: Connection refused."
        eventually(lambda: why in ask(near, "nodes") and metric(near, "tilth_peers_unreached") == 1)
        assert 0 < metric(far, "tilth_cells_held") < 12
        # A node gives up in three seconds what others hold that it reaches.
        ask_on = time.monotonic() + 6
        while time.monotonic() < ask_on:
            for farmer in farmers:
                reply = farmer.get("/farms")
                assert reply.status == 200 and len(reply.data) == 1, reply
        assert metric(near, "tilth_cells_held") == 12
        (far.directory / "tilth.toml").write_text(divided(1))
        far.restart()
        eventually(lambda: cluster.is_settled(1) and metric(near, "tilth_peers_unreached") == 0)
        assert why not in ask(near, "nodes")
    finally:
        cluster.end()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Of the tests below. Those with clusters of their own come before them, since idle nodes cost them time, too."""
    cluster = Cluster(tmp_path_factory.mktemp, copies=1, more=f"[limits]\nmax_body_bytes = {128 << 20}\n")
    try:
        for _ in range(3):
            cluster.add()
        eventually(lambda: cluster.is_settled(1) and not cluster.moving())
        yield cluster
    finally:
        cluster.end()


def test_each_node_holds_a_part_and_all_hold_everything(cluster):
    parts = cluster.holdings().values()
    assert all(2 <= len(part) <= 6 for part in parts) and set.union(*parts) == PARTITIONS
    assert sum(metric(node, "tilth_cells_held") for node in cluster.nodes) == 12
    assert ask(cluster.nodes[0], "nodes").count(" live ") == 3


def test_any_node_answers_for_every_owner(cluster):
    for farmer in [cluster.nodes[0].user("vast") for _ in range(12)]:
        clients = everywhere(cluster, farmer)
        for number, client in enumerate(clients):
            made = client.post("/farms", {"name": f"Farm {number}", "totalArea": 1})
            for reader in clients:
                reply = reader.get(f"/farms/{made.data['id']}", since(made))
                assert reply.status == 200 and reply.data == made.data, reply
        assert len({client.get("/farms", since(made)).body for client in clients}) == 1
    assert all(metric(node, "tilth_forwarded_requests_total") > 0 for node in cluster.nodes)


def test_any_node_erases_a_person_and_nobody_else(cluster):
    stays = cluster.nodes[0].user("vast")
    farm = stays.farm()
    for asked in cluster.nodes:
        gone = cluster.nodes[0].user("vast")
        gone.farm()
        erased = asked.operate("POST", f"/operator/v1/users/{gone.id}/erase", {"reason": "asked"}).data
        assert erased["complete"] and erased["left"] is None, erased
        for client in everywhere(cluster, gone):
            assert client.get("/farms").status == 401
        for client in everywhere(cluster, stays):
            assert client.get(f"/farms/{farm['id']}").data == farm


def counts_once(client):
    """Whether each request counts once, where it came in. What other nodes have counted may become known in between."""
    left = [int(client.get("/farms").header("X-RateLimit-Remaining")) for _ in range(3)]
    return left[0] - left[1] == left[1] - left[2] == 1


def test_an_answer_is_the_same_whether_it_was_forwarded_or_not(cluster):
    """What concerns the connection is done where the client is, once."""
    for farmer in [cluster.nodes[0].user("vast") for _ in range(6)]:
        clients = everywhere(cluster, farmer)
        farm = [farmer.farm() for _ in range(4)][0]
        made = farmer.post(f"/farms/{farm['id']}/fields", {"name": "North", "area": 10})
        field = made.data
        replies = [client.get(path_of(field), {"X-Request-Id": "mine", **since(made)}) for client in clients]
        names = [sorted(name.lower() for name, _ in reply.headers) for reply in replies]
        assert names[0] == names[1] == names[2] and len(set(names[0])) == len(names[0])
        assert {reply.header("X-Request-Id") for reply in replies} == {"mine"}
        tag = replies[0].header("ETag")
        for client in clients:
            assert client.get(path_of(field), {"If-None-Match": tag}).status == 304
            assert client.send("HEAD", "/api/v1" + path_of(field)).body == b""
            zipped = client.get("/farms", {"Accept-Encoding": "gzip"})
            assert zipped.header("Content-Encoding") == "gzip" and zipped.header("Vary") == "Accept-Encoding", zipped
            assert client.put(path_of(field), {"area": 11}, {"If-Match": '"0-0"'}).status == 412
            missing = client.get(f"/farms/{field['id']}")
            assert (missing.status, missing.json["code"]) == (404, "NOT_FOUND")
            assert client.post("/farms", {"name": 7}).details == farmer.post("/farms", {"name": 7}).details
            eventually(lambda: counts_once(client))


def test_a_large_body_is_forwarded_whole(cluster):
    farmer = cluster.nodes[0].user("vast")
    farm = farmer.farm()
    for number, client in enumerate(everywhere(cluster, farmer)):
        reply = client.put(f"/farms/{farm['id']}", {"name": f"Farm {number}", "notAMember": " " * (65 << 20)})
        assert reply.status == 200 and reply.data["name"] == f"Farm {number}", reply


def test_a_client_cannot_speak_for_another(cluster):
    victim, thief = cluster.nodes[0].user("vast"), cluster.nodes[0].user("vast")
    farm = victim.farm()
    for client in everywhere(cluster, thief):
        forged = {"Tilth-Forwarded-For": victim.id, "Tilth-Forwarded-Access": "p0.0"}
        assert client.get(path_of(farm), forged).status == 404
        assert client.get("/farms", forged).pagination["total"] == 0
        asked = client.get("/market/regional-prices?country=JP", {**forged, "Tilth-Forwarded-Parts": "1"})
        assert asked.status == 200 and asked.json["data"] == [], asked


def test_a_key_that_was_revoked_opens_no_node(cluster):
    for _ in range(4):
        farmer = cluster.nodes[0].user("vast")
        clients = everywhere(cluster, farmer)
        assert {client.get("/farms").status for client in clients} == {200}
        cluster.nodes[1].operate("DELETE", f"/operator/v1/users/{farmer.id}/api-keys/{farmer.key_id}", status=204)
        assert {client.get("/farms").status for client in clients} == {401}


def test_a_key_sent_to_several_nodes_makes_one_record(cluster):
    farmer = cluster.nodes[0].user("vast")
    clients = everywhere(cluster, farmer)
    for number in range(5):
        farm = {"name": f"Ash {number}", "totalArea": 1}
        key = {"Idempotency-Key": str(uuid.uuid4())}
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            replies = list(pool.map(lambda client: client.post("/farms", farm, key), clients))
        made = {reply.data["id"] for reply in replies if reply.status == 201}
        assert len(made) == 1 and all(reply.status in (201, 409) for reply in replies), replies
    assert len(farmer.listed("/farms")) == 5


def test_batches_exports_histories_and_the_past_are_forwarded(cluster):
    for farmer in [cluster.nodes[0].user("vast") for _ in range(6)]:
        one, other, third = everywhere(cluster, farmer)
        farm = one.farm()
        requests = [{"method": "POST", "path": f"/v1/farms/{farm['id']}/fields", "body": {"name": f"F{i}", "area": 1}}
                    for i in range(150)]
        reply = other.post("/batch", {"requests": requests})
        assert reply.status == 200, reply
        names = [name.lower() for name, _ in reply.headers]
        assert len(set(names)) == len(names), names
        last = since(third.post(f"/farms/{farm['id']}/fields", {"name": "Last", "area": 1}))
        for client in (one, other, third):
            assert client.get(f"/farms/{farm['id']}/fields?limit=1", last).pagination["total"] == 151
        lines = {client.get("/events", last).body for client in (one, other, third)}
        assert len(lines) == 1 and len(lines.pop().splitlines()) == 152
        as_of = {"Tilth-As-Of": cluster.nodes[0].now()}
        assert len({client.get("/farms", as_of).body for client in (one, other, third)}) == 1


def test_prices_are_those_of_all_nodes(cluster):
    """Five owners of one country, each where placement has put them; the sums are those of all."""
    farmers = [cluster.nodes[0].user("vast") for _ in range(9)]
    for number, farmer in enumerate(farmers, 1):
        farm = farmer.farm(country="Iceland")
        for client in everywhere(cluster, farmer):
            report = {"farmId": farm["id"], "cropName": "Barley", "price": number * 100, "unit": "per_ton", "quantity": 1,
                      "currency": "ISK", "observedOn": "2026-02-20"}
            last = client.post("/market/price-reports", report)
            assert last.status == 201, last
        for client in everywhere(cluster, farmer):
            reply = client.get("/market/regional-prices?country=IS", since(last))
            assert reply.status == 200, reply
            shown = reply.json["data"]
            if number < 5:
                assert shown == []
                continue
            price = shown[0]
            assert len(shown) == 1 and price["sampleSize"] == number
            assert (price["minPrice"], price["avgPrice"], price["maxPrice"]) == (100, (number + 1) * 50, number * 100)
    parts = [node for node in cluster.nodes if metric(node, "tilth_parts_asked_total") > 0]
    assert len(parts) == 3


def test_a_node_has_read_everything_once_it_has_read_its_part(cluster):
    cluster.nodes[0].user("vast").farm()
    for node in cluster.nodes:
        eventually(lambda node=node: all(
            each["lagEvents"] == 0 and each["state"] == "running"
            for each in node.operate("GET", "/operator/v1/status").data["projections"]))
        eventually(lambda node=node: metric(node, "tilth_projection_lag_events") == 0)


def test_what_no_node_can_do_for_another_is_said(cluster):
    farmer = cluster.nodes[0].user("vast")
    farmer.farm()
    answers = [node.operator.send("GET", f"/operator/v1/users/{farmer.id}/usage") for node in cluster.nodes]
    here = [reply for reply in answers if reply.status == 200]
    assert here and all(reply.data["farms"] == 1 for reply in here)
    holders = [node.operator_address for node, reply in zip(cluster.nodes, answers) if reply.status == 200]
    for reply in answers:
        assert reply.status in (200, 409), reply
        assert reply in here or any(holder in reply.json["message"] for holder in holders), reply
