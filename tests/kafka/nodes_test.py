"""Two nodes that share nothing but Kafka keep the guarantees of one."""
import concurrent.futures
import json
import signal
import subprocess
import time
import uuid

import pytest

from client import Client
from conftest import clients
from service import BINARY, BROKERS, VAST, Service, path_of, refused

FARM = {"name": "Ash", "totalArea": 10}


def at_once(*calls):
    """The results of calls that run at the same time."""
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        return [done.result() for done in [pool.submit(call) for call in calls]]


def settled(client, path, body, headers):
    """The response to a request whose first copy may still run."""
    for _ in range(100):
        reply = client.post(path, body, headers)
        if not (reply.status == 409 and reply.header("Retry-After")):
            return reply
        time.sleep(0.05)
    raise AssertionError(reply)


def test_a_key_minted_on_one_node_opens_the_other_at_once(nodes):
    for _ in range(10):
        one, other = clients(nodes)
        assert other.get("/farms").status == 200


def test_what_was_written_on_one_node_is_read_on_the_other(user):
    writer, reader = user
    for number in range(20):
        made = writer.post("/farms", {"name": f"Farm {number}", "totalArea": 10})
        position = {"Tilth-Min-Position": made.header("Tilth-Position")}
        read = reader.get(f"/farms/{made.data['id']}", position)
        assert read.status == 200 and read.data == made.data, read
        assert reader.get("/farms", position).pagination["total"] == number + 1
        writer, reader = reader, writer


def test_an_owner_s_history_is_the_same_on_every_node(user):
    one, other = user
    for number in range(10):
        one.farm()
        history = one.get("/events").body
        assert other.get("/events").body == history and history.count(b"\n") == number + 1
        one, other = other, one
    mark = json.loads(history.splitlines()[4])["position"]
    assert other.get(f"/events?after={mark}").body.count(b"\n") == 5


def test_the_past_is_the_same_on_every_node(nodes, user):
    one, other = user
    farm = one.farm(name="Then")
    as_of = {"Tilth-As-Of": nodes[0].now()}
    for node in nodes:
        node.advance("PT1H")
    one.put(path_of(farm), {"name": "Now"})
    for client in user:
        assert client.get(path_of(farm), as_of).data["name"] == "Then"


def test_no_history_is_imported_while_another_node_would_read_a_part_of_it(tmp_path):
    nodes = []
    try:
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            nodes.append(Service(tmp_path / name, topic=nodes[0].topic if nodes else None).start())
        lines = {"Content-Type": "application/x-ndjson"}
        reply = nodes[0].operator.send("POST", "/operator/v1/events", b"", lines)
        assert refused(reply, 409, "CONFLICT") and "Other nodes" in reply.json["message"]
    finally:
        for node in nodes:
            node.kill()


def test_a_change_is_decided_on_what_the_other_node_has_written(user):
    one, other = user
    farm = one.farm()
    for number in range(20):
        reply = other.put(f"/farms/{farm['id']}", {"name": f"Name {number}"})
        assert reply.status == 200, reply
        one, other = other, one
    assert one.delete(f"/farms/{farm['id']}").status == 204
    assert refused(other.put(f"/farms/{farm['id']}", {"name": "Late"}), 404, "NOT_FOUND")


def test_of_two_farms_of_one_name_exactly_one_is_made(user):
    for number in range(20):
        body = {**FARM, "name": f"Ash {number}"}
        replies = at_once(*(lambda client=client: client.post("/farms", body) for client in user))
        assert sorted(reply.status for reply in replies) == [201, 409], replies
    assert user[0].get("/farms?limit=100").pagination["total"] == 20


def test_of_two_plants_with_one_tag_exactly_one_is_made(user):
    block = user[0].block(user[0].crop(user[0].field(user[0].farm())))
    path = f"{path_of(block)}/plants"
    for number in range(10):
        body = {"label": "A", "tagId": f"T-{number}"}
        replies = at_once(*(lambda client=client: client.post(path, body) for client in user))
        assert sorted(reply.status for reply in replies) == [201, 409], replies


