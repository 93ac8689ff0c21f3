"""Real Kafka brokers on loopback: one or three, in KRaft mode, which tests can stop, kill, pause and restart any
number of times. Uses the jars that scripts/fetch-kafka.sh fetched."""
import os
import pathlib
import signal
import socket
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CLUSTER = "VGlsdGhPblRlc3RHcm91bg"  # a UUID in Kafka's form
DEADLINE = 120  # seconds, generous: a busy machine is slow

# Brokers create topics on request, as is their default, so no node may request one before it is created correctly.
# Failures are detected in seconds instead of half minutes; three heaps of this size fit in memory with the tests.
SETTINGS = {
    "process.roles": "broker,controller",
    "controller.listener.names": "CONTROLLER",
    "offsets.topic.num.partitions": "1",
    "group.initial.rebalance.delay.ms": "0",
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    "replica.lag.time.max.ms": "3000",
    "controller.quorum.election.timeout.ms": "1000",
    "controller.quorum.fetch.timeout.ms": "2000",
    "num.network.threads": "2",
    "num.io.threads": "4",
    "log.cleaner.dedupe.buffer.size": "4194304",
    "log.cleaner.backoff.ms": "1000",
}
JAVA = ["java", "-Xmx384m", "-Xms64m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"]


class Unavailable(Exception):
    """There is no Kafka on this machine, and none can be fetched."""


def jars():
    """The class path of Kafka, which is fetched if necessary."""
    fetched = subprocess.run([ROOT / "scripts/fetch-kafka.sh"], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, text=True)
    if fetched.returncode != 0:
        raise Unavailable("Apache Kafka could not be fetched")
    return fetched.stdout.strip() + "/*"


def free_ports(count):
    """Free ports; all different, since all are held at once."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Broker:
    """One broker and controller over one directory."""

    def __init__(self, directory, class_path, number, ports, voters, protocol, settings):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True)
        self.class_path = class_path
        self.port, controller = ports
        self.address = f"127.0.0.1:{self.port}"
        self.child = None
        self.file = self.directory / "server.properties"
        lines = {**SETTINGS, "node.id": number, "log.dirs": self.directory / "log",
                 "listeners": f"{protocol}://{self.address},CONTROLLER://127.0.0.1:{controller}",
                 "advertised.listeners": f"{protocol}://{self.address}",
                 "listener.security.protocol.map": f"CONTROLLER:PLAINTEXT,{protocol}:{protocol}",
                 "inter.broker.listener.name": protocol,
                 "controller.quorum.voters": voters,
                 **settings}
        self.file.write_text("".join(f"{name}={value}\n" for name, value in lines.items()))
        self.run("kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", self.file)

    def run(self, tool, *arguments):
        done = subprocess.run([*JAVA, "-cp", self.class_path, tool, *map(str, arguments)],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    def launch(self):
        with open(self.directory / "output.log", "ab") as output:
            self.child = subprocess.Popen([*JAVA, "-cp", self.class_path, "kafka.Kafka", str(self.file)],
                                          stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        return self

    def wait(self):
        deadline = time.monotonic() + DEADLINE
        while True:
            assert self.child.poll() is None, f"the broker ended:\n{self.tail()}"
            assert time.monotonic() < deadline, f"the broker does not listen:\n{self.tail()}"
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                time.sleep(0.05)

    def start(self):
        return self.launch().wait()

    def stop(self):
        self.child.send_signal(signal.SIGTERM)
        self.child.wait(DEADLINE)

    def kill(self):
        if self.child and self.child.poll() is None:
            self.child.kill()
            self.child.wait()

    def pause(self):
        self.child.send_signal(signal.SIGSTOP)

    def resume(self):
        self.child.send_signal(signal.SIGCONT)

    def restart(self):
        self.stop()
        return self.start()

    def tail(self):
        return (self.directory / "output.log").read_text(errors="replace")[-4000:]


class Cluster:
    """Brokers of one cluster. As a context it starts them and leaves none behind."""

    def __init__(self, directory, count=1, protocol="PLAINTEXT", settings=None):
        class_path = jars()
        ports = free_ports(2 * count)
        pairs = list(zip(ports[::2], ports[1::2]))
        voters = ",".join(f"{i + 1}@127.0.0.1:{controller}" for i, (_, controller) in enumerate(pairs))
        copies = {name: min(count, 3) for name in
                  ("offsets.topic.replication.factor", "transaction.state.log.replication.factor")}
        self.brokers = [Broker(pathlib.Path(directory) / f"broker-{i + 1}", class_path, i + 1, pair, voters,
                               protocol, {**copies, **(settings or {})}) for i, pair in enumerate(pairs)]

    @property
    def addresses(self):
        return ",".join(broker.address for broker in self.brokers)

    def __enter__(self):
        try:
            for broker in self.brokers:
                broker.launch()
            for broker in self.brokers:
                broker.wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for broker in self.brokers:
            broker.kill()


def skip_or_fail(reason):
    """Exits without Kafka: with CTest's code for skipped, or with a failure in continuous integration."""
    print(f"SKIPPED: {reason}", flush=True)
    raise SystemExit(1 if os.environ.get("CI") else 77)
