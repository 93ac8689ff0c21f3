"""Traces: a traceparent is kept wherever its request leaves a mark, and spans reach a collector as OTLP says."""
import http.server
import json
import re
import socket
import threading
import time
import uuid

import pytest

from client import Client
from person import Person
from receiver import Receiver, eventually
from service import DEADLINE, VAST, Service, path_of, run

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
SAMPLED, UNSAMPLED = f"00-{TRACE}-{SPAN}-01", f"00-{TRACE}-{SPAN}-00"

CONFIG = """
log_level = "debug"
[webhooks]
allow_http = true
allow_private = true
""" + VAST

HOSTILE = [
    "", "-", "00", TRACE, SAMPLED[:-1], SAMPLED + "0", SAMPLED + "-00", SAMPLED.upper(), "ff" + SAMPLED[2:],
    "01" + SAMPLED[2:], f"00-{'0' * 32}-{SPAN}-01", f"00-{TRACE}-{'0' * 16}-01", f"00-{TRACE}-{SPAN}-0x",
    f"00-{TRACE[:-1]}-{SPAN}-01", f"00_{TRACE}_{SPAN}_01", f"00-{TRACE}-{SPAN}-é1", "00-" + "a" * 10_000 + f"-{SPAN}-01",
    "a" * 10_000, f"{SAMPLED}, {SAMPLED}", f"{SAMPLED};x=y", "\u00ff" * 55]


def of_trace(**headers):
    return {"traceparent": SAMPLED, **headers}


def lines(service):
    return [json.loads(line) for line in service.errors.read_text().splitlines()]


def test_an_event_keeps_the_trace_of_its_request(tilth, user):
    made = user.post("/farms", {"name": "x", "totalArea": 1}, of_trace())
    user.put(path_of(made.data), {"name": "y"})
    user.delete(path_of(made.data), {"traceparent": UNSAMPLED})
    own = [json.loads(line) for line in user.get("/events").body.splitlines()]
    assert [event.get("traceparent") for event in own] == [SAMPLED, None, UNSAMPLED]
    assert "traceparent" not in own[1]
    for_operators = tilth.events(user.id)
    assert [event.get("traceparent") for event in for_operators] == [SAMPLED, None, UNSAMPLED]
    stream = user.send("GET", "/api/v1/events?limit=1", None, {"Accept": "text/event-stream"})
    assert SAMPLED in stream.body.decode()


def test_every_event_of_a_batch_and_of_a_refusal_keeps_it(tilth, user):
    body = {"name": "x", "totalArea": 1}
    user.post("/batch", {"requests": [{"method": "POST", "path": "/v1/farms", "body": {**body, "name": name}}
                                      for name in "ab"]}, of_trace())
    user.post("/farms", {**body, "name": "a"}, of_trace(**{"Idempotency-Key": str(uuid.uuid4())}))
    events = tilth.events(user.id)
    assert [(event["type"], event["traceparent"]) for event in events] == [
        ("tilth.farm.registered", SAMPLED), ("tilth.farm.registered", SAMPLED), ("tilth.request.refused", SAMPLED)]


@pytest.mark.embedded_log
def test_an_export_and_an_import_keep_it(tilth, user, tmp_path):
    user.post("/farms", {"name": "x", "totalArea": 1}, of_trace())
    exported = tmp_path / "events.jsonl"
    done = run("events", "export", "--operator", f"http://{tilth.operator_address}", "--token-file",
               tilth.data / "operator.token")
    assert done.returncode == 0, done.stderr
    exported.write_text(done.stdout)
    assert any(json.loads(line).get("traceparent") == SAMPLED for line in done.stdout.splitlines())
    other = Service(tmp_path / "other")
    other.directory.mkdir()
    try:
        other.start()
        done = run("events", "import", exported, "--operator", f"http://{other.operator_address}", "--token-file",
                   other.data / "operator.token")
        assert done.returncode == 0, done.stderr
        assert other.events(user.id)[0]["traceparent"] == SAMPLED
        other.restart()
        assert other.events(user.id)[0]["traceparent"] == SAMPLED
    finally:
        other.kill()