def test_one_idempotency_key_on_two_nodes_at_once_has_one_effect(user):
    for number in range(20):
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        body = {**FARM, "name": f"Oak {number}"}
        replies = at_once(*(lambda client=client: settled(client, "/farms", body, headers) for client in user))
        assert [reply.status for reply in replies] == [201, 201], replies
        assert replies[0].body == replies[1].body
        assert sorted(bool(reply.header("Idempotent-Replayed")) for reply in replies) == [False, True]
    assert user[1].get("/farms?limit=100").pagination["total"] == 20


def test_a_limit_holds_for_both_nodes_together(nodes):
    one, other = clients(nodes, "seed")  # 25 an hour
    for _ in range(10):
        assert one.get("/farms").status == 200
    deadline = time.monotonic() + 30
    remaining = 25
    while remaining > 5 and time.monotonic() < deadline:
        time.sleep(1)
        remaining = int(other.get("/farms").header("X-RateLimit-Remaining"))
    used = 25 - remaining
    assert used >= 11, "the other node does not count the requests to the first one"
    for _ in range(remaining):
        assert other.get("/farms").status == 200
    assert refused(other.get("/farms"), 429, "RATE_LIMIT_EXCEEDED")
    while (reply := one.get("/farms")).status == 200 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert refused(reply, 429, "RATE_LIMIT_EXCEEDED")


def test_both_nodes_together_tell_how_often_a_key_was_used(nodes):
    one, other = clients(nodes)
    for _ in range(3):
        assert one.get("/farms").status == other.get("/farms").status == 200
    path = f"/operator/v1/users/{one.id}/api-keys"
    deadline = time.monotonic() + 30
    while any(node.operate("GET", path).data[0]["usageCount"] != 6 for node in nodes):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def revoke(nodes, farmer):
    nodes[0].operate("DELETE", f"/operator/v1/users/{farmer.id}/api-keys/{farmer.key_id}", status=204)


def test_a_revoked_key_is_refused_by_every_node_once_that_was_answered(nodes):
    for _ in range(3):
        one, other = clients(nodes)
        assert other.get("/farms").status == 200
        revoke(nodes, one)
        assert refused(other.get("/farms"), 401, "INVALID_API_KEY")
        assert refused(one.get("/farms"), 401, "INVALID_API_KEY")


def test_a_node_that_slept_through_a_revocation_admits_no_one_by_mistake(nodes):
    one, other = clients(nodes)
    assert other.get("/farms").status == 200
    nodes[1].child.send_signal(signal.SIGSTOP)
    try:
        revoke(nodes, one)
    finally:
        nodes[1].child.send_signal(signal.SIGCONT)
    asked = [Client(nodes[1].address, one.authorization).get("/farms") for _ in range(50)]
    statuses = {reply.status for reply in asked}
    assert statuses <= {401, 503} and asked[-1].status == 401, statuses


def test_both_nodes_tell_one_history(nodes, user):
    for client in user * 3:
        client.field(client.farm())
    one, other = (node.events(user[0].id) for node in nodes)
    assert one == other and len(one) == 12
    assert [event["streamversion"] for event in one] == list(range(12))
    assert {event["source"] for event in one} == {
        f"tilth://{node.operate('GET', '/operator/v1/status').data['node']}" for node in nodes}


def planting(block, tag):
    return {"method": "POST", "path": f"/v1{path_of(block)}/plants", "body": {"label": "Palm", "tagId": tag}}


