"""Projections as an operator sees and controls them."""
import time

from service import DEADLINE


def order(service, name, what, status=200, body=None):
    reply = service.operator.send("POST", f"/operator/v1/projections/{name}/{what}", body)
    assert reply.status == status, reply
    return reply.data if status < 300 else reply


def standing(service, name):
    rows = service.operate("GET", "/operator/v1/status").data["projections"]
    return next(row for row in rows if row["name"] == name)


def wait_for(service, name, wanted):
    deadline = time.monotonic() + DEADLINE
    while not wanted(row := standing(service, name)):
        assert time.monotonic() < deadline, row
        time.sleep(0.02)
    return row
