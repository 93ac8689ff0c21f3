"""The import of a history from another service: exported, imported, and exported again."""
import collections
import json
import random
import re
import shutil
import threading
import time
import uuid

import pytest

from client import Client
from routes import PATHS, filled, ids_of
from service import BROKERS, START, Service, path_of, refused, run

EVENTS = "/operator/v1/events"
LINES = {"Content-Type": "application/x-ndjson"}


@pytest.fixture
def empty(tmp_path):
    """Creates services whose log is empty."""
    begun = []

    def begin(**options):
        directory = tmp_path / f"empty-{len(begun)}"
        directory.mkdir()
        service = Service(directory, **options)
        begun.append(service)
        return service

    yield begin
    for service in begun:
        service.kill()


@pytest.fixture(scope="module")
def whole(tilth):
    """The owner and the land of a history with events of all kinds, and its export."""
    tilth.operate("POST", "/operator/v1/library", {"crops": [{"name": "Teff", "category": "grain"}]})
    user = tilth.user()
    land = user.land()
    key = str(uuid.uuid4())
    user.post("/farms", {"name": "Once \u00e9\u4e2d\U0001f33e \\ \"", "totalArea": "1e1"}, {"Idempotency-Key": key})
    user.post("/farms", {"name": 1}, {"Idempotency-Key": str(uuid.uuid4())})
    tilth.advance("PT1H")
    user.put(path_of(land[1]), {"notes": "wet", "soilPh": None})
    tilth.user(plan="seed")
    for path, *_ in PATHS:
        ids_of(land, path)  # which creates an entry of each kind
    return user, land, export(tilth)


def export(service):
    return service.operate("GET", EVENTS).body


def same(one, other):
    """Whether two exports are the same, byte for byte; on Kafka, where every copy of a retried record has an offset and a
    later copy may be the one that counts, except for the offsets, and stream by stream."""
    told = (by_stream(lines) if BROKERS else lines for lines in (one, other))
    return next(told) == next(told)


def by_stream(lines):
    streams = collections.defaultdict(list)
    for line in lines.splitlines():
        streams[json.loads(line)["subject"]].append(re.sub(rb'"offset":\d+', b"", line))
    return streams


def placed_anywhere(body):
    """An answer; on Kafka, for the same reason, without positions."""
    return re.sub(rb'"position":"[^"]*"', b"", body) if BROKERS else body


def send(service, lines, headers=LINES):
    return service.operator.send("POST", EVENTS, lines, headers)


def copied_secret(source, target):
    """API keys work after an import only with the key secret of the old data directory."""
    target.data.mkdir(parents=True, exist_ok=True)
    (target.data / "key.secret").write_bytes((source.data / "key.secret").read_bytes())
    (target.data / "key.secret").chmod(0o600)
    return target


def test_what_is_imported_is_exported_the_same(tilth, whole, empty):
    user, land, lines = whole
    other = copied_secret(tilth, empty(clock=tilth.now())).start()
    reply = send(other, lines)
    assert reply.status == 200 and reply.data == {"events": lines.count(b"\n")}, reply
    assert same(export(other), lines)
    there = other.client_of(user)
    for path, methods, _ in PATHS:
        if "GET" not in methods.split():
            continue
        target = filled(path, ids_of(land, path))
        if path.endswith("/varieties"):
            target += f"?adminCropId={land[0]['id']}"
        here, copy = user.get(target), there.get(target)
        assert (copy.status, placed_anywhere(copy.body)) == (here.status, placed_anywhere(here.body)), target
        assert copy.header("ETag") == here.header("ETag")
    other.restart()
    assert same(export(other), lines)


def test_it_goes_on_from_there(tilth, whole, empty):
    user, land, lines = whole
    other = copied_secret(tilth, empty(clock=tilth.now())).start()
    assert send(other, lines).status == 200
    there = other.client_of(user)
    assert there.put(path_of(land[0]), {"name": "Renamed"}).status == 200
    last = other.events(user.id)[-1]
    assert last["streamversion"] == lines.count(b'"subject":"%s"' % user.id.encode())
    assert BROKERS or last["offset"] == lines.count(b"\n")
    other.restart()
    assert other.client_of(user).get(path_of(land[0])).data["name"] == "Renamed"


