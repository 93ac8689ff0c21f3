"""Spans reach a real OpenTelemetry collector, which tells what it has understood."""
import json
import pathlib
import signal
import socket
import subprocess
import time
import uuid

import pytest

from service import DEADLINE, Service, free_port

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts" / "fetch-collector.sh"
PARENT = "b7ad6b7169203331"
CONFIG = """
receivers: {{otlp: {{protocols: {{http: {{endpoint: "127.0.0.1:{port}"}}}}}}}}
exporters: {{file: {{path: "{spans}", flush_interval: 10ms}}}}
service:
  telemetry: {{metrics: {{level: none}}}}
  pipelines: {{traces: {{receivers: [otlp], exporters: [file]}}}}
"""


@pytest.fixture(scope="module")
def program():
    fetched = subprocess.run([SCRIPT], stdout=subprocess.PIPE, text=True)
    if fetched.returncode == 77:
        pytest.skip("no collector can be built here")
    assert fetched.returncode == 0
    return fetched.stdout.strip()


def wait_until(collector, holds):
    until = time.monotonic() + DEADLINE
    while not holds():
        assert time.monotonic() < until
        try:
            raise AssertionError(f"it exited with {collector.wait(0.05)}")
        except subprocess.TimeoutExpired:
            pass


def listens(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def test_a_collector_understands_the_spans(program, tmp_path):
    spans, port = tmp_path / "spans.jsonl", free_port()
    (tmp_path / "collector.yaml").write_text(CONFIG.format(port=port, spans=spans))
    with open(tmp_path / "collector.log", "wb") as log:
        collector = subprocess.Popen([program, "--config", tmp_path / "collector.yaml"], stdout=log, stderr=log)
    (tmp_path / "service").mkdir()
    service = Service(tmp_path / "service", config=f'[traces]\nendpoint = "http://127.0.0.1:{port}/v1/traces"\nsample = 0\n')
    try:
        wait_until(collector, lambda: listens(port))
        user, trace = service.start().user(), uuid.uuid4().hex
        sampled = {"traceparent": f"00-{trace}-{PARENT}-01"}
        assert user.post("/farms", {"name": "Traced", "totalArea": 1}, sampled).status == 201
        assert user.get(f"/farms/{uuid.uuid4()}", sampled).status == 404
        wait_until(collector, lambda: sum(span["traceId"] == trace for span in spans_in(spans)) >= 5)
        found = [span for span in spans_in(spans) if span["traceId"] == trace]
    except AssertionError:
        print((tmp_path / "collector.log").read_text())
        raise
    finally:
        service.kill()
        collector.send_signal(signal.SIGTERM)
        collector.wait(DEADLINE)
    request, = (span for span in found if span["name"] == "POST /api/v1/farms")
    assert (request["parentSpanId"], request["kind"]) == (PARENT, 2)  # a server's
    assert request["resource"]["service.name"] == {"stringValue": "tilth"}
    assert request["about"]["http.response.status_code"] == {"intValue": "201"}
    parts = {span["name"]: span for span in found if span["parentSpanId"] == request["spanId"]}
    assert set(parts) == {"decide", "append", "project"}
    for part in parts.values():
        assert int(request["startTimeUnixNano"]) <= int(part["startTimeUnixNano"])
        assert int(part["endTimeUnixNano"]) <= int(request["endTimeUnixNano"])
    missing, = (span for span in found if span["about"].get("http.response.status_code") == {"intValue": "404"})
    assert missing["parentSpanId"] == PARENT and len(found) == 5


def spans_in(file):
    """As the collector has written them, with what its resource and the span have as attributes by name."""
    if not file.exists():
        return
    for line in file.read_text().splitlines(keepends=True):
        if not line.endswith("\n"):
            return
        for resource in json.loads(line)["resourceSpans"]:
            about = {each["key"]: each["value"] for each in resource["resource"]["attributes"]}
            for scope in resource["scopeSpans"]:
                for span in scope["spans"]:
                    own = {each["key"]: each["value"] for each in span.get("attributes", [])}
                    yield {**span, "resource": about, "about": own}