def test_a_webhook_gets_it_as_attribute_and_header(user):
    with Receiver() as receiver:
        user.made("/webhooks", {"url": receiver.url})
        user.post("/farms", {"name": "x", "totalArea": 1}, of_trace())
        user.post("/farms", {"name": "y", "totalArea": 1})
        received = {one.json["data"]["name"]: one for one in receiver.first(2)}
    traced, plain = received["x"], received["y"]
    assert traced.json["traceparent"] == traced.headers["traceparent"] == SAMPLED
    assert "traceparent" not in plain.json and "traceparent" not in plain.headers


def test_log_lines_and_the_request_log_name_it(tilth):
    person = Person(tilth).signed_in()
    robot = Client(tilth.address, f"Bearer {person.mint(scopes=['all'])['key']}")
    robot.get("/farms", of_trace(**{"X-Request-Id": "traced"}))
    robot.get("/farms", {"X-Request-Id": "untraced"})
    shown = {each["requestId"]: each["traceparent"] for each in person.ask("GET", "/api/requests").data}
    assert shown == {"traced": SAMPLED, "untraced": None}
    logged = {line["requestId"]: line.get("traceparent", "none") for line in lines(tilth) if "requestId" in line}
    assert (logged["traced"], logged["untraced"]) == (SAMPLED, "none")


@pytest.mark.parametrize("given", HOSTILE)
def test_an_invalid_one_is_ignored(tilth, user, given):
    reply = user.post("/farms", {"name": "x", "totalArea": 1}, {"traceparent": given})
    assert reply.status == 201
    assert "traceparent" not in tilth.events(user.id)[0]


def test_several_are_ignored(tilth, user):
    for number, headers in enumerate(([("traceparent", SAMPLED)] * 2, [("traceparent", SAMPLED), ("Traceparent", "x")])):
        assert user.post("/farms", {"name": str(number), "totalArea": 1}, headers).status == 201
    assert not any("traceparent" in event for event in tilth.events(user.id))


class Collector:
    """Takes exports, and holds them against the form of OTLP 1."""

    def __init__(self):
        self.spans, self.headers, self.faults, self.changed = [], [], [], threading.Condition()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                with outer.changed:
                    outer.headers.append({name.lower(): value for name, value in self.headers.items()})
                    try:
                        assert self.path == "/v1/traces"
                        outer.spans += spans_of(json.loads(body))
                    except Exception as fault:  # the test reports it
                        outer.faults.append(f"{fault!r} in {body[:500]}")
                    outer.changed.notify_all()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self.server.server_address[1]}/v1/traces"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def of_trace(self, trace, until):
        """The spans of that trace, once `until` holds of them."""
        def found():
            return [span for span in self.spans if span["traceId"] == trace]
        with self.changed:
            done = self.changed.wait_for(lambda: self.faults or until(found()), 60)
            assert done and not self.faults, (self.faults, found())
            return found()


def exactly(value, /, **members):
    """Checks an object's members by type or pattern; those that end with _ are optional."""
    assert set(value) <= {name.rstrip("_") for name in members}, value
    for name, wanted in members.items():
        given = value.get(name.rstrip("_"))
        if given is None:
            assert name.endswith("_"), (name, value)
        elif isinstance(wanted, str):
            assert isinstance(given, str) and re.fullmatch(wanted, given), (name, given)
        else:
            assert type(given) is wanted, (name, given)


def attributes_of(listed):
    found = {}
    for each in listed:
        exactly(each, key=r"[a-z._]+", value=dict)
        (kind, value), = each["value"].items()
        assert kind in ("stringValue", "intValue") and isinstance(value, str)
        found[each["key"]] = int(value) if kind == "intValue" else value
    return found


