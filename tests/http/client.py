"""A small HTTP/1.1 client that sends exactly the bytes it is given, and reads every response whole."""
import http.client
import json
import select
import socket


class Reply:
    """One response: its status, its headers in order and its body bytes."""

    def __init__(self, response):
        self.status = response.status
        self.headers = response.getheaders()
        self.body = response.read()

    def header(self, name):
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def data(self):
        return self.json["data"]

    @property
    def pagination(self):
        return self.json["pagination"]

    @property
    def details(self):
        return self.json.get("details", {})

    def __repr__(self):
        return f"<{self.status} {self.body[:600]!r}>"


def encoded(body):
    if isinstance(body, (dict, list)):
        return json.dumps(body).encode()
    return body.encode() if isinstance(body, str) else body


def readable(connection):
    watched = select.poll()  # not select(), which takes no descriptor beyond 1,023
    watched.register(connection, select.POLLIN)
    return bool(watched.poll(0))


class Client:
    """One connection at a time, reopened when the server has closed it. Not thread-safe."""

    def __init__(self, address, authorization=None, source=None):
        host, port = address.rsplit(":", 1)
        self.address = (host, int(port))
        self.authorization = authorization
        self.source = source
        self.timeout = 120  # seconds without the next bytes, generous: a busy machine is slow
        self.socket = None

    def connection(self):
        if self.socket and readable(self.socket):
            self.close()
        if not self.socket:
            source = (self.source, 0) if self.source else None
            self.socket = socket.create_connection(self.address, self.timeout, source_address=source)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self.socket

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket = None

    def send(self, method, target, body=None, headers=()):
        """Sends `target` verbatim. A header given as None is left out; pairs may repeat one."""
        payload = encoded(body)
        lines = {"host": f"{self.address[0]}:{self.address[1]}"}
        if self.authorization:
            lines["authorization"] = self.authorization
        if payload is not None:
            lines |= {"content-type": "application/json", "content-length": str(len(payload))}
        elif method in ("POST", "PUT"):
            lines["content-length"] = "0"
        given = [(key.lower(), value) for key, value in dict(headers).items()] if isinstance(
            headers, dict) else [(key.lower(), value) for key, value in headers]
        named = {key for key, _ in given}
        sent = [pair for pair in lines.items() if pair[0] not in named]
        sent += [pair for pair in given if pair[1] is not None]
        head = "".join([f"{method} {target} HTTP/1.1\r\n", *(f"{k}: {v}\r\n" for k, v in sent), "\r\n"])
        return self.exchange(method, head.encode("latin-1") + (payload or b""))

    def exchange(self, method, request):
        try:
            return self.answer_to(method, request)
        except BaseException:
            self.close()  # the remaining bytes of this connection belong to no request
            raise

    def answer_to(self, method, request):
        connection = self.connection()
        try:
            connection.sendall(request)
        except (BrokenPipeError, ConnectionResetError):
            pass  # a refusal may arrive before the whole body is sent
        response = http.client.HTTPResponse(connection, method=method)
        response.begin()
        reply = Reply(response)
        if response.will_close:
            self.close()
        return reply

    def get(self, path, headers=()):
        return self.send("GET", "/api/v1" + path, None, headers)

    def post(self, path, body=None, headers=()):
        return self.send("POST", "/api/v1" + path, body, headers)

    def put(self, path, body=None, headers=()):
        return self.send("PUT", "/api/v1" + path, body, headers)

    def delete(self, path, headers=()):
        return self.send("DELETE", "/api/v1" + path, None, headers)

    def read(self, path):
        reply = self.get(path)
        assert reply.status == 200, reply
        return reply.data

    def listed(self, path):
        reply = self.get(path)
        assert reply.status == 200, reply
        return [record["id"] for record in reply.data]