def test_changes_of_one_owner_on_both_nodes_at_once_happen_once_each(nodes, user):
    """In batches, whose changes are decided before those before them are stored."""
    block = user[0].block(user[0].crop(user[0].field(user[0].farm())))
    own = [[f"{node} {number}" for number in range(150)] for node in range(2)]
    shared = [f"both {number}" for number in range(20)]
    tags = [[*each[:75], *shared, *each[75:]] for each in own]
    replies = at_once(*[lambda client=client, tags=tags: client.post("/batch", {"requests": [
        planting(block, tag) for tag in tags]}) for client, tags in zip(user, tags)])
    assert all(reply.status == 200 for reply in replies), replies
    answers = [(tag, each["status"]) for reply, sent in zip(replies, tags) for tag, each in zip(sent, reply.data)]
    assert {status for _, status in answers} == {201, 409}
    assert sorted(tag for tag, status in answers if status == 201) == sorted([*own[0], *own[1], *shared])
    one, other = (node.events(user[0].id) for node in nodes)
    assert one == other and len(one) == 4 + 320
    assert [event["streamversion"] for event in one] == list(range(len(one)))


def test_an_event_that_was_decided_upon_another_names_it(nodes, user):
    block = user[0].block(user[0].crop(user[0].field(user[0].farm())))
    planted = user[0].post("/batch", {"requests": [planting(block, str(each)) for each in range(200)]})
    assert planted.status == 200, planted
    told = nodes[1].events(user[0].id, rejected="include")
    counted, last = 0, None
    for event in told:
        counts = event["streamversion"] == counted and event.get("predecessor") in (None, last)
        assert event["accepted"] is counts, event
        if counts:
            counted, last = counted + 1, event["id"]
    assert counted == 204 and any("predecessor" in event for event in told)
    rest = told[next(at for at, event in enumerate(told) if at > 100 and "predecessor" in event):]
    there = nodes[0].events(rejected="include", partition=rest[0]["partition"], **{"from": rest[0]["offset"]})
    assert [event for event in there if event["subject"] == user[0].id] == rest


