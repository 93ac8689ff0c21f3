"""A stand-in for a service's operator API."""
import http.server
import json
import sys
import threading
import urllib.parse

TOKEN = "fake-operator-token-0123456789"


def event(partition, offset, kind="tilth.task.created", owner="user_a"):
    return {"specversion": "1.0", "id": f"00000000-0000-7000-8000-{partition:04d}{offset:08d}",
            "source": "tilth-fake", "type": kind, "subject": owner, "time": "2026-03-01T06:30:00.000Z",
            "datacontenttype": "application/json", "data": {"title": "Säen"},
            "partition": partition, "offset": offset, "accepted": True}


class FakeOperator:
    """Serves on a free port until close(); records its requests."""

    def __init__(self):
        self.users = []
        self.keys = []
        self.sessions = []
        self.operators, self.audit, self.drained = [], [], []
        self.request_log, self.request_log_query = [], None
        self.events = [[event(0, n) for n in range(5)], [], [event(2, n, owner="user_b") for n in range(3)]]
        self.requests = []
        self.cut_after = None  # break the connection within the line after that many
        self.answer_next = None  # (status, body) in place of the next response
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def handle_any(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                url = urllib.parse.urlsplit(self.path)
                query = dict(urllib.parse.parse_qsl(url.query))
                read = bytes.decode if self.headers.get("Content-Type") == "text/csv" else json.loads
                fake.requests.append((self.command, url.path, query, read(body) if body else None))
                if self.headers.get("Authorization") != f"Bearer {TOKEN}":
                    return self.answer(401, {"error": "Unauthorized", "code": "UNAUTHORIZED", "message": "No."})
                if fake.answer_next:
                    (status, answer), fake.answer_next = fake.answer_next, None
                    return self.answer(status, answer)
                parts = url.path.removeprefix("/operator/v1/").split("/")
                fake.route(self, self.command, [urllib.parse.unquote(part) for part in parts], query,
                           fake.requests[-1][3])

            do_GET = do_POST = do_PUT = do_DELETE = handle_any

            def answer(self, status, body):
                data = b"" if body is None else json.dumps(body).encode()
                self.send_response(status)
                if status != 204:
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def stream(self, lines, follow):
                self.send_response(200)
                self.send_header("Content-Type", "application/x-ndjson")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for number, line in enumerate(lines):
                    if fake.cut_after == number:
                        self.chunk(line[:20])
                        self.close_connection = True
                        return self.connection.close()
                    self.chunk(line + "\n")
                if follow:
                    self.chunk("\n")
                    fake.closed.wait(20)
                self.chunk("")

            def chunk(self, text):
                data = text.encode()
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.wfile.flush()

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, request, client_address):
                if not isinstance(sys.exc_info()[1], ConnectionError):  # a client may hang up
                    super().handle_error(request, client_address)

        self.closed = threading.Event()
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()

    def close(self):
        self.closed.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def route(self, handler, method, parts, query, body):
        if parts == ["nodes"]:
            return handler.answer(200, {"data": self.nodes()})
        if parts[0] == "nodes" and parts[2:] == ["drain"]:
            self.drained.append(parts[1])
            return handler.answer(204, None)
        if parts == ["status"]:
            return handler.answer(200, {"data": self.status()})
        if parts == ["users"] and method == "POST":
            user = {"id": f"user_{len(self.users)}", "email": body["email"], "name": body.get("name"),
                    "plan": body["plan"], "createdAt": "2026-03-01T06:30:00.000Z",
                    "updatedAt": "2026-03-01T06:30:00.000Z"}
            self.users.append(user)
            return handler.answer(201, {"data": user})
        if parts == ["users"]:
            return self.page(handler, [user for user in self.users if query.get("email", user["email"]) == user["email"]],
                             query)
        if parts[0] == "users" and len(parts) == 3 and parts[2] in ("disable", "enable"):
            user, = [user for user in self.users if user["id"] == parts[1]]
            user.pop("disabledAt", None)
            if parts[2] == "disable":
                user["disabledAt"] = "2026-03-01T06:30:00.000Z"
            return handler.answer(200, {"data": user})
        if parts[0] == "users" and parts[2:] == ["requests"]:
            self.request_log_query = query
            return self.page(handler, self.request_log, query)
        if parts[0] == "operators":
            return self.route_operators(handler, method, parts, query, body)
        if parts == ["audit"]:
            return self.page(handler, [each for each in self.audit if query.get("operator", each["operator"]) == each["operator"]],
                             query)
        if parts == ["sessions"] and method == "GET":
            return self.page(handler, [each for each in self.sessions if query.get("user", each["userId"]) == each["userId"]],
                             query)
        if parts[0] == "sessions" and method == "DELETE":
            ended = [each for each in self.sessions
                     if (parts[1] == each["id"] if len(parts) == 2 else query["user"] == each["userId"])]
            self.sessions = [each for each in self.sessions if each not in ended]
            if len(parts) == 1:
                return handler.answer(200, {"data": {"ended": len(ended)}})
            if ended:
                return handler.answer(204, None)
            return handler.answer(404, {"error": "Not found", "code": "NOT_FOUND", "message": "No such session."})
        if parts[0] == "users" and len(parts) == 2:
            found = [user for user in self.users if user["id"] == parts[1]]
            if not found:
                return handler.answer(404, {"error": "Not found", "code": "NOT_FOUND", "message": "No such user."})
            if method == "PUT":
                found[0].update({name: value for name, value in body.items() if name != "password"})
            return handler.answer(200, {"data": found[0]})
        if parts[0] == "users" and parts[2] == "api-keys":
            return self.route_keys(handler, method, parts, query, body)
        if parts == ["templates", "import"]:
            return handler.answer(200, {"data": {"templates": len(body["templates"]), "changed": 1}})
        if parts[0] == "exchange-rates":
            days = body.count("\n") - 1 if body else 1
            return handler.answer(200, {"data": {"days": days, "rates": 3, "changed": 2}})
        if parts == ["library"] and method == "POST":
            return handler.answer(200, {"data": {"crops": len(body["crops"]), "varieties": 3, "changed": 1}})
        if parts == ["library"]:
            return handler.answer(200, {"crops": [{"name": "A\u00e7a\u00ed", "kcMid": 1.15, "varieties": []}]})
        if parts == ["clock"]:
            return handler.answer(200, {"data": {"now": "2026-04-01T00:00:00.000Z"}})
        if parts == ["events"]:
            return handler.stream(self.select(query), query.get("follow") == "true")
        return handler.answer(404, {"error": "Not found", "code": "NOT_FOUND", "message": "Nothing here."})

    def route_keys(self, handler, method, parts, query, body):
        if method == "POST":
            key = {"id": f"key_{len(self.keys)}", "name": body["name"], "scopes": body["scopes"],
                   "keyPreview": "svc_live_aaa...aaaa", "expiresAt": body.get("expiresAt"), "revokedAt": None,
                   "usageCount": 0, "lastUsedAt": None, "key": "svc_live_" + "a" * 48}
            self.keys.append({name: value for name, value in key.items() if name != "key"})
            return handler.answer(201, {"data": key})
        if method == "GET":
            return self.page(handler, self.keys, query)
        found = [key for key in self.keys if key["id"] == parts[3] and key["revokedAt"] is None]
        if not found:
            return handler.answer(404, {"error": "Not found", "code": "NOT_FOUND", "message": "No such key."})
        found[0]["revokedAt"] = "2026-03-02T00:00:00.000Z"
        return handler.answer(204, None)

    def nodes(self):
        one = {"node": "tilth-fake", "self": True, "state": "live", "ready": True, "version": "0.1.0",
               "roles": ["command"], "address": "a:8080", "operatorAddress": "a:8081",
               "startedAt": "2026-03-01T06:30:00.000Z", "heardAt": "2026-03-01T06:30:00.000Z", "silentSeconds": 0.2,
               "clockAheadSeconds": 0.1, "partitions": [{"partition": 0, "next": 5}], "lagEvents": 0, "warnings": []}
        return [one, {**one, "node": "tilth-other", "self": False, "ready": False, "address": "b:8080", "lagEvents": None,
                      "warnings": ["Its clock is 2.5 s behind.", "It runs another version, 0.1.0."]},
                {**one, "node": "tilth-third\x1b[2J", "self": False, "state": "dead", "partitions": []}]

    def status(self):
        return {"node": "tilth-fake", "version": "0.1.0", "roles": ["command", "query"],
                "log": {"kind": "embedded", "partitions": [
                    {"partition": number, "first": 0, "end": len(events)} for number, events in enumerate(self.events)]},
                "projections": [
                    {"name": "registry", "generation": 3, "state": "running", "reason": None, "positions": [5, 0, 3],
                     "lagEvents": 0, "lagSeconds": 0, "eventsPerSecond": 0, "etaSeconds": None,
                     "building": {"generation": 4, "state": "rebuilding", "lagEvents": 7,
                                  "eventsPerSecond": 48248.124134331316, "etaSeconds": 34.04}},
                    {"name": "access", "generation": 1, "state": "faulted", "reason": "event 4 is poison",
                     "positions": [], "lagEvents": 9, "lagSeconds": 2, "eventsPerSecond": 0, "etaSeconds": None}]}

    def route_operators(self, handler, method, parts, query, body):
        if method == "GET":
            return self.page(handler, self.operators, query)
        if len(parts) == 1:
            self.operators.append({"name": body["name"], "role": body["role"], "createdAt": "2026-03-01T06:30:00.000Z",
                                   "updatedAt": "2026-03-01T06:30:00.000Z", "removedAt": None})
            return handler.answer(201, {"data": {**self.operators[-1], "token": "svc_operator_" + "a" * 48}})
        found = [each for each in self.operators if each["name"] == parts[1]]
        if not found:
            return handler.answer(404, {"error": "Not Found", "code": "NOT_FOUND", "message": "There is no such operator."})
        if method == "DELETE":
            found[0]["removedAt"] = "2026-03-02T06:30:00.000Z"
            return handler.answer(204, None)
        if method == "PUT":
            found[0]["role"] = body["role"]
            return handler.answer(200, {"data": found[0]})
        return handler.answer(200, {"data": {**found[0], "token": "svc_operator_" + "b" * 48}})

    @staticmethod
    def page(handler, records, query):
        page, limit = int(query["page"]) if "page" in query else 1, min(int(query.get("limit", 20)), 2)
        total = len(records)
        return handler.answer(200, {"data": records[(page - 1) * limit:page * limit],
                                    "pagination": {"page": page, "limit": limit, "total": total,
                                                   "totalPages": -(-total // limit)}})

    def select(self, query):
        chosen = []
        for number, events in enumerate(self.events):
            if "partition" in query and int(query["partition"]) != number:
                continue
            chosen += [entry for entry in events
                       if int(query.get("from", 0)) <= entry["offset"] < int(query.get("to", 1 << 60))
                       and query.get("owner", entry["subject"]) == entry["subject"]
                       and query.get("type", entry["type"]) == entry["type"]]
        return [json.dumps(entry, ensure_ascii=False) for entry in chosen[:int(query.get("limit", 1 << 60))]]