@pytest.mark.embedded_log
def test_a_repeat_is_answered_as_before(tilth, empty):
    user, key = tilth.user(), str(uuid.uuid4())
    first = user.post("/farms", {"name": "Once", "totalArea": 1}, {"Idempotency-Key": key})
    other = copied_secret(tilth, empty(clock=tilth.now())).start()
    assert send(other, export(tilth)).status == 200
    again = other.client_of(user).post("/farms", {"name": "Once", "totalArea": 1}, {"Idempotency-Key": key})
    assert again.header("Idempotent-Replayed") == "true" and again.body == first.body


@pytest.mark.embedded_log
def test_counts_start_again(tilth, whole, empty):
    user, _, lines = whole
    other = copied_secret(tilth, empty(clock=tilth.now())).start()
    assert send(other, lines).status == 200
    assert other.client_of(user).get("/farms").header("X-RateLimit-Remaining") == "999"


@pytest.mark.embedded_log
def test_only_an_empty_log_takes_one(tilth, whole, empty):
    *_, lines = whole
    refused(send(tilth, lines), 409, "CONFLICT")
    other = empty().start()
    other.user()
    before = export(other)
    refused(send(other, lines), 409, "CONFLICT")
    assert export(other) == before


@pytest.mark.embedded_log
def test_only_a_service_without_the_library_takes_one(whole, empty):
    *_, lines = whole
    other = empty()
    other.flags.remove("--no-library")
    other.start()
    refused(send(other, lines), 409, "CONFLICT")


def broken(lines, number, change):
    """The lines, with one of them changed."""
    split = lines.splitlines()
    split[number] = change(split[number])
    return b"\n".join(split) + b"\n"


def changed(**members):
    def change(line):
        event = {**json.loads(line), **members}
        return json.dumps({name: value for name, value in event.items() if value is not ...}).encode()
    return change


@pytest.mark.parametrize("change", [
    lambda line: b"not JSON", lambda line: b"[]", lambda line: line[:-2], lambda line: line + b"x",
    lambda line: b'"' + line + b'"', lambda line: line.replace(b'"id"', b'"Id"'), lambda line: b"\xff" + line,
    changed(specversion="0.3"), changed(specversion=...), changed(id=...), changed(id=""), changed(id=7),
    changed(type="tilth.plough.bought"), changed(type=...), changed(subject="somebody"), changed(subject="user_"),
    changed(subject="user_a\0b"), changed(time="yesterday"), changed(time=...), changed(streamversion=9_999),
    changed(streamversion="x"), changed(streamversion=-1), changed(schemaversion=99), changed(data=...),
    changed(data=[]), changed(data="x"), changed(data={}), changed(id="event-5"), changed(accepted=False),
    changed(datacontenttype="text/xml"), changed(predecessor="event-3"), changed(predecessor=7),
], ids=str)
@pytest.mark.embedded_log
def test_a_line_that_is_no_event_of_ours_is_named_and_nothing_is_kept(whole, empty, change):
    *_, lines = whole
    other = empty().start()
    reply = send(other, broken(lines, 4, change))
    refused(reply, 400, "VALIDATION_ERROR")
    assert "line 5" in json.dumps(reply.json), reply
    assert export(other) == b""
    other.restart()
    assert export(other) == b""
    assert send(other, lines).status == 200


@pytest.mark.embedded_log
def test_a_gap_in_a_stream_is_named(whole, empty):
    user, _, lines = whole
    split = lines.splitlines()
    mine = [number for number, line in enumerate(split) if json.loads(line)["subject"] == user.id]
    del split[mine[2]]
    other = empty().start()
    reply = send(other, b"\n".join(split))
    refused(reply, 400, "VALIDATION_ERROR")
    assert f"line {mine[3]}" in json.dumps(reply.json), (reply, mine)
    assert export(other) == b""