def test_any_kafka_tool_reads_the_history(nodes, user):
    headers = {"Idempotency-Key": str(uuid.uuid4()),
               "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
    farm = user[0].post("/farms", FARM, headers).data
    output = subprocess.run(["kcat", "-C", "-e", "-q", "-J", "-b", BROKERS, "-t", nodes[0].topic], check=True,
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60).stdout
    messages = [json.loads(line) for line in output.splitlines()]
    message = next(each for each in messages if farm["id"] in each["payload"])
    told = dict(zip(message["headers"][::2], message["headers"][1::2]))
    event, = nodes[0].events(user[0].id)
    assert json.loads(message["payload"]) == {**event["data"], "name": {"sealed": True}}, "it names the farmer"
    assert message["key"] == told["ce_subject"] == user[0].id
    assert told["content-type"] == "application/json" and told["ce_specversion"] == "1.0"
    for name in ("id", "type", "source", "time", "streamversion", "schemaversion", "correlationid", "actor",
                 "idempotencykey", "traceparent"):
        assert told[f"ce_{name}"] == str(event[name]), name
    assert len(told["ce_requesthash"]) >= 16


@pytest.fixture(scope="module")
def reader(nodes, tmp_path_factory):
    node = Service(tmp_path_factory.mktemp("reader"), flags=["--roles", "query,project"], config=VAST,
                   topic=nodes[0].topic)
    try:
        yield node.start()
        node.stop()
    finally:
        node.kill()


def test_a_node_without_the_role_command_answers_questions_only(nodes, user, reader):
    farm = user[0].farm()
    client = reader.client_of(user[0])
    assert client.get("/farms").status == 200
    reply = client.post("/farms", FARM)
    assert refused(reply, 503, "SERVICE_UNAVAILABLE") and "command" in reply.json["message"]
    assert reply.header("Retry-After")
    assert client.put(f"/farms/{farm['id']}", FARM).status == 503
    assert client.delete(f"/farms/{farm['id']}").status == 503
    users = reader.operator.send("POST", "/operator/v1/users", {"email": "a@example.com", "plan": "seed"})
    assert users.status == 503
    assert reader.operate("GET", "/operator/v1/status").data["roles"] == ["query", "project"]


def test_a_node_without_the_role_query_takes_commands_only(nodes, user, tmp_path):
    node = Service(tmp_path, flags=["--roles", "command,project"], config=VAST, topic=nodes[0].topic)
    try:
        client = node.start().client_of(user[0])
        assert client.post("/farms", FARM).status == 201
        reply = client.get("/farms")
        assert refused(reply, 503, "SERVICE_UNAVAILABLE") and "query" in reply.json["message"]
        node.stop()
    finally:
        node.kill()


def test_a_node_begins_with_a_copy_of_another_ones_read_models(nodes, user, tmp_path):
    farm = user[0].farm()
    copy = tmp_path / "copy"
    nodes[0].operate("POST", "/operator/v1/backup", {"directory": str(copy)}, status=201)
    later = user[1].farm()
    assert not (copy / "log").exists()
    node = Service(tmp_path, config=VAST, topic=nodes[0].topic)
    subprocess.run([BINARY, "restore", copy, "--data", node.data], check=True, stdin=subprocess.DEVNULL)
    try:
        client = node.start().client_of(user[0])
        for made in (farm, later):
            assert client.read(f"/farms/{made['id']}") == made
        assert node.events(user[0].id) == nodes[0].events(user[0].id)
        node.stop()
    finally:
        node.kill()


def test_read_models_of_another_topic_are_refused(nodes, tmp_path):
    node = Service(tmp_path, config=VAST)
    try:
        node.start().stop()
        stranger = Service(tmp_path, config=VAST, topic=nodes[0].topic)
        stranger.launch()
        assert stranger.child.wait(120) == 1
        last = stranger.tail().strip().splitlines()[-1]
        assert node.topic in last and nodes[0].topic in last, last
    finally:
        node.kill()


def test_a_topic_that_was_made_again_under_the_same_name_is_refused(tmp_path):
    node = Service(tmp_path, config=VAST)
    try:
        node.start().user()
        node.restart()  # by now the log has a first event, and the node knows which
        node.stop()
        remembered = node.data / "views" / "log"
        name, first, sealing = remembered.read_text().splitlines()
        remembered.write_text(f"{name}\n{uuid.uuid4()}\n{sealing}\n")
        node.launch()
        assert node.child.wait(120) == 1
        assert "another topic of this name" in node.tail(), node.tail()
        remembered.write_text(f"{name}\n{first}\n{sealing}\n")
        node.start().stop()
    finally:
        node.kill()


def due(client, position):
    """The due dates of the tasks on a node that has read up to a position."""
    return [task["dueDate"] for task in client.get("/tasks?sort=dueDate&order=asc&limit=100", position).data]


def mark(client):
    """The position at the end of this user's stream."""
    reply = client.post("/farms", {**FARM, "name": str(uuid.uuid4())})
    return {"Tilth-Min-Position": reply.header("Tilth-Position")}


def test_two_nodes_with_a_clock_make_one_task_of_each_occurrence(nodes, user):
    user[0].rule(user[0].farm(), user[0].template(), pattern="daily", startDate=nodes[0].now())
    for days in range(1, 8):
        at_once(*(lambda node=node: node.advance("P1D") for node in nodes))
        position = mark(user[0])
        for client in user:
            made = due(client, position)
            assert len(made) == len(set(made)) == days + 1, made


def test_a_node_without_the_role_clock_leaves_what_falls_due_to_others(nodes, user, tmp_path):
    node = Service(tmp_path, flags=["--roles", "command,query,project"], config=VAST, topic=nodes[0].topic,
                   clock=nodes[0].now())
    try:
        client = node.start().client_of(user[0])
        user[0].rule(user[0].farm(), user[0].template(), pattern="daily", startDate=nodes[0].now())
        position = mark(user[0])
        node.advance("P1D")
        assert len(due(client, position)) == 1
        nodes[0].advance("P1D")
        position = mark(user[0])
        assert len(due(user[0], position)) == len(due(client, position)) == 2
        node.stop()
    finally:
        node.kill()
