"""P11: events on their way to 64 webhooks of 4 owners, at a receiver on this machine."""
import asyncio
import json
import multiprocessing
import time

from measures import Line
from processes import PLAN, Service

CONFIG = PLAN + """
[webhooks]
allow_http = true
allow_private = true
"""
WEBHOOKS_OWNERS, OF_EACH, EVENTS, LATE_EVENTS = 4, 16, 1_000, 300
ANSWER = b"HTTP/1.1 204 No Content\r\n\r\n"


class Receiver(asyncio.Protocol):
    """Answers every request at once, and notes when each came and what it was."""

    def __init__(self, received):
        self.received, self.bytes = received, b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.bytes += data
        while (head := self.bytes.find(b"\r\n\r\n")) >= 0:
            begin = self.bytes.lower().index(b"content-length: ") + 16
            end = head + 4 + int(self.bytes[begin:self.bytes.index(b"\r", begin)])
            if len(self.bytes) < end:
                return
            self.received.append((time.monotonic(), self.bytes[head + 4:end]))
            self.bytes = self.bytes[end:]
            self.transport.write(ANSWER)


def receive(pipe):
    """Tells its port, and then, whenever it is asked for so many, what it has received once it has."""
    async def run():
        received = []
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Receiver(received), "127.0.0.1", 0, backlog=512)
        pipe.send(server.sockets[0].getsockname()[1])
        wanted = await loop.run_in_executor(None, pipe.recv)
        while wanted is not None:
            deadline = time.monotonic() + 120
            while len(received) < wanted and time.monotonic() < deadline:
                await asyncio.sleep(0.01)
            pipe.send(list(received))
            received.clear()
            wanted = await loop.run_in_executor(None, pipe.recv)

    asyncio.run(run())


def received(pipe, count):
    pipe.send(count)
    got = pipe.recv()
    if len(got) < count:
        raise RuntimeError(f"{len(got)} of {count} deliveries arrived")
    return got


def p11_webhooks(folder):
    pipe, its = multiprocessing.Pipe()
    process = multiprocessing.Process(target=receive, args=(its,), daemon=True)
    process.start()
    port = pipe.recv()
    try:
        with Service(folder, folder / "webhooks", config=CONFIG) as service:
            owners = [service.owner(f"-webhooks{number}") for number in range(WEBHOOKS_OWNERS)]
            for key, _ in owners:
                for _ in range(OF_EACH):
                    service.post("/api/v1/webhooks", key, {"url": f"http://127.0.0.1:{port}/", "types": ["tilth.task.*"]})

            def task(farm, title):
                return {"farmId": farm.rsplit("/", 1)[1], "title": title, "category": "other"}

            answered = {}
            for number in range(LATE_EVENTS):
                key, farm = owners[number % WEBHOOKS_OWNERS]
                made = service.post("/api/v1/tasks", key, task(farm, f"T{number}"))
                answered[made["id"]] = time.monotonic()
                time.sleep(0.02)
            late = sorted(1_000 * (at - answered[json.loads(body)["data"]["taskId"]])
                          for at, body in received(pipe, LATE_EVENTS * OF_EACH))
            yield Line("P11", "from the answer to a change until its event arrives at each of 16 webhooks, p99",
                       max(0, late[int(0.99 * len(late))]), 100, unit=" ms")

            began = time.monotonic()
            for key, farm in owners:
                service.ask("POST", "/api/v1/batch", key, {"requests": [
                    {"method": "POST", "path": "/v1/tasks", "body": task(farm, f"F{number}")} for number in range(EVENTS)]})
            got = received(pipe, WEBHOOKS_OWNERS * EVENTS * OF_EACH)
            yield Line("P11", f"{len(got):,} deliveries to 64 webhooks, each second",
                       len(got) / (max(at for at, _ in got) - began), 2_000, at_least=True, unit="/s")
    finally:
        pipe.send(None)
        process.join(10)
        process.kill()