@pytest.mark.parametrize("same_owner", [True, False])
@pytest.mark.embedded_log
def test_an_id_that_is_there_twice_is_named_and_nothing_is_kept(whole, empty, same_owner):
    """Receivers of webhooks know events by their ids."""
    user, _, lines = whole
    events = [json.loads(line) for line in lines.splitlines()]
    mine, others = ([number for number, event in enumerate(events) if (event["subject"] == user.id) is its] for its in (True, False))
    first, second = mine[1], mine[-1] if same_owner else others[-1]
    first, second = sorted((first, second))
    twice = broken(lines, second, changed(id=events[first]["id"].upper()))
    other = empty().start()
    reply = send(other, twice)
    refused(reply, 400, "VALIDATION_ERROR")
    assert reply.json["details"]["body"] == [f"line {second + 1}: its id is that of line {first + 1}"]
    assert export(other) == b"" and list((other.data / "import").glob("*")) == []
    assert send(other, lines).status == 200


@pytest.mark.embedded_log
def test_empty_lines_and_a_missing_last_line_feed_do_no_harm(whole, empty):
    *_, lines = whole
    other = empty().start()
    assert send(other, b"\n" + lines.replace(b"\n", b"\r\n\n").rstrip()).data == {"events": lines.count(b"\n")}
    assert same(export(other), lines)


@pytest.mark.embedded_log
def test_nothing_can_be_imported(empty):
    other = empty().start()
    assert send(other, b"").data == {"events": 0}
    assert export(other) == b""


@pytest.mark.embedded_log
def test_it_takes_json_lines_and_the_token(whole, empty):
    *_, lines = whole
    other = empty().start()
    refused(send(other, lines, {"Content-Type": "application/json"}), 415, "UNSUPPORTED_MEDIA_TYPE")
    stranger = Client(other.operator_address)
    refused(stranger.send("POST", EVENTS, lines, LINES), 401, "UNAUTHORIZED")
    assert export(other) == b""


@pytest.mark.embedded_log
def test_the_command_line_imports_a_file(tilth, whole, empty, tmp_path):
    file = tmp_path / "history.jsonl"
    there = ["--operator", f"http://{tilth.operator_address}", "--data", tilth.data]
    assert run("events", "export", "--output", file, *there).returncode == 0
    assert file.read_bytes() == export(tilth)
    other = empty().start()
    here = ["--operator", f"http://{other.operator_address}", "--data", other.data]
    result = run("events", "import", file, *here)
    assert result.returncode == 0 and "%d events" % file.read_bytes().count(b"\n") in result.stdout, result
    assert same(export(other), file.read_bytes())
    again = run("events", "import", file, *here)
    assert again.returncode == 1 and "not empty" in again.stderr, again
    missing = run("events", "import", tmp_path / "missing", *here)
    assert missing.returncode == 1 and "missing" in missing.stderr


@pytest.mark.embedded_log
def test_an_export_for_people_has_no_password_hashes(tilth, empty, tmp_path):
    password = "correct horse battery"
    email = f"{uuid.uuid4()}@example.org"
    user = tilth.operate("POST", "/operator/v1/users", {"email": email, "plan": "seed", "password": password}, 201).data
    key = tilth.operate("POST", f"/operator/v1/users/{user['id']}/api-keys", {"name": "k", "scopes": ["all"]}, 201).data

    def moved(*secrets):
        """A service with the history of an export, the key secret and the status of a sign-in there."""
        file = tmp_path / f"history{len(secrets)}.jsonl"
        done = run("events", "export", "--output", file, *secrets, "--operator", f"http://{tilth.operator_address}",
                   "--data", tilth.data)
        assert done.returncode == 0, done
        other = empty()
        other.data.mkdir()
        shutil.copy(tilth.data / "key.secret", other.data)
        send(other.start(), file.read_bytes())
        assert same(export(other), file.read_bytes()), "what is imported is exported again, byte for byte"
        assert Client(other.address, f"Bearer {key['key']}").get("/farms").status == 200, "keys work"
        signed_in = Client(other.address).send("POST", "/api/auth/sign-in", {"email": email, "password": password})
        return other, file.read_bytes(), signed_in.status

    other, lines, status = moved()
    assert b"argon2id" not in lines and status == 401
    other.operate("PUT", f"/operator/v1/users/{user['id']}", {"password": password})
    assert Client(other.address).send("POST", "/api/auth/sign-in", {"email": email, "password": password}).status == 200
    _, lines, status = moved("--with-secrets")
    assert b"argon2id" in lines and lines == export(tilth) and status == 200


