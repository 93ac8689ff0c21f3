"""The dashboard and the alerts of monitoring/: a real Prometheus runs all their queries on a running service."""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
import uuid

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/http"))

from service import BROKERS, Service, path_of  # noqa: E402

MONITORING = ROOT / "monitoring"
DASHBOARD = json.loads((MONITORING / "dashboard.json").read_text())
# Metrics that only one of the two logs has.
OF_KAFKA = ("tilth_kafka_", "tilth_cluster_")
# That divide the land among them, and forward requests to each other.
OF_SEVERAL_NODES = ("tilth_peer", "tilth_cells_", "tilth_forwarded_", "tilth_parts_asked_", "tilth_node_draining")
OF_EMBEDDED = ("tilth_log_sync_", "tilth_log_group_", "tilth_log_stale_", "tilth_log_damaged", "tilth_log_check_",
               "tilth_log_archive", "tilth_backup_")
# An alert's condition should not hold, so the tests check that each of its series exists.
SELECTOR = re.compile(r"\b((?:tilth|process)_[a-z_]+|up)(\{[^}]*\})?")

pytestmark = pytest.mark.skipif(not shutil.which("promtool") or not shutil.which("prometheus"),
                                reason="Debian's package prometheus is not installed")


def rules():
    """The names and expressions of the alerts, each on its own line, as promtool reads them."""
    text = (MONITORING / "alerts.yml").read_text()
    return re.findall(r"- alert: (\w+)\n\s+expr: (.+)\n", text)


def queries():
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"].replace("$__rate_interval", "2m").replace("$instance", ".+")


def here(expression):
    """Whether the service of this run has the metrics of the expression."""
    elsewhere = OF_SEVERAL_NODES + (OF_EMBEDDED if BROKERS else OF_KAFKA)
    return not any(name in expression for name in elsewhere)


class Prometheus:
    def __init__(self, directory, target):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = "127.0.0.1:%d" % free.getsockname()[1]
        (directory / "prometheus.yml").write_text(
            "global: {scrape_interval: 1s, evaluation_interval: 1s}\n"
            f"rule_files: [{MONITORING}/alerts.yml]\n"
            f"scrape_configs: [{{job_name: tilth, static_configs: [{{targets: ['{target}']}}]}}]\n")
        self.log = open(directory / "prometheus.log", "wb")
        self.child = subprocess.Popen(
            ["prometheus", f"--config.file={directory}/prometheus.yml", f"--storage.tsdb.path={directory}/tsdb",
             f"--web.listen-address={self.address}"], stdout=self.log, stderr=subprocess.STDOUT)

    def get(self, path, **query):
        url = f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(url, timeout=30) as answer:
            return json.load(answer)["data"]

    def series(self, expression):
        return self.get("query", query=expression)["result"]

    def stop(self):
        self.child.terminate()
        self.child.wait(30)
        self.log.close()


def use(tilth):
    """Requests of every kind, with every kind of response."""
    user, key = tilth.user(), str(uuid.uuid4())
    farm = user.farm()
    user.put(path_of(farm), {"notes": "wet"})
    user.get("/farms")
    for _ in range(2):
        user.post("/farms", {"name": "Once", "totalArea": 1}, {"Idempotency-Key": key})
    user.get("/farms", {"Tilth-Min-Position": "p0.999999999"})  # 503
    poor = tilth.user(plan="expired")
    narrow = tilth.user(rateLimit=1)
    for _ in range(5):
        poor.get("/farms"), narrow.get("/farms")
    stranger = tilth.stranger()
    for _ in range(70):
        stranger.send("GET", "/api/v1/farms")
    with socket.create_connection(user.address) as broken:
        broken.sendall(b"no request\r\n\r\n")
        broken.recv(1_000)


def shows_something(watching, expression):
    """Between two scrapes without a count, a quantile of a rate is no number."""
    series = watching.series(expression)
    return bool(series) and all(each["value"][1] != "NaN" for each in series)


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory):
    directory = tmp_path_factory.mktemp("monitoring")
    # Nothing listens there; the spans are counted.
    tilth = Service(directory, clock=None, config='[traces]\nendpoint = "http://127.0.0.1:9/v1/traces"\nsample = 1\n')
    watching = None
    try:
        tilth.start()
        # A generation that waits for its switch, for the metrics of one that is being built.
        tilth.operate("POST", "/operator/v1/projections/registry/rebuild?switch=manual", status=202)
        if not BROKERS:
            tilth.operate("POST", "/operator/v1/log/verify", status=202)  # the service itself waits for a minute
        watching = Prometheus(directory, tilth.operator_address)
        deadline = time.monotonic() + 120
        while True:  # rates need some scrapes with counts between them
            use(tilth)
            try:
                missing = [expression for _, expression in queries() if here(expression) and not shows_something(watching, expression)]
            except OSError:
                missing = ["Prometheus itself"]
            if not missing or time.monotonic() > deadline:
                break
            time.sleep(1)
        yield watching
        tilth.stop()
    finally:
        if watching:
            watching.stop()
        tilth.kill()


@pytest.mark.parametrize("title,expression", [each for each in queries() if here(each[1])])
def test_every_panel_shows_something(prometheus, title, expression):
    assert shows_something(prometheus, expression), (expression, prometheus.series(expression))


@pytest.mark.parametrize("alert,expression", [each for each in rules() if here(each[1])])
def test_every_series_that_an_alert_looks_at_is_there(prometheus, alert, expression):
    selectors = ["".join(found) for found in SELECTOR.findall(expression)]
    assert selectors
    for selector in selectors:
        assert prometheus.series(selector), (alert, selector)


def test_no_alert_that_wakes_somebody_fires(prometheus):
    firing = prometheus.series('ALERTS{alertstate="firing", severity="page"}')
    assert firing == []


def test_prometheus_takes_the_rules(prometheus):
    loaded = {rule["name"] for group in prometheus.get("rules")["groups"] for rule in group["rules"]}
    assert loaded == {name for name, _ in rules()} and loaded


def test_promtool_finds_nothing_wrong():
    for arguments in (["check", "rules", "alerts.yml"], ["test", "rules", "alerts_test.yml"]):
        done = subprocess.run(["promtool", *arguments], cwd=MONITORING, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_is_tried():
    tried = set(re.findall(r'alertname="(\w+)"', (MONITORING / "alerts_test.yml").read_text()))
    assert tried == {name for name, _ in rules()}


def anchors(path):
    for line in (ROOT / path).read_text().splitlines():
        if line.startswith("#"):
            words = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower())
            yield words.replace(" ", "-")


def test_every_alert_names_a_runbook_that_there_is():
    runbooks = re.findall(r"runbook: (\S+)#(\S+)", (MONITORING / "alerts.yml").read_text())
    assert len(runbooks) == len(rules())
    for path, anchor in runbooks:
        assert anchor in set(anchors(path)), anchor


def exposed():
    """The metrics that docs/metrics.md documents."""
    return set(re.findall(r"`((?:tilth|process)_[a-z_]+)", (ROOT / "docs/metrics.md").read_text()))


def test_the_dashboard_shows_every_metric():
    asked = {re.sub(r"_(bucket|sum|count)$", "", name) for _, expression in queries()
             for name, _ in SELECTOR.findall(expression)}
    assert exposed() <= asked, exposed() - asked


def test_what_the_service_exposes_is_documented(prometheus):
    names = {re.sub(r"_(bucket|sum|count)$", "", name) for name in prometheus.get("label/__name__/values")}
    ours = {name for name in names if name.startswith(("tilth_", "process_"))}
    assert ours <= exposed(), ours - exposed()
