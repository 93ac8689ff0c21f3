"""What a user could pick instead of Tilth: bench/peers, a Fastify service, on a PostgreSQL of its own."""
import hashlib
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile
import time

from processes import ROOT, cpu_seconds_of, storage

SOURCE = ROOT / "bench" / "peers"
POSTGRES = pathlib.Path("/usr/lib/postgresql/15/bin")
# Durability and everything else are PostgreSQL's defaults.
SETTINGS = {"listen_addresses": "", "shared_buffers": "512MB"}


def missing():
    """What this machine lacks, and how to get it; None if it lacks nothing."""
    if not (POSTGRES / "initdb").exists():
        return "PostgreSQL 15 is missing. Install it with: bench/run peers --install"
    if shutil.which("node") is None or shutil.which("npm") is None:
        return "Node.js 20 or later with npm is missing. It is not in Debian 12; get it at https://nodejs.org/"
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version.removeprefix("v").split(".")[0]) < 20:
        return f"Node.js is {version}; Fastify 5 needs 20 or later. Get it at https://nodejs.org/"
    return None


def install():
    if not (POSTGRES / "initdb").exists():
        subprocess.run([ROOT / "scripts" / "install-packages.sh", "peers"], check=True)


def installed_service():
    """A copy of bench/peers with its packages, installed once for each content."""
    files = sorted(file for file in SOURCE.iterdir() if file.is_file())
    content = hashlib.sha256(b"".join(file.name.encode() + b"\0" + file.read_bytes() for file in files))
    folder = storage() / f"peers-{content.hexdigest()[:16]}"
    if not (folder / "node_modules" / ".installed").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for file in files:
            shutil.copy(file, folder)
        subprocess.run(["npm", "ci", "--loglevel=error", "--no-audit", "--no-fund"], cwd=folder, check=True)
        (folder / "node_modules" / ".installed").touch()
    return folder


def children(parent):
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and int((folder / "stat").read_text().rsplit(")")[-1].split()[1]) == parent:
                yield int(folder.name)
        except FileNotFoundError:  # it has ended
            pass


def cpu_seconds_with_children(process):
    """The CPU time of a process and of its children, also of those that have ended."""
    return cpu_seconds_of(process, ended_children=True) + sum(cpu_seconds_of(child) for child in children(process))


class Postgres:
    """A new cluster in a folder of its own. PostgreSQL refuses to run as root, which becomes `postgres` for it."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="postgres-", dir=storage()))
        self.user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        if os.geteuid() == 0:
            shutil.chown(self.folder, self.user)
        self.process = None
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise

    def _start(self):
        data = self.folder / "data"
        subprocess.run([*self._as_user(), POSTGRES / "initdb", "--pgdata", data, "--auth", "trust", "--encoding", "UTF8",
                        "--locale", "C.UTF-8", "--username", "bench"], cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL)
        settings = {**SETTINGS, "unix_socket_directories": self.folder}
        with (data / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        log = self.folder / "log"
        self.process = subprocess.Popen([*self._as_user(), POSTGRES / "postgres", "-D", data], cwd=self.folder,
                                        stdout=log.open("w"), stderr=subprocess.STDOUT)
        began = time.monotonic()
        while subprocess.run([POSTGRES / "pg_isready", "-q", "-h", self.folder]).returncode != 0:
            if self.process.poll() is not None or time.monotonic() - began > 60:
                raise RuntimeError(f"PostgreSQL did not start: {log.read_text()}")
            time.sleep(0.1)
        self.server = int((data / "postmaster.pid").read_text().split("\n")[0])
        self.sql("create database bench", database="postgres")

    def _as_user(self):
        """setpriv becomes the program, so that a signal reaches it."""
        if os.geteuid() != 0:
            return []
        return ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--init-groups"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process is not None:
            self.process.send_signal(2)  # SIGINT: disconnects its clients and shuts down
            self.process.wait(120)
        shutil.rmtree(self.folder)

    def environment(self):
        return {**os.environ, "PGHOST": str(self.folder), "PGUSER": "bench", "PGDATABASE": "bench"}

    def sql(self, text, database="bench"):
        """Runs statements; returns the rows of the last query, each a list of texts."""
        run = subprocess.run([POSTGRES / "psql", "-qtAX", "-v", "ON_ERROR_STOP=1", "-d", database], input=text,
                             capture_output=True, text=True, env=self.environment())
        if run.returncode != 0:
            raise RuntimeError(run.stderr.strip())
        return [line.split("|") for line in run.stdout.splitlines()]

    def cpu_seconds(self):
        return cpu_seconds_with_children(self.server)


class Fastify:
    """bench/peers on a cluster."""

    def __init__(self, postgres, processes):
        self.postgres = postgres
        self.process = subprocess.Popen(["node", "main.js"], cwd=installed_service(), stdout=subprocess.PIPE, text=True,
                                        env={**postgres.environment(), "NODE_ENV": "production",
                                             "PROCESSES": str(processes)})
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise RuntimeError("bench/peers did not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)

    def cpu_seconds(self):
        """That of the service and of its database."""
        return cpu_seconds_with_children(self.process.pid) + self.postgres.cpu_seconds()