def spans_of(body):
    exactly(body, resourceSpans=list)
    for resource in body["resourceSpans"]:
        exactly(resource, resource=dict, scopeSpans=list)
        about = attributes_of(resource["resource"]["attributes"])
        assert about["service.name"] == "tilth" and set(about) == {
            "service.name", "service.version", "service.instance.id"}
        for scope in resource["scopeSpans"]:
            exactly(scope, scope=dict, spans=list)
            for span in scope["spans"]:
                exactly(span, traceId="[0-9a-f]{32}", spanId="[0-9a-f]{16}", parentSpanId_="[0-9a-f]{16}", name=".+",
                        kind=int, startTimeUnixNano=r"\d{19}", endTimeUnixNano=r"\d{19}", attributes=list, status=dict)
                assert span["startTimeUnixNano"] <= span["endTimeUnixNano"]
                yield {**span, "attributes": attributes_of(span["attributes"])}


@pytest.fixture(scope="module")
def collector():
    running = Collector()
    yield running
    running.close()


@pytest.fixture(scope="module")
def traced(collector, tmp_path_factory):
    directory = tmp_path_factory.mktemp("traced")
    (directory / "headers").write_text("Authorization: Bearer of-the-collector\nx-tenant: farms\n")
    config = (f'log_level = "debug"\n[traces]\nendpoint = "{collector.endpoint}"\nsample = 0\n'
              f'headers_file = "{directory}/headers"\n')
    running = Service(directory, config=config)
    try:
        running.start()
        yield running
        running.stop()
        assert "of-the-collector" not in running.errors.read_text()
    finally:
        running.kill()


def test_a_change_has_a_span_and_its_parts(traced, collector):
    user, trace = traced.user(), uuid.uuid4().hex
    made = user.post("/farms?secret=x", {"name": "Hidden name", "totalArea": 1},
                     {"traceparent": f"00-{trace}-{SPAN}-01", "X-Request-Id": "hidden-id"})
    assert made.status == 201
    spans = collector.of_trace(trace, lambda found: len(found) == 4)
    request, = (span for span in spans if span["kind"] == 2)
    parts = [span for span in spans if span["kind"] == 1]
    assert (request["name"], request["parentSpanId"], request["status"]) == ("POST /api/v1/farms", SPAN, {})
    assert request["attributes"] == {"http.request.method": "POST", "http.route": "/api/v1/farms",
                                     "http.response.status_code": 201}
    assert {part["name"] for part in parts} == {"decide", "append", "project"}
    for part in parts:
        assert part["parentSpanId"] == request["spanId"] and part["attributes"] == {}
        assert request["startTimeUnixNano"] <= part["startTimeUnixNano"]
        assert part["endTimeUnixNano"] <= request["endTimeUnixNano"]
    event, = traced.events(user.id)
    assert event["traceparent"] == f"00-{trace}-{request['spanId']}-01"
    line, = (line for line in lines(traced) if line.get("requestId") == "hidden-id")
    assert line["traceparent"] == event["traceparent"]
    everything = json.dumps(spans)
    for hidden in ("Hidden", "hidden", "secret", user.key, user.id, made.data["id"], "127.0.0.1", "example.com"):
        assert hidden not in everything
    assert collector.headers[-1]["authorization"] == "Bearer of-the-collector"
    assert collector.headers[-1]["x-tenant"] == "farms"
    assert collector.headers[-1]["content-type"] == "application/json"


def test_reads_refusals_and_the_operators_port_have_one_span(traced, collector):
    user, trace = traced.user(), uuid.uuid4().hex
    sampled = {"traceparent": f"00-{trace}-{SPAN}-01"}
    user.get("/farms", sampled)
    user.get(f"/farms/{uuid.uuid4()}", sampled)
    user.get("/nowhere", sampled)
    user.get("/farms", {**sampled, "Tilth-Min-Position": "p0.999999999"})
    traced.operator.send("GET", "/operator/v1/users", None, sampled)
    spans = collector.of_trace(trace, lambda found: len(found) == 5)
    assert sorted((span["name"], span["attributes"]["http.response.status_code"], span["status"].get("code"))
                  for span in spans) == [
        ("GET", 404, None), ("GET /api/v1/farms", 200, None), ("GET /api/v1/farms", 503, 2),
        ("GET /api/v1/farms/{id}", 404, None), ("GET /operator/v1/users", 200, None)]


