"""The processes of a measurement: the service, the bare server and the load generator."""
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "release"
PLAN = """
[plans.bench]
requests_per_hour = 1000000000
farms = "unlimited"
ai_requests_per_month = "unlimited"
bytes_per_hour = "unlimited"
"""


def build(*targets):
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", BUILD, "-j", str(os.cpu_count()), *targets], check=True,
                   stdout=subprocess.DEVNULL)


def tool(name, *arguments):
    """Runs one of bench/'s programs and returns the JSON that it prints."""
    run = subprocess.run([BUILD / "bench" / name, *map(str, arguments)], capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(run.stderr.strip() or f"{name} failed")
    return json.loads(run.stdout)


def cpu_seconds_of(process, ended_children=False):
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")")[1].split()
    return sum(map(int, fields[11:15 if ended_children else 13])) / os.sysconf("SC_CLK_TCK")


class Load:
    """Requests that are sent over and over."""

    def __init__(self, folder, name, requests, status=200):
        self.file, self.status = folder / f"{name}.requests", status
        self.file.write_text("".join("\t".join(parts) + "\n" for parts in requests))

    def run(self, address, connections, seconds):
        return tool("bench_load", address, self.file, connections, seconds, self.status)


class Service:
    """tilth serve over a data directory."""

    def __init__(self, folder, data, *flags, config=PLAN):
        settings, ready = folder / "bench.toml", folder / f"{data.name}.ready"
        settings.write_text(config)
        began = time.monotonic()
        self.process = subprocess.Popen(
            [BUILD / "tilth", "serve", "--config", settings, "--data", data, "--listen", "127.0.0.1:0",
             "--operator-listen", "127.0.0.1:0", "--ready-file", ready, *flags],
            stdout=subprocess.DEVNULL, stderr=(folder / f"{data.name}.log").open("w"),
            env={name: value for name, value in os.environ.items() if not name.startswith("TILTH_")})
        while not ready.exists():
            if self.process.poll() is not None or time.monotonic() - began > 300:
                raise RuntimeError((folder / f"{data.name}.log").read_text())
            time.sleep(0.002)
        self.seconds_to_ready = time.monotonic() - began
        said = json.loads(ready.read_text())
        self.address, self.operator = said["listen"], said["operatorListen"]
        self.token = (data / "operator.token").read_text().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop(30)

    def stop(self, timeout):
        """Ends the service; returns how many seconds that took."""
        began = time.monotonic()
        self.process.terminate()
        self.process.wait(timeout)
        return time.monotonic() - began

    def resident(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def cpu_seconds(self):
        return cpu_seconds_of(self.process.pid)

    def wait_until_idle(self):
        """Waits until a history that another program filled is folded and indexed."""
        before = -1.0
        while (now := self.cpu_seconds()) - before > 0.05:
            before = now
            time.sleep(1)

    def ask(self, method, path, key, body=None):
        """Sends a request to the API, or, with the operator's token, to the operator API."""
        at = self.operator if path.startswith("/operator") else self.address
        connection = http.client.HTTPConnection(at, timeout=300)
        connection.request(method, path, json.dumps(body) if body is not None else None,
                           {"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {text.decode()}")
        return answer, text

    def post(self, path, key, body):
        return json.loads(self.ask("POST", path, key, body)[1])["data"]

    def owner(self, number, **members):
        """Creates an owner; returns their key and farm."""
        user = self.post("/operator/v1/users", self.token,
                         {"email": f"bench{number}@example.com", "plan": "bench", **members})
        key = self.post(f"/operator/v1/users/{user['id']}/api-keys", self.token,
                        {"name": "Bench", "scopes": ["all"]})["key"]
        farm = self.post("/api/v1/farms", key, {"name": "Home", "totalArea": "40"})
        return key, f"/api/v1/farms/{farm['id']}"


@contextlib.contextmanager
def bare_server(folder, answer, body):
    """Runs a server that responds to everything with the same bytes; yields its address."""
    file = folder / "bare.answer"
    own = ("content-length", "date", "connection")
    head = "".join(f"{name}: {value}\n" for name, value in answer.getheaders() if name.lower() not in own)
    file.write_bytes(head.encode() + b"\n" + body)
    process = subprocess.Popen([BUILD / "bench" / "http_bare_server", "0", str(os.cpu_count()), file],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait(30)


def storage():
    """Where filled directories are kept between runs."""
    return pathlib.Path(os.environ.get("TILTH_BENCH_DIR", pathlib.Path(tempfile.gettempdir()) / "tilth-bench"))


def filled(plants, crops, tasks=0, money=0):
    """A data directory of one owner with that many plants, crops, tasks and money entries."""
    return filled_by("bench_fill", plants, crops, tasks, money)


def filled_by(program, *amounts):
    """The data directory that a program of bench/ fills, once for each shape of the rows."""
    folder = storage() / "-".join([program, tool(program)["shape"], *map(str, amounts)])
    about = folder / "about.json"
    if not about.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        about.write_text(json.dumps(tool(program, folder / "data", *amounts)))
    return folder / "data", json.loads(about.read_text())
