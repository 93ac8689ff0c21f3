"""A proxy between a service and its broker that injects faults of networks and brokers into a topic's produces."""
import collections
import socket
import threading

from protocol import PRODUCE, Reader, produce_answer, produced_to, read_frame, with_error, write_frame

# A fault of one produce request. `error`: the code in its response; None: the connection is cut instead.
Fault = collections.namedtuple("Fault", "error written")


class BrokenWire:
    """Forwards everything, except for the armed faults. As a context it listens, and finally closes its connections."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.broker = None     # host and port, once there is one
        self.lock = threading.Lock()
        self.topic, self.armed, self.always = None, collections.deque(), None
        self.done = 0          # faults so far
        self.sockets = []

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()
        for each in self.sockets:
            close(each)

    def fail(self, topic, fault, times=1):
        with self.lock:
            self.topic = topic
            self.armed.extend([fault] * times)

    def fail_always(self, topic, fault):
        with self.lock:
            self.topic, self.always = topic, fault

    def heal(self):
        with self.lock:
            self.armed.clear()
            self.always = None

    def fault_of(self, frame):
        with self.lock:
            if not (self.armed or self.always) or produced_to(frame)[0] != self.topic:
                return None
            self.done += 1
            return self.armed.popleft() if self.armed else self.always

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            try:
                broker = socket.create_connection(self.broker, 10)
            except OSError:
                close(client)
                continue
            for each in (client, broker):
                each.settimeout(None)
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.sockets.append(each)
            link = Link(self, client, broker)
            for way in (link.requests, link.answers):
                threading.Thread(target=link.carry, args=(way,), daemon=True).start()


class Link:
    """One connection of a client."""

    def __init__(self, wire, client, broker):
        self.wire, self.client, self.broker = wire, client, broker
        self.faults = {}  # by correlation id: the fault of the response to a forwarded request
        self.writing = threading.Lock()

    def carry(self, way):
        try:
            while True:
                way()
        except (OSError, ConnectionError):
            close(self.client), close(self.broker)

    def requests(self):
        frame = read_frame(self.client)
        head = Reader(frame)
        key, version, correlation = head.take("h"), head.take("h"), head.take("i")
        fault = self.wire.fault_of(frame) if key == PRODUCE else None
        if fault is None:
            return write_frame(self.broker, frame)
        assert version <= 7, "a version of produce requests that protocol.py does not know"
        if fault.written:
            self.faults[correlation] = fault
            return write_frame(self.broker, frame)
        if fault.error is None:
            raise ConnectionError("cut")
        with self.writing:
            write_frame(self.client, produce_answer(correlation, *produced_to(frame), fault.error))

    def answers(self):
        frame = read_frame(self.broker)
        fault = self.faults.pop(Reader(frame).take("i"), None)
        if fault and fault.error is None:
            raise ConnectionError("cut")
        with self.writing:
            write_frame(self.client, with_error(frame, fault.error) if fault else frame)


def close(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    connection.close()
