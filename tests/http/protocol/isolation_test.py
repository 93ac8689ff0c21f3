"""What one owner's expensive requests cannot do to others: they come first, get places, and the service stops."""
import contextlib
import http.client
import re
import select
import signal
import socket
import threading
import time

import pytest

from service import VAST, DEADLINE, Service, path_of
from sse import EventSource

CONFIG = VAST
TASKS = 1_500
WRITERS = 8
# Each looks at every task, or folds the whole history.
WALKS = ["/tasks?status=pending&priority=medium&sort=title", "/tasks?category=other&status=pending&sort=dueDate",
         "/tasks?priority=medium&category=other&sort=createdAt"]


def in_parallel(service, user, count, make):
    def run(numbers):
        client = service.client_of(user)
        for number in numbers:
            make(client, number)

    threads = [threading.Thread(target=run, args=(range(first, count, WRITERS),)) for first in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def with_tasks(service):
    user = service.user("vast")
    farm = user.farm()
    in_parallel(service, user, TASKS, lambda client, number: client.task(farm, title=f"Task {number}"))
    user.farm_id = farm["id"]
    return user


def with_plants(service, count, **members):
    user = service.user("vast")
    block = user.block(user.crop(user.field(user.farm())))
    in_parallel(service, user, count, lambda client, number: client.plant(block, label=f"{number}", **members))
    user.plants = f"{path_of(block)}/plants"
    return user


@pytest.fixture(scope="module")
def big(tilth):
    return with_tasks(tilth)


class Request:
    """A request whose response need not be read, on a connection of its own."""

    def __init__(self, user, path, headers=(), window=None):
        self.socket = socket.socket()
        if window:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        self.socket.settimeout(DEADLINE)
        self.socket.connect(user.address)
        lines = [f"GET /api/v1{path} HTTP/1.1", "Host: x", f"Authorization: {user.authorization}",
                 *(f"{name}: {value}" for name, value in dict(headers).items())]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())

    def answered(self):
        return bool(select.select([self.socket], [], [], 0)[0])

    def head(self):
        self.response = http.client.HTTPResponse(self.socket)
        self.response.begin()
        return self.response

    def status(self):
        return self.head().status

    def close(self):
        self.socket.close()


@contextlib.contextmanager
def requests(user, *paths, **how):
    sent = []
    try:
        for path in paths:
            sent.append(Request(user, path, **how))
        yield sent
    finally:
        for each in sent:
            each.close()


def as_of_now(service):
    return {"Tilth-As-Of": service.now()}


def work(service, metric, **labels):
    """The sum of that metric's samples with those labels."""
    text = service.operator.send("GET", "/metrics").body.decode()
    wanted = [f'{name}="{value}"' for name, value in labels.items()]
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
               if re.match(rf"tilth_work_{metric}\{{", line) and all(each in line for each in wanted))


def eventually(condition):
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def idle(service):
    eventually(lambda: work(service, "waiting") + work(service, "running") == 0)


def test_expensive_lists_are_right(big):
    for path in WALKS:
        for page in (1, 15):
            reply = big.get(f"{path}&limit=100&page={page}")
            assert reply.status == 200 and reply.pagination["total"] == TASKS, reply
            assert len(reply.data) == 100
    assert big.get("/tasks?status=pending&limit=1").pagination["total"] == TASKS


def test_another_owner_is_answered_first(tilth, big):
    innocent = tilth.user("vast")
    farm = innocent.farm()
    at = as_of_now(tilth)
    with requests(big, *["/tasks"] * 8, *WALKS * 3, headers=at) as sent:
        assert innocent.get(path_of(farm)).status == 200
        assert innocent.put(path_of(farm), {"description": "Mine"}).status == 200
        assert innocent.get("/tasks?status=pending&priority=medium").pagination["total"] == 0
        assert innocent.get(path_of(farm), at).status in (200, 404)
        assert not all(each.answered() for each in sent)
        for each in sent:
            assert each.status() in (200, 503)
    idle(tilth)


def test_too_many_expensive_requests_are_refused(tilth, big):
    with requests(big, *["/tasks"] * 24, headers=as_of_now(tilth)) as sent:
        heads = [each.head() for each in sent]
        assert {head.status for head in heads} == {200, 503}
        assert all(int(head.getheader("Retry-After")) > 0 for head in heads if head.status == 503)
    assert work(tilth, "refused_total", kind="as_of") > 0
    idle(tilth)


def test_expensive_work_ends_when_its_clients_are_gone(tilth, big):
    before = work(tilth, "cancelled_total", kind="as_of", reason="client_gone")
    with requests(big, *["/tasks"] * 12, headers=as_of_now(tilth)):
        pass
    eventually(lambda: work(tilth, "cancelled_total", kind="as_of", reason="client_gone") > before)
    idle(tilth)


def test_a_client_that_closes_its_sending_side_gets_a_response_to_a_cheap_request(big):
    with requests(big, "/farms") as (request,):
        request.socket.shutdown(socket.SHUT_WR)
        assert request.status() == 200


def test_lists_that_are_not_read_leave_places_for_others(tilth):
    hoarder = with_plants(tilth, 3_001, notes="\U0001f33e" * 2_000)  # four pieces: one on its way, one that waits
    other = with_plants(tilth, 1_001)
    with requests(hoarder, *[hoarder.plants] * 8, window=4_096) as unread:
        for each in unread:
            assert each.status() == 200
        refused = hoarder.get(hoarder.plants)
        assert refused.status == 503 and int(refused.header("Retry-After")) > 0, refused
        assert hoarder.get(f"{hoarder.plants}?limit=1").status == 200
        assert len(other.get(other.plants).data) == 1_001
        assert work(tilth, "completed_total", kind="query") > 0 and work(tilth, "completed_total", kind="stream") > 0

    def read_whole():
        reply = hoarder.get(hoarder.plants)
        return reply.status == 200 and len(reply.data) == 3_001
    eventually(read_whole)


def test_followers_leave_places_for_others(tilth):
    hoarder, other = tilth.user("vast"), tilth.user("vast")
    with contextlib.ExitStack() as stack:
        for _ in range(64):
            assert stack.enter_context(EventSource(hoarder, "/api/v1/events")).status == 200
        assert stack.enter_context(EventSource(hoarder, "/api/v1/events")).status == 503
        follower = stack.enter_context(EventSource(other, "/api/v1/events"))
        assert follower.status == 200
        farm = other.farm()
        assert farm["id"] in follower.next()["data"]
    eventually(lambda: hoarder.get("/events").status == 200)


@pytest.mark.embedded_log
def test_the_service_stops_in_time_whatever_runs(tmp_path):
    service = Service(tmp_path, config=VAST)
    try:
        service.start()
        big = with_tasks(service)
        unread = with_plants(service, 1_001, notes="\U0001f33e" * 2_000)
        at = as_of_now(service)
        with requests(big, *["/tasks"] * 20, headers=at), requests(big, *WALKS * 10), \
                requests(unread, *[unread.plants] * 4, window=4_096), EventSource(unread, "/api/v1/events"):
            eventually(lambda: work(service, "running") > 0)
            begun = time.monotonic()
            service.child.send_signal(signal.SIGTERM)
            assert service.child.wait(DEADLINE) == 0, service.tail()
            assert time.monotonic() - begun < 10  # the deadline that docs/operations.md promises
    finally:
        service.kill()