def many_lines(lines, times, repeated="tilth.field.amended", data=lambda number: {}):
    """A long history: the first event of that type is repeated, each time with other data."""
    split = [json.loads(line) for line in lines.splitlines()]
    first = next(event for event in split if event["type"] == repeated)
    version = 1 + max(event["streamversion"] for event in split if event["subject"] == first["subject"])
    out = [json.dumps(event) for event in split]
    for number in range(times):
        out.append(json.dumps({**first, "id": str(uuid.UUID(int=number, version=4)),
                               "streamversion": version + number, "data": {**first["data"], **data(number)}}))
    return ("\n".join(out) + "\n").encode()


def test_a_kill_while_it_imports_leaves_all_or_nothing(whole, empty):
    *_, lines = whole
    long = many_lines(lines, 8_000)
    rng = random.Random(7)
    outcomes = set()
    begun = time.monotonic()
    assert send(empty().start(), long).status == 200
    took = time.monotonic() - begun
    for _ in range(4 if BROKERS else 6):
        other = empty().start()
        client = Client(other.operator_address, other.operator.authorization)

        def import_it():
            try:
                client.send("POST", EVENTS, long, LINES)
            except Exception:
                pass  # the service was killed

        importing = threading.Thread(target=import_it)
        importing.start()
        time.sleep(rng.uniform(0, took))
        other.kill()
        importing.join()
        other.start()
        other.operator.timeout = 180
        left = export(other).count(b"\n")
        assert left in (0, long.count(b"\n"))
        outcomes.add(left)
        if left == 0:
            assert send(other, long).status == 200
            assert export(other).count(b"\n") == long.count(b"\n")
        assert list((other.data / "import").glob("*")) == []
    assert 0 in outcomes


@pytest.mark.embedded_log
def test_a_stop_while_it_imports_leaves_all_or_nothing(whole, empty):
    """The service waits for the import, and frees nothing that the import still needs."""
    *_, lines = whole
    long = many_lines(lines, 20_000)
    other = empty()
    other.environment["MALLOC_CONF"] = "junk:true"  # freed memory does not look valid
    other.start()
    client = Client(other.operator_address, other.operator.authorization)
    head = f"POST {EVENTS} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: {client.authorization}\r\n"
    head += f"Content-Type: application/x-ndjson\r\nContent-Length: {len(long)}\r\n\r\n"
    client.connection().sendall(head.encode() + long)
    deadline = time.monotonic() + 60
    while not list((other.data / "import").glob("*")):
        assert time.monotonic() < deadline, "no import"
    client.close()
    other.stop()
    other.start()
    assert export(other).count(b"\n") in (0, long.count(b"\n"))


def another_plant(number):
    return {"plantId": str(uuid.UUID(int=number, version=4)), "label": f"Tree {number * 7919 % 9973}"}


@pytest.mark.embedded_log
def test_a_long_history_is_folded_at_once_where_rows_are_missing(tilth, whole, empty):
    """As when a node joins, and when rows have another shape than before."""
    user, land, lines = whole
    plants = f"{path_of(land[3])}/plants"
    total = user.get(plants).pagination["total"] + 20_000
    other = copied_secret(tilth, empty(clock=tilth.now())).start()
    assert send(other, many_lines(lines, 20_000, "tilth.plant.registered", another_plant)).status == 200
    there = other.client_of(user)
    pages = [f"{plants}?page={page}&limit=100&sort={sort}" for page in (1, 100, 201) for sort in ("createdAt", "label")]
    before = [there.get(page).json for page in pages]
    assert all(page["pagination"]["total"] == total and page["data"] for page in before)
    other.stop()
    for name in ("registry", "finance"):
        shutil.rmtree(other.data / "views" / name)
    other.start()
    there = other.client_of(user)
    assert [there.get(page).json for page in pages] == before
    other.operator.close()
    other.operator.timeout = 180  # all rows are compared before the response begins
    assert other.operate("POST", "/operator/v1/projections/registry/verify").data["differences"] == []
    assert "in bulk" not in other.tail(), "it folded page by page, and logged why"
