"""An owner who does nothing wrong: sends requests at fixed times and notes how long each takes.

Every request has a time at which it is due, and its latency counts from then. So a stall of one second counts for
every request that was due in that second, not only for the one that was in flight.
"""
import json
import math
import multiprocessing
import socket
import time

TIMEOUT = 10.0  # seconds; a request without a response after that counts as refused
HOME = "127.0.0.2"  # the attackers have other addresses

_fork = multiprocessing.get_context("fork")


def request(method, path, key=None, body=None, headers=()):
    """The bytes of a request."""
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"Authorization: Bearer {key}"] if key else []
    lines += [f"{name}: {value}" for name, value in headers]
    lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"] if body is not None else []
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b"")


def connect(address, source=HOME, receive_buffer=None):
    host, port = address.rsplit(":", 1)
    connection = socket.socket()
    connection.settimeout(TIMEOUT)
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        connection.bind((source, 0))
        connection.connect((host, int(port)))
    except OSError:
        connection.close()
        raise
    return connection


def read_response(connection):
    """Reads one response; returns its status and its bytes."""
    text = b""
    end, length = -1, None
    while True:
        if end < 0 and (end := text.find(b"\r\n\r\n")) >= 0:
            head = text[:end].lower()
            at = head.find(b"content-length:")
            if at >= 0:
                length = end + 4 + int(head[at + 15:].split(b"\r\n", 1)[0])
            elif b"chunked" not in head:
                length = end + 4
        if end >= 0 and (len(text) >= length if length is not None else text.endswith(b"\r\n0\r\n\r\n")):
            return int(text[9:12]), text
        piece = connection.recv(1 << 16)
        if not piece:
            raise ConnectionError("closed")
        text += piece


class Times:
    """The latencies of the requests of one kind, in seconds, and how many were not served."""

    def __init__(self, latencies, refused, first_refusal):
        self.latencies, self.refused, self.first_refusal = sorted(latencies), refused, first_refusal

    def percentile(self, of_hundred):
        if not self.latencies:
            return math.inf
        return self.latencies[min(len(self.latencies) * of_hundred // 100, len(self.latencies) - 1)]

    @property
    def asked(self):
        return len(self.latencies)


class Requests:
    """The same request over and over, one at a time: on one connection, or each on a FRESH one."""

    def __init__(self, bytes_, every, fresh=False, source=HOME):
        self.bytes, self.every, self.fresh, self.source = bytes_, every, fresh, source

    def send(self, address, seconds):
        """Sends them for that long; returns Times."""
        latencies, refused, first_refusal, connection = [], 0, "", None
        due = time.monotonic()
        until = due + seconds
        while due < until:
            now = time.monotonic()
            if now > until + TIMEOUT:
                left = math.ceil((until - due) / self.every)
                latencies += [now - due - number * self.every for number in range(left)]
                return Times(latencies, refused + left, first_refusal or "not sent: earlier ones have no response")
            if now < due:
                time.sleep(due - now)
            try:
                connection = connection or connect(address, self.source)
                connection.sendall(self.bytes)
                status, text = read_response(connection)
                problem = "" if status < 300 else text.decode(errors="replace")[:200]
                broken = b"connection: close" in text[:1000].lower()
            except (OSError, ValueError) as error:
                problem, broken = str(error), True
            latencies.append(time.monotonic() - due)
            if problem:
                refused += 1
                first_refusal = first_refusal or problem
            if connection and (broken or self.fresh):
                connection.close()
                connection = None
            due += self.every
        if connection:
            connection.close()
        return Times(latencies, refused, first_refusal)


class Running:
    """A function that runs in a process of its own."""

    def __init__(self, function, *arguments):
        self._results, results = _fork.Pipe(duplex=False)
        self._process = _fork.Process(target=lambda: results.send(function(*arguments)), daemon=True)
        self._process.start()
        results.close()

    def result(self, timeout=None):
        """What it returns; None if it ended without a result or not in time. Ends the process."""
        try:
            return self._results.recv() if self._results.poll(timeout) else None
        except EOFError:
            return None
        finally:
            self.end()

    def end(self):
        self._process.kill()
        self._process.join()


def measured(address, kinds, seconds):
    """Sends all kinds of requests at once, each from a process of its own; returns Times by kind."""
    running = {name: Running(kind.send, address, seconds) for name, kind in kinds.items()}
    return {name: each.result(seconds + 3 * TIMEOUT) for name, each in running.items()}
