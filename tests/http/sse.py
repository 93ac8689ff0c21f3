"""Server-sent events, read as a browser's EventSource reads them."""
import http.client
import socket
import time


class EventSource:
    """One connection that follows; `next()` waits for an event, `comment()` for a comment. With a small `window` the
    service soon has to wait for the client to read."""

    def __init__(self, client, path, headers=(), timeout=60, window=None):
        self.socket = socket.socket()
        self.socket.settimeout(timeout)
        if window:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        self.socket.connect(client.address)
        lines = {"host": "test", "authorization": client.authorization, "accept": "text/event-stream", **dict(headers)}
        head = f"GET {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        self.socket.sendall(head.encode() + b"\r\n")
        self.response = http.client.HTTPResponse(self.socket, method="GET")
        self.response.begin()
        self.status = self.response.status

    def header(self, name):
        return self.response.getheader(name)

    def block(self):
        """The lines up to the next empty one; None at the end of the stream."""
        lines = []
        while True:
            line = self.response.readline()
            if not line:
                return None
            line = line.decode().rstrip("\n")
            if not line:
                return lines
            lines.append(line)

    def next(self):
        """The members of the next event; None at the end."""
        while (lines := self.block()) is not None:
            if lines and not lines[0].startswith(":"):
                return dict(line.split(": ", 1) for line in lines)
        return None

    def comment(self):
        while (lines := self.block()) is not None:
            if lines and lines[0].startswith(":"):
                return lines[0]
        return None

    def ended_within(self, seconds):
        """Whether the service ends the stream properly, with nothing more in it."""
        self.socket.settimeout(seconds)
        began = time.monotonic()
        return self.next() is None and time.monotonic() - began < seconds

    def close(self):
        self.response.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
