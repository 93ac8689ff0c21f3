"""What clients can make the service hold is bounded. Bounds are generous: the sanitizers keep freed memory."""
import socket
import time

import pytest

from client import Client
from service import VAST, refused

CONFIG = VAST + """
[limits]
memory = 67108864

[http]
max_connections = 400
"""
CEILING = 600 << 20
LINE = "{} {} HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\n{}\r\n"


@pytest.fixture
def crowd():
    """Connects many clients; closes them in the end."""
    connections = []

    def connect(address, **options):
        connection = socket.socket()
        if "buffer" in options:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, options["buffer"])
        connection.settimeout(30)
        connection.connect(address)
        connections.append(connection)
        return connection

    yield connect
    for connection in connections:
        connection.close()


def resident(service):
    with open(f"/proc/{service.child.pid}/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmRSS"))


def metric(service, series):
    text = Client(service.operator_address).send("GET", "/metrics").body.decode()
    return next(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(series + " "))


def eventually(holds):
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("target", ["/api/openapi.json", "/docs"])
def test_unread_pages_are_one_copy(tilth, user, crowd, target):
    before = resident(tilth)
    for _ in range(50):
        connection = crowd(user.address, buffer=4096)
        connection.sendall(LINE.format("GET", target, "none", "").encode() * 64)
    for _ in range(20):
        assert user.get("/farms").status == 200
        assert resident(tilth) < before + CEILING
    assert metric(tilth, 'tilth_memory_budget_used_bytes{budget="answers",listener="api"}') < 16 << 20


@pytest.fixture(scope="module")
def rich(tilth):
    """A user whose list of 50 crops takes 800 kB."""
    names = [{"name": f"Crop {number}"} for number in range(50)]
    tilth.operate("POST", "/operator/v1/library", {"crops": names})
    user = tilth.user("vast")
    for page in (1, 2, 3):
        for crop in user.get(f"/crop-library/crops?limit=20&page={page}").data:
            made = user.post("/user-crops", {"adminCropId": crop["id"], "customizations": {"notes": "x" * 16_000}})
            assert made.status == 201, made
    return user


def test_unread_lists_come_from_a_budget_of_their_owner(tilth, user, crowd, rich):
    before = resident(tilth)
    request = LINE.format("GET", "/api/v1/user-crops?limit=50", rich.authorization, "").encode()
    for _ in range(60):
        crowd(user.address, buffer=4096).sendall(request * 64)
    used = 'tilth_memory_budget_used_bytes{budget="answers",listener="api"}'
    for _ in range(20):
        assert user.get("/farms").status == 200
        assert resident(tilth) < before + CEILING
        assert metric(tilth, used) <= metric(tilth, 'tilth_memory_budget_limit_bytes{budget="answers",listener="api"}')


def test_lists_that_are_read_are_complete_and_in_order(tilth, rich):
    eventually(lambda: metric(tilth, 'tilth_memory_budget_used_bytes{budget="answers",listener="api"}') == 0)
    whole = rich.get("/user-crops?limit=25")
    rich.close()
    connection = rich.connection()
    connection.sendall(LINE.format("GET", "/api/v1/user-crops?limit=25", rich.authorization, "").encode() * 40)
    stream = connection.makefile("rb")
    for _ in range(40):
        assert stream.readline() == b"HTTP/1.1 200 OK\r\n"
        length = 0
        while (line := stream.readline()) != b"\r\n":
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        assert stream.read(length) == whole.body
    rich.close()


def test_bodies_without_a_key_are_not_read(tilth, user, crowd):
    before = resident(tilth)
    head = LINE.format("POST", "/api/v1/farms", "none", "Content-Length: 1048576\r\n").encode()
    for _ in range(300):
        connection = crowd(user.address)
        connection.sendall(head)
        assert connection.recv(12) in (b"HTTP/1.1 401", b"HTTP/1.1 429")
    assert resident(tilth) < before + CEILING
    assert metric(tilth, 'tilth_memory_budget_used_bytes{budget="bodies",listener="api"}') < 1 << 20


def test_bodies_come_from_a_budget_of_their_owner(tilth, user, crowd):
    greedy = tilth.user("vast")
    used = 'tilth_memory_budget_used_bytes{budget="bodies",listener="api"}'
    head = LINE.format("POST", "/api/v1/farms", greedy.authorization, "Content-Length: 1048576\r\n").encode()
    answered = 0
    for _ in range(60):
        connection = crowd(user.address)
        try:
            connection.sendall(head + b"x" * 1_000_000)
            connection.settimeout(0.2)
            answered += connection.recv(12) == b"HTTP/1.1 503"
        except (TimeoutError, ConnectionError):
            pass
    assert answered > 40
    assert 0 < metric(tilth, used) <= 10 << 20
    assert metric(tilth, 'tilth_memory_budget_refusals_total{budget="bodies",listener="api"}') > 0
    large = b'{"name": "Large", "totalArea": 1, "pad": "' + b"x" * 1_000_000 + b'"}'
    assert user.post("/farms", large).status == 201, "another owner's are taken"
    reply = greedy.post("/farms", large)
    refused(reply, 503, "SERVICE_UNAVAILABLE")
    assert reply.header("Retry-After")


def test_memory_is_given_back(tilth, user, rich):
    eventually(lambda: all(
        metric(tilth, f'tilth_memory_budget_used_bytes{{budget="{name}",listener="api"}}') == 0
        for name in ("bodies", "answers", "streams")))
    assert user.post("/farms", {"name": "After", "totalArea": 1}).status == 201


def test_idle_connections_make_room_for_new_ones(tilth, user, crowd):
    idle = [crowd(user.address) for _ in range(500)]
    for _ in range(50):
        client = Client(tilth.address, user.authorization)
        assert client.get("/farms").status == 200
        client.close()
    known = Client(tilth.address, user.authorization)
    assert known.get("/farms").status == 200
    connection = known.socket
    idle += [crowd(user.address) for _ in range(500)]
    assert known.get("/farms").status == 200 and known.socket is connection, "who has shown a key stays"
    assert metric(tilth, 'tilth_http_connections{listener="api"}') <= 400 + 64
    assert metric(tilth, 'tilth_http_evicted_connections_total{listener="api"}') > 0
    assert Client(tilth.operator_address).send("GET", "/healthz").status == 200


def test_slow_heads_make_room_too(tilth, user, crowd):
    slow = []
    for _ in range(500):
        connection = crowd(user.address)
        connection.sendall(b"GET / HTTP/1.1\r\n")
        slow.append(connection)
    eventually(lambda: Client(tilth.address, user.authorization).get("/farms").status == 200)  # they are read
    for _ in range(50):
        client = Client(tilth.address, user.authorization)
        assert client.get("/farms").status == 200
        client.close()
