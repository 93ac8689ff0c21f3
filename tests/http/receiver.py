"""A receiver of webhooks on loopback, which records what it gets and behaves as a test wants."""
import base64
import hashlib
import hmac
import http.server
import json
import threading
import time

from service import DEADLINE


class Received:
    def __init__(self, headers, body):
        self.headers, self.body = {name.lower(): value for name, value in headers}, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def id(self):
        return self.headers["webhook-id"]


class Receiver:
    """`behave(number, received)` returns a status, or (status, headers, body), or None after it has written
    something else itself with `handler`."""

    def __init__(self, behave=lambda number, received: 204, port=0, tls=None):
        self.received, self._changed = [], threading.Condition()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                one = Received(self.headers.items(), body)
                with outer._changed:
                    outer.received.append(one)
                    number = len(outer.received)
                    outer._changed.notify_all()
                reply = behave.__get__(self)(number, one) if hasattr(behave, "raw") else behave(number, one)
                if reply is None:
                    self.close_connection = True
                    return
                status, headers, text = reply if isinstance(reply, tuple) else (reply, {}, b"")
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if status != 204 and "content-length" not in headers:
                    self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *arguments):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, request, address):
                pass  # the other side may be killed

        self.server = Server(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.port}/hook"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def wait(self, until, what="what was expected"):
        """Returns what was received once `until(received)` holds."""
        with self._changed:
            done = self._changed.wait_for(lambda: until(self.received), DEADLINE)
            assert done, f"not {what}: {[one.json['type'] for one in self.received]}"
            return list(self.received)

    def first(self, count):
        return self.wait(lambda received: len(received) >= count, f"{count} received")[:count]


def raw(behave):
    """Marks a behaviour that writes to the connection itself: its first argument is the handler."""
    behave.raw = True
    return behave


def is_signed(received, secret):
    """Whether one of the signatures is by that secret, as Standard Webhooks says."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{received.id}.{received.headers['webhook-timestamp']}.".encode() + received.body
    own = "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    return own in received.headers["webhook-signature"].split(" ")


def eventually(look, what="what was expected"):
    """What `look` returns, once that is true."""
    deadline = time.monotonic() + DEADLINE
    while not (found := look()):
        assert time.monotonic() < deadline, f"not {what}: {found}"
        time.sleep(0.1)  # looks are requests, and there is a limit of these
    return found
