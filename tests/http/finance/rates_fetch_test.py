"""Exchange rates that the service fetches from the configured address."""
import http.server
import io
import threading
import time
import zipfile

import pytest

from service import Service, run

FETCH = "/operator/v1/exchange-rates/fetch"
FILE = "Date, USD, \n02 March 2026, 1.0834, \n"


class Publisher:
    """Serves `answer` on a free port."""

    def __init__(self):
        self.answer, self.asked = (200, FILE.encode()), 0
        publisher = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                publisher.asked += 1
                status, body = publisher.answer
                self.send_response(status)
                self.end_headers()
                self.wfile.write(body)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/rates.csv"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def publisher():
    made = Publisher()
    yield made
    made.close()


@pytest.fixture
def started(tmp_path):
    services = []

    def start(config):
        services.append(Service(tmp_path, config=config))
        return services[-1].start()
    yield start
    for service in services:
        service.kill()


def imported(service):
    return [event for event in service.events("reference") if event["type"] == "tilth.exchange_rate.imported"]


def packed(text, method=zipfile.ZIP_DEFLATED, streamed=False):
    class Pipe(io.BytesIO):
        def seekable(self):
            return not streamed

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", method) as archive:
        archive.writestr("eurofxref.csv", text)
    return pipe.getvalue()


def test_rates_are_fetched_when_asked_for(started, publisher):
    service = started(f'[rates]\nurl = "{publisher.url}"\nsource = "Somebody"\n')
    assert publisher.asked == 0
    assert service.operate("POST", FETCH).data == {"days": 1, "rates": 1, "changed": 1}
    assert imported(service)[0]["data"]["source"] == "Somebody" and imported(service)[0]["actor"] == "operator"
    assert service.operate("POST", FETCH + "?source=Else").data["changed"] == 0
    assert imported(service)[-1]["data"]["source"] == "Else"
    ran = run("rates", "fetch", "--operator", f"http://{service.operator_address}", "--data", service.data)
    assert (ran.returncode, ran.stdout) == (0, "1 rate of 1 day, 0 of them new or different.\n")


def test_they_may_come_packed(started, publisher):
    service = started(f'[rates]\nurl = "{publisher.url}"\n')
    for number, archive in enumerate([packed(FILE), packed(FILE, zipfile.ZIP_STORED), packed(FILE, streamed=True)]):
        publisher.answer = 200, archive
        reply = service.operate("POST", f"{FETCH}?source={number}")
        assert reply.data["rates"] == 1 and imported(service)[-1]["data"]["source"] == str(number)
    whole = packed(FILE)
    damaged = bytearray(packed(FILE, zipfile.ZIP_STORED))
    damaged[60] ^= 1
    for bad in (whole[:50], whole[:20], bytes(damaged), b"PK\3\4" + b"\1" * 100):
        publisher.answer = 200, bad
        assert "ZIP" in service.operate("POST", FETCH, status=503).json["message"]


def test_what_went_wrong_is_said(started, publisher):
    service = started(f'[rates]\nurl = "{publisher.url}"\n')
    for answer, said in (((404, b""), f"{publisher.url} answers 404."),
                         ((200, b"<html>"), "What was fetched is no file of rates: line 1"),
                         ((200, FILE.encode() + b"x,1\n"), "line 3: 'x' is no date")):
        publisher.answer = answer
        reply = service.operate("POST", FETCH, status=503)
        assert said in reply.json["message"] and reply.header("Retry-After")
    publisher.close()
    ran = run("rates", "fetch", "--operator", f"http://{service.operator_address}", "--data", service.data)
    assert ran.returncode == 1 and ran.stdout == ""
    assert ran.stderr.startswith(f"{publisher.url} does not answer: ") and ran.stderr.count("\n") == 1
    assert not imported(service)


def test_without_a_place_nothing_is_fetched(started):
    service = started("")
    reply = service.operate("POST", FETCH, status=409)
    assert "rates.url" in reply.json["message"]


def test_they_are_fetched_by_themselves(started, publisher):
    service = started(f'[rates]\nurl = "{publisher.url}"\nevery = "PT1H"\n')
    deadline = time.monotonic() + 60
    while not imported(service):
        assert time.monotonic() < deadline
    assert imported(service)[0]["actor"] == "clock"
    service.restart()
    while publisher.asked < 2:
        assert time.monotonic() < deadline
    service.stop()
    service.start()
    assert len(imported(service)) == 1