def test_the_callers_flag_decides(traced, collector):
    user, trace, last = traced.user(), uuid.uuid4().hex, uuid.uuid4().hex
    unsampled = f"00-{trace}-{SPAN}-00"
    user.post("/farms", {"name": "x", "totalArea": 1}, {"traceparent": unsampled})
    user.post("/farms", {"name": "y", "totalArea": 1})
    user.get("/farms", {"traceparent": f"00-{last}-{SPAN}-01"})
    collector.of_trace(last, lambda found: found)
    assert collector.of_trace(trace, lambda found: not found) == []
    assert [event.get("traceparent") for event in traced.events(user.id)] == [unsampled, None]


def metrics(service):
    text = Client(service.operator_address).send("GET", "/metrics").body.decode()
    return dict(line.rsplit(" ", 1) for line in text.splitlines() if line.startswith("tilth_trace_"))


def test_spans_are_counted(traced, collector):
    user, trace = traced.user(), uuid.uuid4().hex
    user.get("/farms", {"traceparent": f"00-{trace}-{SPAN}-01"})
    collector.of_trace(trace, lambda found: found)
    eventually(lambda: metrics(traced)["tilth_trace_spans_waiting"] == "0")
    counted = eventually(lambda: float((all_ := metrics(traced))["tilth_trace_spans_sent_total"]) >= 1 and all_)
    assert counted["tilth_trace_spans_dropped_total"] == "0"


def test_a_service_without_an_endpoint_counts_none(tilth):
    assert metrics(tilth) == {}


def test_what_waits_is_sent_at_the_end(collector, tmp_path):
    service = Service(tmp_path, config=f'[traces]\nendpoint = "{collector.endpoint}"\nsample = 1\n')
    try:
        service.start()
        user = service.user()
        user.post("/farms", {"name": "x", "totalArea": 1})
        traceparent = service.events(user.id)[0]["traceparent"]
        service.stop()
    finally:
        service.kill()
    trace, span = traceparent.split("-")[1:3]
    request, = (each for each in collector.of_trace(trace, lambda found: len(found) == 4) if each["kind"] == 2)
    assert request["spanId"] == span and "parentSpanId" not in request


@pytest.mark.parametrize("hangs", [False, True], ids=["refuses", "hangs"])
def test_a_dead_collector_delays_nothing(tmp_path, hangs):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        if hangs:
            listener.listen()
        config = f'[traces]\nendpoint = "http://127.0.0.1:{listener.getsockname()[1]}/v1/traces"\nsample = 1\n'
        service = Service(tmp_path, config=config + VAST)
        try:
            service.start()
            user = service.user(plan="vast")
            farm = user.farm()
            deadline = time.monotonic() + DEADLINE
            while (counted := metrics(service))["tilth_trace_spans_dropped_total"] == "0":
                assert time.monotonic() < deadline, counted
                for _ in range(1_000):
                    assert user.get(path_of(farm)).status == 200
            assert float(counted["tilth_trace_spans_waiting"]) <= 8_192
            assert counted["tilth_trace_spans_sent_total"] == "0"
            assert user.put(path_of(farm), {"name": "Still here"}).status == 200
            service.stop()
        finally:
            service.kill()


@pytest.mark.parametrize("setting,why", [
    ('endpoint = "collector:4318"', "traces.endpoint must be"), ('endpoint = "http://u:p@host/"', "traces.endpoint must be"),
    ("sample = 1.5", "traces.sample must be"), ("sample = -0.1", "traces.sample must be"), ("sample = nan", "traces.sample must be"),
    ('sample = "half"', "traces.sample must be a number"), ('headers_file = ""', "traces.headers_file must be"),
    ('endpoint = "http://127.0.0.1:9/"\nheaders_file = "/nowhere"', "cannot be read")])
def test_a_wrong_setting_is_refused(tmp_path, setting, why):
    (tmp_path / "tilth.toml").write_text(f"[traces]\n{setting}\n")
    done = run("serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0",
               "--no-library", "--config", tmp_path / "tilth.toml")
    assert done.returncode == 1 and why in done.stderr, done
